#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <mutex>
#include <vector>

#include "apps/support/files.hpp"
#include "spb/detail/recorder.hpp"

namespace spb::detail {

/// A CSV file with a line for each item that has come to the end of its stream: when, counted from the
/// beginning of the measurement, its latency, elements and source. Threads write when they have many, so
/// lines are not in order of time. It is there when it is complete.
class arrival_log {
 public:
  /// Arrivals that a thread gathers.
  static constexpr std::size_t worth_writing = 4096;

  /// Times count from `begin_ns`. \throws apps::error  if the file cannot be written
  arrival_log(const std::filesystem::path& path, std::int64_t begin_ns);

  /// Any thread. An error, of a full disk say, is kept for `close`.
  void write(const std::vector<arrival>& some) noexcept;
  /// Completes the file. \throws apps::error
  void close();

 private:
  std::mutex lock_;
  apps::output_file out_;
  const std::int64_t begin_ns_;
  std::exception_ptr failure_;
};

}  // namespace spb::detail
