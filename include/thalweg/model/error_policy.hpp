/// `stop`, `skip`, `retry`, `dead_letter`, `decide`: what a stage does when its operator throws.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/failure.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace THALWEG_NAMESPACE {

/// What a stage does when its operator throws. Build it from `tw::stop`, `tw::skip`, `tw::retry(n, delay)`,
/// `tw::dead_letter(handler)` and `tw::decide(handler)`, combined with `.then`:
///
/// ```cpp
/// std::vector<int> refused;
/// auto keep = [&](const int& x, std::exception_ptr) { refused.push_back(x); };
/// auto careful = tw::retry(2, 1ms).then(tw::dead_letter(keep));
/// auto no_twos = [](int x) { return x == 2 ? throw std::runtime_error("no twos") : x; };
/// int sum = 0;
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::map(no_twos, {.on_error = careful}) |
///         tw::sink([&](int x) { sum += x; }));
/// assert(sum == 4 && refused == std::vector{2});
/// ```
///
/// With anything but `stop` the operator is given the item as `const T&` or as a copy, and what it produced
/// counts only when the call returns: a failed attempt leaves no partial output. (What a `tw::stage` has sent
/// has gone: see there.)
class error_policy {
 public:
  enum class action : std::uint8_t { stop, skip, dead_letter, decide };
  using handler = std::function<void(const void* item, const std::exception_ptr&)>;
  using judge = std::function<error_policy(const failure&)>;

  error_policy() = default;
  error_policy(action last, int retries, std::chrono::nanoseconds delay)
      : last_(last), given_(true), retries_(retries), delay_(delay) {}
  error_policy(handler h, const std::type_info& item)
      : last_(action::dead_letter), given_(true), handler_(std::move(h)), item_(&item) {}
  explicit error_policy(judge j) : last_(action::decide), given_(true), judge_(std::move(j)) {}

  /// What happens when the retries are used up. Only `retry` leaves something to do, and one `retry` is
  /// enough: anything else is an `invalid_job` when the job is run.
  [[nodiscard]] error_policy then(error_policy last) const;

  /// Whether it was said at all: a stage without any has that of its farm, or of its run.
  [[nodiscard]] bool given() const noexcept { return given_; }
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
  /// The handler that decides about an item, anew each time.
  [[nodiscard]] const judge& decider() const noexcept { return judge_; }
  /// What is wrong with the policy, wherever it is used; empty if nothing is.
  [[nodiscard]] std::string problem() const;

 private:
  action last_ = action::stop;
  bool given_ = false;
  int retries_ = 0;
  std::chrono::nanoseconds delay_{0};
  handler handler_;
  const std::type_info* item_ = nullptr;
  judge judge_;
  std::string_view problem_;
};

/// The error ends the run and comes out of `run` or `wait`. The default.
inline const error_policy stop{error_policy::action::stop, 0, std::chrono::nanoseconds{0}};
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

/// Asks `handler(const tw::failure&) -> tw::error_policy` what happens to the item, each time that a call has
/// failed, one call of the handler at a time. It may look at the stage, the item and the exception, and
/// answers `tw::stop`, `tw::skip`, `tw::dead_letter(...)`, or `tw::retry(n, delay)` for n more tries, after
/// which it is asked again. It fits stages with items of any type, and so a whole run:
///
/// ```cpp
/// auto judge = tw::decide([](const tw::failure& f) {
///   try { std::rethrow_exception(f.cause()); }
///   catch (const std::invalid_argument&) { return tw::skip; }
///   catch (...) { return tw::stop; }
/// });
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector<std::string>{"1", "two", "3"}) |
///         tw::map([](const std::string& text) { return std::stoi(text); }) | tw::sink(seen),
///         tw::pool{}, {.on_error = judge});
/// assert((seen == std::vector{1, 3}));
/// ```
template <class F> error_policy decide(F handler) {
  constexpr bool fits = std::is_invocable_r_v<error_policy, F&, const failure&>;
  static_assert(fits,
                "thalweg::decide: the handler must be callable as handler(const tw::failure&) -> "
                "tw::error_policy");
  if constexpr (fits) {
    if (model::is_null_callable(handler)) return error_policy(error_policy::judge{});  // refused before a run
    return error_policy(error_policy::judge(std::move(handler)));
  } else {
    return {};
  }
}

}  // namespace THALWEG_NAMESPACE
