#include <thalweg/model/errors.hpp>
#include <thalweg/pattern/batch.hpp>

#include <atomic>
#include <string>

namespace THALWEG_NAMESPACE {

namespace {

// Empty, if nothing is wrong.
std::string problem_of(const batch_limits& limits) {
  if (limits.items < 0) return "a batch must hold at least 1 item, not " + std::to_string(limits.items);
  if (limits.bytes < 0) return "a batch must hold at least 1 byte, not " + std::to_string(limits.bytes);
  if (limits.interval.count() < 0) return "its interval is negative";
  if (limits.items == 0 && limits.bytes == 0 && limits.interval.count() == 0)
    return "a batch would never be closed: give it a limit of items, bytes or time";
  return {};
}

}  // namespace

namespace model {

std::string fixed_limits::problem() const {
  if (counts && now.items == 0) return "a batch must hold at least 1 item, not 0";
  return problem_of(now);
}

}  // namespace model

// Each by itself: whoever reads them while they are set may see some of the old ones, too, which closes one
// batch by either.
struct batching::state {
  std::atomic<std::int64_t> items{0}, bytes{0}, interval{0};

  void set(const batch_limits& limits) {
    if (const auto problem = problem_of(limits); !problem.empty()) throw error("batching: " + problem);
    // New limits before old ones go: at no time is there none.
    for (const bool limited : {true, false}) {
      const auto put = [limited](std::atomic<std::int64_t>& to, std::int64_t limit) {
        if ((limit > 0) == limited) to.store(limit, std::memory_order_release);
      };
      put(items, limits.items);
      put(bytes, limits.bytes);
      put(interval, limits.interval.count());
    }
  }
};

batching::batching(batch_limits limits) : state_(std::make_shared<state>()) {
  state_->set(limits);
}

void batching::set(batch_limits limits) {
  state_->set(limits);
}

batch_limits batching::limits() const noexcept {
  // One that goes may be read before it has gone, and one that comes before it has come: then once more.
  for (;;) {
    const batch_limits now{state_->items.load(std::memory_order_acquire),
                           state_->bytes.load(std::memory_order_acquire),
                           std::chrono::nanoseconds(state_->interval.load(std::memory_order_acquire))};
    if (now.items > 0 || now.bytes > 0 || now.interval.count() > 0) return now;
  }
}

}  // namespace THALWEG_NAMESPACE
