#pragma once

#include <thalweg/observe/report.hpp>

#include <string>

namespace THALWEG_NAMESPACE::live {

/// The run so far in the text format of Prometheus, version 0.0.4. What was not measured is left out.
[[nodiscard]] std::string metrics_text(const report& now, bool paused);

}  // namespace THALWEG_NAMESPACE::live
