// A planner that may change only some things, and how much processor time the loop takes that asks it.
#pragma once

#include <thalweg/adapt/planner.hpp>

#include <memory>

#include <nlohmann/json_fwd.hpp>

#include "../support/clock.hpp"

namespace micro {

/// What of a planner's changes is made.
struct parts {
  bool replicas = true;
  bool batches = true;
};

/// Processor time of the thread that looks at windows, asks the planner and makes changes: in all, inside of
/// the planner, and from the answers that asked for a change to the next window. That of the last window
/// counts no more.
struct loop_time {
  nanos all = 0;
  nanos planning = 0;
  nanos changing = 0;

  [[nodiscard]] nlohmann::json told() const;
};

/// The same planner under the same name; what it may not change it asks for in vain. One run at a time, whose
/// end comes before `time` is read.
thalweg::adaptation::planner watched(const thalweg::adaptation::planner& by, parts may,
                                     std::shared_ptr<loop_time> time);

}  // namespace micro
