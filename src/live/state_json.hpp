#pragma once

#include <thalweg/observe/report.hpp>

#include <string>

namespace THALWEG_NAMESPACE::live {

/// One sample as a JSON object: `now` is the run so far, `window` what happened since the last sample. What
/// was not measured is left out.
[[nodiscard]] std::string sample_json(const report& now, const report& window, bool paused);

}  // namespace THALWEG_NAMESPACE::live
