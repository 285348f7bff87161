#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/errors.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace thalweg {

/// The value of a numeric option that was not given: the policy decides.
inline constexpr int automatic = std::numeric_limits<int>::min();

/// What a stage does when its operator throws. Build it from `tw::stop`, `tw::skip`, `tw::retry(n, delay)`
/// and `tw::dead_letter(handler)`, combined with `.then`:
///
/// ```cpp
/// std::vector<int> refused;
/// auto careful = tw::retry(2, std::chrono::milliseconds(1)).then(tw::dead_letter([&](const int& x,
/// std::exception_ptr) {
///   refused.push_back(x);
/// }));
/// int sum = 0;
/// tw::run(tw::source(std::vector{1, 2, 3}) |
///         tw::map([](int x) { return x == 2 ? throw std::runtime_error("no twos") : x; }, {.on_error =
///         careful}) | tw::sink([&](int x) { sum += x; }));
/// assert(sum == 4 && refused == std::vector{2});
/// ```
///
/// With anything but `stop` the operator is given the item as `const T&` or as a copy, and what it produced
/// counts only when the call returns: a failed attempt leaves no partial output.
class error_policy {
 public:
  enum class action : std::uint8_t { stop, skip, dead_letter };
  using handler = std::function<void(const void* item, const std::exception_ptr&)>;

  error_policy() = default;
  error_policy(action last, int retries, std::chrono::nanoseconds delay)
      : last_(last), retries_(retries), delay_(delay) {}
  error_policy(handler h, const std::type_info& item)
      : last_(action::dead_letter), handler_(std::move(h)), item_(&item) {}

  /// What happens when the retries are used up. Only `retry` leaves something to do, and one `retry` is
  /// enough: anything else is an `invalid_job` when the job is run.
  [[nodiscard]] error_policy then(error_policy last) const {
    if (!problem_.empty()) {
      last.problem_ = problem_;
    } else if (last_ != action::stop) {
      last.problem_ = "nothing can follow tw::skip or tw::dead_letter: they have dealt with the item";
    } else if (retries_ != 0 && last.retries_ != 0) {
      last.problem_ = "tw::retry cannot follow tw::retry: give one of them all the tries";
    } else if (retries_ != 0) {
      last.retries_ = retries_;
      last.delay_ = delay_;
    }
    return last;
  }

  [[nodiscard]] bool plain() const noexcept {
    return last_ == action::stop && retries_ == 0 && problem_.empty();
  }
  [[nodiscard]] action last() const noexcept { return last_; }
  [[nodiscard]] int retries() const noexcept { return retries_; }
  /// The wait before the first retry; it doubles with each further one.
  [[nodiscard]] std::chrono::nanoseconds delay() const noexcept { return delay_; }
  [[nodiscard]] const handler& dead_letter_handler() const noexcept { return handler_; }
  /// The item type that the dead-letter handler takes; null without one.
  [[nodiscard]] const std::type_info* handled_type() const noexcept { return item_; }
  /// What is wrong with the combination; empty if nothing is.
  [[nodiscard]] std::string_view problem() const noexcept { return problem_; }

 private:
  action last_ = action::stop;
  int retries_ = 0;
  std::chrono::nanoseconds delay_{0};
  handler handler_;
  const std::type_info* item_ = nullptr;
  std::string_view problem_;
};

/// The error ends the run and comes out of `run` or `wait`. The default.
inline const error_policy stop{};
/// The item that failed is dropped and counted in the report; its gap closes at once.
inline const error_policy skip{error_policy::action::skip, 0, std::chrono::nanoseconds{0}};

/// Tries the item up to `times` more, first after `delay`, then after twice that, and so on.
/// What follows the last failure is given by `.then(...)`; without it the run stops.
inline error_policy retry(int times, std::chrono::nanoseconds delay = std::chrono::nanoseconds{0}) {
  return {error_policy::action::stop, times, delay};
}

