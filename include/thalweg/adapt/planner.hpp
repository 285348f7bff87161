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
/// before its first window, by the thread that starts the run; windows come one after the other, from one
/// thread of the run, which waits for each call, and the end of the run waits, too. What it asks for beyond
/// the bounds counts as the bound. If it throws, the run goes on without it, and the report has a note.
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
/// assert(tw::adaptation::planner("ds2:warm_up=2,ratio=1.5").name() == "ds2:warm_up=2,ratio=1.5");
/// ```
///
/// Those that have a name take settings, too. A `period` is how long they measure, in seconds, before they
/// decide: windows that are shorter are taken together.
///
/// - `ds2` asks for as many replicas as what is due takes, by what one replica can do (Kalavri et al., OSDI
///   2018). `period=0.25`. `warm_up=1`: periods after a change in which it waits. `activation=2`: periods in
///   a row that must agree. `ratio=1.1`: if the source is slower than what is due by more than this, it adds
///   as much. `factor=0`: this share more than it takes. `slack=0`: fewer replicas by no more than this are
///   not worth a change.
/// - `teetime` adds a replica while the farm takes more items than predicted by a line through the last
///   periods, and removes one if it takes fewer (TeeTime). `period=0.05`. `boundary=0.025`: the share more or
///   less that counts. `history=5`: periods. `literal=0`; 1: an addition that did not help is found as its
///   text says, by the prediction, and not by what was before it.
/// - `teetime-mean` and `teetime-weighted` predict by the mean, or by one in which newer periods count more.
/// - `mpr` takes steps of 1, 2 or 4 by the ratio of the throughput of a farm to a goal (MPR). `period=1`.
///   `goal=0`: items a second; 0: what is due.
/// - `das` changes batches alone: their interval is the shortest at which a batch is worked off within a part
///   of it (Das et al., SoCC 2014). `rho=0.7`: that part. `r=0.25`: what an interval loses where longer ones
///   are less efficient. `line=1`: goes where a line through the last decisions leads; 0: one step of the
///   iteration. `history=5`: decisions that the line goes through. `batches=4`: after which it decides.
///   `band=0.05`: a smaller change is not worth it. `least=1` and `most=60000`: milliseconds.
class planner {
 public:
  using function = std::function<changes(const window&)>;

  planner() : planner("thalweg") {}
  /// One of `names()`, with settings after a colon if any are to differ: `teetime:boundary=0.1,history=3`. Or
  /// `external:ADDRESS`, which is `controlled_by(ADDRESS)`. Throws `std::invalid_argument`, which says what
  /// is wrong and what is possible, for an unknown name, setting or address, and for a value that is no
  /// number or not within its limits.
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

  /// As it was given, with its settings; `custom` for a function.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// One that has seen nothing yet.
  [[nodiscard]] function begin() const { return begin_(); }

  /// Those that have a name, without settings; not `external`, which needs an address.
  [[nodiscard]] static std::vector<std::string> names();

 private:
  std::string name_;
  std::function<function()> begin_;
};

}  // namespace THALWEG_NAMESPACE::adaptation
