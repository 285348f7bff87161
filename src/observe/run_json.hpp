#pragma once

#include <thalweg/observe/json.hpp>
#include <thalweg/observe/report.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace THALWEG_NAMESPACE::observe {

/// What those who watch a run are told besides its report.
struct run_facts {
  std::string title;
  bool control = false;            ///< clients that have the token may change the run
  std::int64_t began_unix_ms = 0;  ///< by the wall clock
  std::chrono::nanoseconds every{0};
};

/// Those who watch a run are told of so many replicas, parts or ranks of a stage at most.
inline constexpr std::size_t most_shares = 64;

/// When that was by the wall clock.
[[nodiscard]] std::int64_t unix_ms_before(std::chrono::nanoseconds ago);

/// The stages and what connects them, as a JSON object.
[[nodiscard]] std::string graph_json(const report& now, const run_facts& facts);

/// The member `latency_ns`, with its buckets, a quarter of an octave each; nothing if nothing was counted.
void write_latency(json_writer& json, const latency_report& latency);

/// The member `shares`: what each replica, part of the keys or rank has done since the run began; nothing if
/// there are fewer than two, or too many to look at.
void write_shares(json_writer& json, const stage_report& now);

/// The member `bottleneck`.
void write_bottleneck(json_writer& json, const bottleneck_report& limit);

/// The member `ranks`; nothing if the run is on one rank, or nothing is known of the others.
void write_ranks(json_writer& json, const report& now);

/// The member `batch` of a stage that is one; nothing for others.
void write_batch(json_writer& json, const stage_report& stage);

/// What was changed by hand, one member each: `resizes`, `rate_changes` and `batch_changes`.
void write_changes(json_writer& json, const report& r);

/// The member `decisions`: what the run has changed by itself, and why.
void write_decisions(json_writer& json, const report& r);

/// The members of `write_changes`, `decisions`, and `notes`: what has happened in a window of the run `now`.
/// What a decision has reached is known later only, so the last window has those of the whole run.
void write_happenings(json_writer& json, const report& now, const report& window);

}  // namespace THALWEG_NAMESPACE::observe
