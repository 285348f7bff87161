/// What decides which changes a run makes of itself.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// Decides, window by window, what a run is to change: one of those that have a name, or a custom function.
///
/// A custom one is a copyable function object from `window` to `changes`. Each run has its own copy, made
/// before its first window; windows come one after the other, from one thread. What it asks for beyond the
/// bounds counts as the bound. If it throws, the run goes on without it, and the report has a note.
///
/// ```cpp
/// // One more replica while items wait.
/// tw::adaptation::planner grow = [](const tw::adaptation::window& seen) {
///   tw::adaptation::changes wanted;
///   for (const auto& s : seen.stages) {
///     if (s.farm() && s.queued > 10 && s.replicas < s.most)
///       wanted.replicas.push_back({s.name, s.replicas + 1});
///   }
///   return wanted;
/// };
/// assert(grow.name() == "custom" && grow.begin()({}).none());
/// assert(tw::adaptation::planner("ds2").name() == "ds2");
/// ```
class planner {
 public:
  using function = std::function<changes(const window&)>;

  planner() : planner("thalweg") {}
  /// One of `names()`. Throws `std::invalid_argument`, with the names, for another one.
  planner(const char* name) : planner(std::string(name)) {}
  planner(const std::string& name);
  template <class F>
    requires(!std::convertible_to<F, std::string> && !std::same_as<std::remove_cvref_t<F>, planner> &&
             std::is_invocable_r_v<changes, F&, const window&>)
  planner(F f) : name_("custom"), begin_([f = std::move(f)] { return function(f); }) {}
  /// A custom one with a name. `begin` makes one that has seen nothing yet: each run calls it before its
  /// first window, and destroys what it returns at its end.
  planner(std::string name, std::function<function()> begin)
      : name_(std::move(name)), begin_(std::move(begin)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// One that has seen nothing yet.
  [[nodiscard]] function begin() const { return begin_(); }

  /// Those that have a name.
  [[nodiscard]] static std::vector<std::string> names();

 private:
  std::string name_;
  std::function<function()> begin_;
};

}  // namespace THALWEG_NAMESPACE::adaptation
