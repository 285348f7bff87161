// The ready-made stages are built from this: patterns around operators with their own names.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace THALWEG_NAMESPACE::stages {

/// A stage whose operator knows its name in reports (`pattern`) and what is wrong with its options.
template <class Stage> struct named : Stage {
  static constexpr auto pattern = model::called_t<model::function_of<Stage>>::pattern;
  void check(model::stage_info& info) {
    Stage::check(info);
    if constexpr (requires { this->fn.check(info); }) this->fn.check(info);
  }
};

/// A pipeline of one such stage.
template <template <class> class Stage, class Fn> auto make(Fn fn, options opts) {
  return model::make_pipeline(named<Stage<Fn>>{{{}, {std::move(fn), std::move(opts)}}});
}

/// An item of any type, which its operator does not look at. Unlike a template it leaves the operator's
/// signature visible, so that nothing is copied to find out how it takes its items.
struct any_item {
  template <class T> constexpr any_item(const T&) noexcept {}
};

/// What an operator opens in its run. A job is copied for each run, and the copies share nothing: a copy is
/// empty.
template <class T> struct unshared : std::unique_ptr<T> {
  using std::unique_ptr<T>::operator=;
  unshared() = default;
  unshared(const unshared&) noexcept : std::unique_ptr<T>() {}
  unshared(unshared&&) noexcept = default;
  unshared& operator=(const unshared&) = delete;
  unshared& operator=(unshared&&) noexcept = default;
  ~unshared() = default;
};

/// A source around an object with `std::optional<T> next(const std::stop_token&)`, which may be called again
/// after it has thrown, and `bool give_up()`: leaves out what `next` failed at. False: nothing follows it,
/// and what `next` has thrown ends the run.
template <class, class F>
struct read_op : model::hooked<F, typename decltype(std::declval<F&>().next({}))::value_type> {
  std::exception_ptr failed{};

  template <class Frame, class Next> THALWEG_INLINE bool step(Frame& f, Next&& next) {
    auto item = f.call([&] {
      try {
        return this->fn.next(f.ctx.source_stop);
      } catch (...) {
        failed = std::current_exception();
        throw;
      }
    });
    if (!item) return false;
    next(*std::move(item));
    return true;
  }
  template <class Frame> void give_up(Frame& f) {
    f.call([&] {
      if (!this->fn.give_up()) std::rethrow_exception(failed);
    });
  }
};

template <class Fn> struct read_stage : model::stage_defaults, model::function_stage<read_op, Fn> {
  static constexpr bool is_source = true;
  static constexpr bool one_to_one = true;
  template <class In> static constexpr bool accepts = std::is_same_v<In, model::nothing>;
  template <class In> static constexpr bool accepts_shared = false;
  template <class In> using output = typename decltype(std::declval<Fn&>().next({}))::value_type;
};

}  // namespace THALWEG_NAMESPACE::stages
