#pragma once

#include <thalweg/observe/report.hpp>

#include <cstdint>
#include <string>

namespace THALWEG_NAMESPACE::run_detail {

/// One sample as a JSON object on one line: `now` is the run so far, `window` what happened since the last
/// sample, `graph` the stages and what connects them, as JSON, if that is to be said again.
[[nodiscard]] std::string sample_line(const report& now, const report& window, const std::string& graph = {});

/// The file of `run_options::monitor`. One thread at a time.
class sample_file {
 public:
  /// Empties the file. \throws std::system_error  if it cannot be written, or another `sample_file`, also of
  /// another process, has it open
  explicit sample_file(std::string path);
  sample_file(const sample_file&) = delete;
  sample_file& operator=(const sample_file&) = delete;
  ~sample_file();

  /// Adds a line. Returns why it cannot: then the file ends with the line before, and is closed. Empty: it is
  /// written, or the file was closed before.
  [[nodiscard]] std::string add(const std::string& line);

 private:
  std::string path_;
  int file_;
  std::int64_t whole_ = 0;  // bytes up to the last line that is complete
};

}  // namespace THALWEG_NAMESPACE::run_detail
