// The energy that the machine's processors take, where the machine reports it.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace THALWEG_NAMESPACE::observe {

/// Measures the energy of all processor packages from its construction on, by the RAPL counters that Linux
/// shows (Intel, Software Developer's Manual, volume 3, section 15.10; AMD processors have them too). It is
/// that of the whole machine, other programs included. Virtual machines rarely show the counters, and most
/// kernels show them only to root.
///
/// Thread-confined. A counter starts again from 0 after some 60 kJ (minutes under load): `joules()` must be
/// called more often than that. Sources that vanish meanwhile make it unknown.
///
/// ```cpp
/// #include <thalweg/observe/energy.hpp>
/// tw::observe::energy_meter meter;
/// const auto used = meter.joules();  // none where the machine does not report it
/// assert(!used || *used >= 0);
/// ```
class energy_meter {
 public:
  /// `folder`: where the kernel shows power capping zones.
  explicit energy_meter(const std::filesystem::path& folder = "/sys/class/powercap");

  /// Since the construction; none if no counter can be read.
  std::optional<double> joules();

 private:
  struct package {
    std::filesystem::path counter;  // in microjoules
    std::uint64_t wraps_at = 0;
    std::uint64_t last = 0;
  };
  std::vector<package> packages_;
  double microjoules_ = 0;
  bool known_ = false;
};

}  // namespace THALWEG_NAMESPACE::observe
