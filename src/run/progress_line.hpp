#pragma once

#include <thalweg/observe/report.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace THALWEG_NAMESPACE::run_detail {

/// How far a run is, in some words: `now` is the run so far, `window` what happened lately.
[[nodiscard]] std::string progress_text(const report& now, const report& window);

/// Where `run_options::progress` shows it. One thread at a time. What cannot be written is left out.
class progress_line {
 public:
  /// Shows it on an open file: on one line of a terminal, again and again, or else a line every 10 s.
  progress_line(int file, bool terminal) : file_(file), terminal_(terminal) {}
  /// On standard error; a terminal that knows no control characters (`TERM=dumb`) counts as none.
  progress_line();

  void show(const report& now, const report& window);
  /// The run is over: if anything was shown, the last line stays.
  void end(const report& whole);

 private:
  void write(const std::string& text) const;
  [[nodiscard]] std::size_t columns() const;

  int file_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::nanoseconds last_{0};
};

}  // namespace THALWEG_NAMESPACE::run_detail
