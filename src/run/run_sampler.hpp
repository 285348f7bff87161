#pragma once

#include <thalweg/observe/report.hpp>

#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../observe/run_json.hpp"
#include "progress_line.hpp"
#include "sample_file.hpp"

namespace THALWEG_NAMESPACE {
struct run_options;
}

namespace THALWEG_NAMESPACE::run_detail {

struct run_state;

/// Looks at a run from time to time, with a thread, for `run_options::progress` and `run_options::monitor`.
class run_sampler {
 public:
  /// Opens the file, if there is to be one. \throws std::system_error  if it cannot be written
  explicit run_sampler(run_state& run);
  run_sampler(const run_sampler&) = delete;
  run_sampler& operator=(const run_sampler&) = delete;
  ~run_sampler();

  [[nodiscard]] static bool asked_for(const run_options& options);
  /// What is wrong with these options.
  [[nodiscard]] static std::vector<std::string> problems(const run_options& options);

  /// The run has begun.
  void begin();
  /// Of a run that is done: returns when the last sample has been taken. Thread-safe.
  void end();

 private:
  void live();
  void take(report now);

  run_state& run_;
  std::optional<sample_file> file_;
  std::optional<progress_line> line_;
  std::optional<report> before_;
  observe::run_facts facts_;
  std::string graph_;  // as the file has it
  std::mutex ending_;
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
