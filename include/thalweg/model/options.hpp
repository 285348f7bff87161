/// What may be said of any stage: replicas, order, capacity, errors, processors, name.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/error_policy.hpp>

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

namespace THALWEG_NAMESPACE {

/// The value of a numeric option that was not given: the policy decides.
inline constexpr int automatic = std::numeric_limits<int>::min();

/// How many replicas a farm has: a number, or a range from which the run chooses (`tw::adaptive`).
struct replica_count {
  int number = automatic;   ///< to begin with
  int least = 0, most = 0;  ///< of the range; both 0: the number stays

  constexpr replica_count(int n = automatic) noexcept : number(n) {}
  constexpr replica_count(int n, int fewest, int largest) noexcept
      : number(n), least(fewest), most(largest) {}
  constexpr operator int() const noexcept { return number; }
  [[nodiscard]] constexpr bool adaptive() const noexcept { return least != 0 || most != 0; }
};

/// `.replicas = tw::adaptive(1, 16)`: the run itself finds how many replicas of the farm are worth it, and
/// changes that while it goes on, as `run_options::adapt` says (by default: to keep up). It begins with as
/// many as the policy would give it, within the range. Of a farm of farms only the outer one may have it.
/// `run` throws `invalid_job` for a range that is empty or begins below 1.
constexpr replica_count adaptive(int least, int most) noexcept {
  return {automatic, least, most};
}

/// Which replica of a farm takes which item. `tw::on_demand` (default): one that is free. `tw::round_robin`:
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
  replica_count replicas = automatic;
  /// Gives up the order of the items after this farm.
  bool unordered = false;
  /// At most this many items wait in front of the stage; for a farm, or a stage in it, in front of and in the
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
  /// Of a `paced` source: where items come more often than every 500 µs it keeps a processor busy, to be
  /// exact. False: it sleeps, for 50 µs and more at a time, and gives what has become due at once.
  bool spin = true;
};

}  // namespace THALWEG_NAMESPACE
