#include <thalweg/flow/pace.hpp>
#include <thalweg/flow/paced.hpp>
#include <thalweg/flow/wait.hpp>
#include <thalweg/model/errors.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace {

// All changes of rates, in their order: a source that may be told its rate from two sides follows the last.
std::uint64_t next_change() {
  static std::atomic<std::uint64_t> made{0};
  return made.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

struct pace::state {
  state(rate r, when_late l) : now(std::move(r)), late(l) {}

  std::mutex lock;
  rate now;
  const when_late late;
  std::atomic<std::uint64_t> version{next_change()};  // the change that it was last set by
  std::atomic<std::uint64_t> passed{0};
};

pace::pace(double items_per_second) {
  if (items_per_second > 0 && std::isfinite(items_per_second))
    state_ = std::make_shared<state>(rate(items_per_second), when_late::catch_up);
}

pace::pace(rate r, when_late late) : state_(std::make_shared<state>(std::move(r), late)) {}

void pace::set(rate r) {
  if (!state_) throw error("pace: its rate is not positive");
  const std::lock_guard hold(state_->lock);
  state_->now = std::move(r);
  state_->version.store(next_change(), std::memory_order_release);
}

std::uint64_t pace::passed_over() const noexcept {
  return state_ ? state_->passed.load(std::memory_order_relaxed) : 0;
}

namespace flow {

namespace {

constexpr std::int64_t look_ns = 20'000'000;  // how long a change of rate may go unnoticed
constexpr auto never = arrivals::never;

std::int64_t paused(const model::context& ctx) {
  return ctx.paused_ns->load(std::memory_order_relaxed);
}

}  // namespace

void told_rate::set(rate r) {
  const std::lock_guard hold(lock_);
  told_ = std::move(r);
  version_.store(next_change(), std::memory_order_release);
}

std::optional<double> told_rate::at(std::int64_t ns) const {
  const std::lock_guard hold(lock_);
  if (!followed_) return std::nullopt;
  if (version_.load(std::memory_order_relaxed) > seen_) return told_->at(0);
  return followed_->what.at(static_cast<double>(std::max<std::int64_t>(0, ns - followed_->began_ns)) * 1e-9);
}

pacemaker::pacemaker(const pace& p, bool spin, std::shared_ptr<told_rate> told)
    : state_(p.state_), spin_(spin), told_(std::move(told)) {}

// Follows what has been set since it looked last.
void pacemaker::look_again(std::int64_t now) {
  const auto last = [this] {
    return std::max(state_->version.load(std::memory_order_acquire),
                    told_->version_.load(std::memory_order_acquire));
  };
  if (last() == version_) return;
  const std::scoped_lock hold(state_->lock, told_->lock_);
  version_ = last();
  const auto& follows =
      version_ == told_->version_.load(std::memory_order_relaxed) ? *told_->told_ : state_->now;
  arrivals_.emplace(follows, state_->late);
  began_ns_ = now;
  told_->followed_.emplace(told_rate::followed{follows, now});
  told_->seen_ = version_;
}

std::int64_t pacemaker::due_now(const model::context& ctx) const {
  const auto next = arrivals_->next_ns();
  return next == never ? never : began_ns_ + paused(ctx) + next;
}

pacemaker::outcome pacemaker::wait(model::context& ctx) {
  // A pause moves the schedule, also one that began and ended while we waited.
  for (;;) {
    auto now = ctx.now();
    look_again(now - paused(ctx));
    due_ns_ = due_now(ctx);
    if (due_ns_ == never) return outcome::over;
    if (now < due_ns_) {
      const auto until = ctx.virtual_now_ns != nullptr ? due_ns_ : std::min(due_ns_, now + look_ns);
      if (!wait_until(until, spin_ && arrivals_->dense(), ctx)) return outcome::held_up;
      now = state_->late == when_late::catch_up ? due_ns_ : ctx.now();
      if (until != due_ns_ || due_now(ctx) != due_ns_) continue;
    } else if (ctx.source_held()) {
      return outcome::held_up;
    }
    const auto began = began_ns_ + paused(ctx);
    called_at_ = static_cast<double>(std::max(now, due_ns_) - began) * 1e-9;
    if (const auto passed = arrivals_->pass_over(called_at_); passed > 0) {
      state_->passed.fetch_add(passed, std::memory_order_relaxed);
      due_ns_ = due_now(ctx);
    }
    return outcome::due;
  }
}

void pacemaker::called() {
  arrivals_->advance(called_at_);
}

}  // namespace flow
}  // namespace THALWEG_NAMESPACE