/// Hands a failed item and its exception to `handler(const T&, std::exception_ptr)`, one call at a time.
/// `T` is found from the handler's signature; for a generic lambda write `dead_letter<T>(handler)`.
template <class T = void, class F> error_policy dead_letter(F handler) {
  using item = std::conditional_t<std::is_void_v<T>, model::first_argument_t<F>, std::type_identity<T>>::type;
  using bare = std::remove_cvref_t<item>;
  static_assert(
      std::is_invocable_v<F&, const bare&, std::exception_ptr>,
      "thalweg::dead_letter: the handler must be callable as handler(const T&, std::exception_ptr)");
  if (model::is_null_callable(handler))
    return {error_policy::handler{}, typeid(bare)};  // refused before a run
  return {[h = std::move(handler)](const void* x, const std::exception_ptr& why) mutable {
            h(*static_cast<const bare*>(x), why);
          },
          typeid(bare)};
}

/// Which replica of a farm takes which item. `tw::on_demand` (default): whoever is free. `tw::round_robin`:
/// in turn. `tw::route(f)`: `f(const T&, std::size_t replicas)` gives the replica (taken modulo their
/// number). Results never depend on it; caches and connections in `per_replica` operators may.
class schedule {
 public:
  enum class kind : std::uint8_t { on_demand, round_robin, next_with_room, route };
  using router = std::function<std::size_t(const void* item, std::size_t replicas)>;

  schedule() = default;
  explicit schedule(kind k) : kind_(k) {}
  schedule(router r, const std::type_info& item) : kind_(kind::route), router_(std::move(r)), item_(&item) {}

  [[nodiscard]] kind how() const noexcept { return kind_; }
  [[nodiscard]] std::size_t operator()(const void* item, std::size_t replicas) const {
    return router_(item, replicas) % replicas;
  }
  [[nodiscard]] const std::type_info* routed_type() const noexcept { return item_; }
  /// A routing function that holds nothing to call: refused before a run.
  [[nodiscard]] bool null() const noexcept { return kind_ == kind::route && !router_; }

 private:
  kind kind_ = kind::on_demand;
  router router_;
  const std::type_info* item_ = nullptr;
};

/// Items go to whichever replica is free: the default, and the fastest.
inline const schedule on_demand{schedule::kind::on_demand};
/// Item k goes to replica k modulo their number.
inline const schedule round_robin{schedule::kind::round_robin};
/// For `tw::split`: in turn, but a branch whose pipe is full is left out. A slow branch does not hold up the
/// others.
inline const schedule next_with_room{schedule::kind::next_with_room};

/// Routes each item to the replica that `f(const T&, std::size_t replicas)` names.
template <class T = void, class F> schedule route(F f) {
  using item = std::conditional_t<std::is_void_v<T>, model::first_argument_t<F>, std::type_identity<T>>::type;
  using bare = std::remove_cvref_t<item>;
  static_assert(
      std::is_invocable_r_v<std::size_t, F&, const bare&, std::size_t>,
      "thalweg::route: the function must be callable as f(const T&, std::size_t replicas) -> std::size_t");
  if (model::is_null_callable(f)) return {schedule::router{}, typeid(bare)};  // refused before a run
  return {[g = std::move(f)](const void* x, std::size_t n) -> std::size_t {
            return g(*static_cast<const bare*>(x), n);
          },
          typeid(bare)};
}

/// Where a stage runs.
enum class placement : std::uint8_t { anywhere, caller_thread };
/// `.on = tw::caller_thread`: the stage runs on the thread that called `run`, or that calls `wait` after
/// `launch`.
inline constexpr placement caller_thread = placement::caller_thread;

/// The options of any stage. Every field has a default, so designated initialisers name only what differs.
struct options {
  /// How many replicas of a farm may work at once. Not a promise to use them all: see docs/policies.md.
  int replicas = automatic;
  /// Gives up the order of the items after this farm.
  bool unordered = false;
  /// At most so many items wait in front of the stage; for a farm, or a stage in it, in front of and in the
  /// farm. What exactly is counted depends on the policy: see docs/policies.md.
  std::int64_t capacity = automatic;
  /// What to do when the operator throws.
  error_policy on_error = {};
  /// The processors (as the system numbers them) that this stage's thread or threads are bound to.
  std::vector<int> pin = {};
  /// The stage's name within its scope; reports, traces and errors use it.
  std::string name = {};
  /// Which replica takes which item.
  thalweg::schedule schedule = {};
  /// The operator waits for the outside (a socket, a disk): it gets a thread of its own and cannot starve the
  /// workers.
  bool blocking = false;
  /// On which thread the stage runs.
  placement on = placement::anywhere;
};

}  // namespace thalweg
