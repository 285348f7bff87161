#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/emitter.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/pipe/glance.hpp>
#include <thalweg/pipe/inline.hpp>

#include <cstddef>
#include <exception>
#include <limits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

/// How a loop over items is compiled. `plain`: nothing but the operators. `careful`: also carries due times
/// and ranks. `staged`: keeps outputs back until the operator has returned.
enum class mode : std::uint8_t { plain, careful, staged };

/// Within a handler: what has been caught becomes a failure of the stage, unless a stage further down has
/// already claimed it, and is thrown again.
[[noreturn]] void claim_failure(std::size_t stage);

/// Calls `f`; what it throws is a failure of the stage.
template <class F> decltype(auto) attribute(std::size_t stage, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    claim_failure(stage);
  }
}

/// What surrounds one call of a user's operator: says which stage an exception came from.
template <mode M> struct frame {
  context& ctx;
  std::size_t leaf;

  /// Calls the user's code.
  template <class F> THALWEG_INLINE decltype(auto) call(F&& f) const {
    try {
      return std::forward<F>(f)();
    } catch (...) {
      claim_failure(leaf);
    }
  }

  /// Calls the user's code with an emitter; what it sends goes to `next`, `limit` items at a time, in order.
  /// A source's emitter also ends when the run is asked to stop.
  template <bool Source, class U, class User, class Next>
  void emit(pipe::chunk<U>& buffer, std::size_t limit, User&& user, Next&& next) const {
    buffer.clear();
    // What failed further down is not the user's to handle: if it is caught here, it comes again.
    std::exception_ptr failed;
    [[maybe_unused]] const auto& cut = *ctx.cut;
    [[maybe_unused]] bool diverted = false, stays = false;
    auto deliver = [&](pipe::chunk<U>& items) {
      try {
        if (failed) std::rethrow_exception(failed);
        if constexpr (M == mode::plain && !Source) {
          if (diverted) {
            (void)divert(items);
            return;
          }
          for (auto *y = items.begin(), *end = items.end(); y != end; ++y) {
            if (pipe::glance(cut) && !stays) [[unlikely]] {
              items.drop_front(static_cast<std::size_t>(y - items.begin()));
              diverted = divert(items);
              if (diverted) return;
              stays = true;
              y = items.begin();
            }
            next(std::move(*y));
          }
        } else {
          for (U& y : items) next(std::move(y));
        }
      } catch (...) {
        failed = std::current_exception();
        items.clear();
        throw;
      }
      items.clear();
    };
    struct handler {
      decltype(deliver)& deliver_items;
      context& ctx;
    } self{deliver, ctx};
    if (M == mode::staged) limit = std::numeric_limits<std::size_t>::max();
    emitter<U> out(
        buffer, limit, Source ? ctx.source_stop : ctx.stop, ctx.source_stop,
        [](void* h, pipe::chunk<U>& items) {
          auto& me = *static_cast<handler*>(h);
          me.deliver_items(items);
          if (Source && me.ctx.source_held()) {
            if (!me.ctx.source_interrupted()) me.ctx.wait_while_paused();
            if (me.ctx.source_interrupted()) throw cancelled{};
          }
          if (!Source && me.ctx.interrupted()) throw cancelled{};
        },
        &self);
    try {
      call([&] { user(out); });
    } catch (...) {
      if (failed) std::rethrow_exception(failed);
      throw;
    }
    deliver(buffer);
  }

  // A long call of a run that is to be cut short: what it still sends goes on elsewhere, if that is possible.
  template <class U> bool divert(pipe::chunk<U>& items) const {
    if (ctx.interrupted()) throw cancelled{};
    const auto n = items.size();
    if (!ctx.divert(leaf, items)) return false;
    ctx.tallies[leaf].out += n;
    items.clear();
    return true;
  }
};

}  // namespace THALWEG_NAMESPACE::model
