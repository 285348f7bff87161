#pragma once

#include <thalweg/model/frame.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

/// Whether the calls of a loop may fail without ending the run: its stage has an error policy.
template <class Frame>
inline constexpr bool can_fail = std::is_same_v<std::remove_cv_t<Frame>, frame<mode::staged>>;

/// Whether a state can be restored.
template <class State> inline constexpr bool restorable = copyable<State> && std::is_move_assignable_v<State>;

/// Calls `f`, which changes `state`. If the run goes on after `f` has thrown, the state is restored.
template <class Frame, class State, class F>
THALWEG_INLINE inline decltype(auto) restoring(State& state, F&& f) {
  if constexpr (can_fail<Frame> && restorable<State>) {
    State before(std::as_const(state));
    try {
      return std::forward<F>(f)();
    } catch (...) {
      state = std::move(before);
      throw;
    }
  } else {
    return std::forward<F>(f)();
  }
}

/// Refuses error policies if a state could not be restored.
template <class State> void check_restorable(stage_info& info) {
  if constexpr (!restorable<State>) {
    info.only_stops = "its state cannot be copied, so it could not be restored after a failed call";
  }
}

}  // namespace THALWEG_NAMESPACE::model
