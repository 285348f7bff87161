#pragma once

#include <thalweg/observe/report.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace THALWEG_NAMESPACE::live {

/// What the page shows of a run besides its report.
struct run_facts {
  std::string title;
  bool control = false;            ///< clients that have the token may change the run
  std::int64_t began_unix_ms = 0;  ///< by the wall clock
  std::chrono::nanoseconds every{0};
};

/// The stages and what connects them, as a JSON object.
[[nodiscard]] std::string graph_json(const report& now, const run_facts& facts);

/// One sample as a JSON object: `now` is the run so far, `window` what happened since the last sample. What
/// was not measured is left out.
[[nodiscard]] std::string sample_json(const report& now, const report& window, bool paused);

}  // namespace THALWEG_NAMESPACE::live
