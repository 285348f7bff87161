#include <thalweg/observe/energy.hpp>

#include <fstream>
#include <string>
#include <system_error>

namespace THALWEG_NAMESPACE::observe {
namespace {

namespace fs = std::filesystem;

template <class T> std::optional<T> read(const fs::path& file) {
  std::ifstream in(file);
  T value{};
  if (in >> value) return value;
  return std::nullopt;
}

}  // namespace

// Zones of packages are `intel-rapl:0`, `intel-rapl:1`, ..., also on AMD; those below them (`intel-rapl:0:0`)
// are parts of these. `psys` is all of the machine, packages included, and would count them twice.
energy_meter::energy_meter(const fs::path& folder) {
  std::error_code none;
  for (const auto& zone : fs::directory_iterator(folder, none)) {
    const auto name = read<std::string>(zone.path() / "name");
    if (!name || !name->starts_with("package")) continue;
    package one{zone.path() / "energy_uj", 0, 0};
    const auto now = read<std::uint64_t>(one.counter);
    if (!now) continue;
    one.last = *now;
    one.wraps_at = read<std::uint64_t>(zone.path() / "max_energy_range_uj").value_or(0);
    packages_.push_back(one);
  }
  known_ = !packages_.empty();
}

std::optional<double> energy_meter::joules() {
  for (auto& one : packages_) {
    const auto now = read<std::uint64_t>(one.counter);
    known_ = known_ && now && (*now >= one.last || one.wraps_at > 0);
    if (!known_) return std::nullopt;
    microjoules_ += static_cast<double>(*now >= one.last ? *now - one.last : one.wraps_at - one.last + *now);
    one.last = *now;
  }
  if (!known_) return std::nullopt;
  return microjoules_ * 1e-6;
}

}  // namespace THALWEG_NAMESPACE::observe
