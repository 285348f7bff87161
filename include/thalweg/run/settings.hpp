/// `settings`: what a run needs to be told where the program runs, from the environment or a file.
#pragma once

#include <thalweg/run/run.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE {

/// The policy of a run, its options, the replicas of its stages, the rates of its sources and the sizes of
/// its batches, as text from outside: so that they can be changed without compiling the program again.
/// Nothing is read unless the program asks for it.
///
/// | key | variable | value |
/// |---|---|---|
/// | `policy` | `THALWEG_POLICY` | what `policy_from` takes, such as `threads:4` |
/// | `replicas` | `THALWEG_REPLICAS` | of farms: `compress=4, parse=2` |
/// | `capacity` | `THALWEG_CAPACITY` | of stages: `compress=100` |
/// | `pin` | `THALWEG_PIN` | processors of stages: `compress=0-3+6, write=7` |
/// | `rate` | `THALWEG_RATE` | of paced sources, as `rate_from` takes it: `read=500; ticks=wave,60,10,100` |
/// | `batch` | `THALWEG_BATCH` | of batches: items, a time, or both: `blocks=64, rows=64+10ms` |
/// | `progress` | `THALWEG_PROGRESS` | `yes` or `no`: `run_options::progress` |
/// | `monitor` | `THALWEG_MONITOR` | a file: `run_options::monitor` |
/// | `every` | `THALWEG_EVERY` | `500us`, `100ms`, `2s`: `run_options::every` |
/// | `trace` | `THALWEG_TRACE` | a file: `run_options::trace` |
///
/// What is wrong is a `thalweg::error` that says where it is written (`run.conf:3`, `THALWEG_REPLICAS`).
/// Whether the stages exist is known when the job runs: `invalid_job` then says the same. A value; copy it
/// freely.
///
/// ```cpp
/// #include <thalweg/run/settings.hpp>
/// ::setenv("THALWEG_REPLICAS", "copy=3", 1);
/// const auto told = tw::settings::from_environment();
/// ::unsetenv("THALWEG_REPLICAS");
/// auto job = tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }, {.name = "copy"}) |
///            tw::sink([](int) {});
/// tw::report r = tw::run(job, told.policy(tw::threads{}), told.options());
/// assert(r.policy() == "threads" && r.stage("copy").replicas() == 3);
/// ```
class settings {
 public:
  settings() = default;

  /// The variables of the table. If `THALWEG_SETTINGS` names a file, that is read first: a variable holds in
  /// place of what the file says. An empty variable counts as none.
  [[nodiscard]] static settings from_environment();
  /// A file with lines `key = value`. Empty lines, and what follows a `#` at the begin of a line or behind a
  /// space, are left out. `replicas`, `capacity`, `pin`, `rate` and `batch` may come several
  /// times.
  [[nodiscard]] static settings from_file(const std::filesystem::path& file);

  /// The policy that is given, or else this one.
  [[nodiscard]] any_policy policy(const any_policy& by_default = {}) const;
  /// These options, with what is given here in their place; settings of stages are added behind those there.
  [[nodiscard]] run_options options(run_options by_default = {}) const;

 private:
  void read_file(const std::filesystem::path& file);
  void take(std::string_view key, std::string_view value, const std::string& where);

  std::optional<any_policy> policy_;
  std::optional<bool> progress_;
  std::optional<std::string> monitor_, trace_;
  std::optional<std::chrono::nanoseconds> every_;
  std::vector<stage_setting> stages_;
};

}  // namespace THALWEG_NAMESPACE
