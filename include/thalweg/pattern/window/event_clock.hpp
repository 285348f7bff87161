// How event time advances: by items, and by silence.
#pragma once

#include <thalweg/model/key_part.hpp>
#include <thalweg/pattern/window/spec.hpp>
#include <thalweg/pattern/window/windows.hpp>

#include <algorithm>
#include <cstdint>

namespace THALWEG_NAMESPACE::model {

/// When all windows have ended that hold an item of `time`.
inline std::int64_t end_of_last(const time_windows& w, std::int64_t time) {
  return on_grid(time, w.slide.count()) + w.size.count();
}
inline std::int64_t end_of_last(const session_windows& w, std::int64_t time) {
  return time + w.gap.count();
}

inline bool hears_silence(const event_time_options& o) {
  return o.idle_after.count() > 0;
}

/// An item of `time` comes `now`, which is the processing time, or any value if silence does not count.
/// Returns false, and leaves the clock, if the time is not accepted.
inline bool come_to(stream_clock& clock, const event_time_options& o, std::int64_t time, std::int64_t now) {
  const bool listens = hears_silence(o);
  if (o.max_ahead.count() > 0 && clock.latest != stream_clock::unknown) {
    // Event time advances while nothing comes.
    const auto passed = listens ? std::clamp<std::int64_t>(now - clock.heard, 0, largest_window) : 0;
    if (time > clock.latest + o.max_ahead.count() + passed) return false;
  }
  if (listens) {
    clock.heard = now;
    clock.silent_at = now + o.idle_after.count();
  }
  if (time > clock.latest) {
    clock.latest = time;
    clock.watermark = std::max(clock.watermark, time - o.disorder.count());
  }
  return true;
}

/// Nothing has come for long: all windows that hold an item end.
template <class Spec> void end_windows(stream_clock& clock, const Spec& spec) {
  clock.silent_at = stream_clock::never;
  if (clock.latest != stream_clock::unknown)
    clock.watermark = std::max(clock.watermark, end_of_last(spec, clock.latest));
}

}  // namespace THALWEG_NAMESPACE::model
