#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spb/detail/schedule.hpp"

namespace spb::detail {

/// What the command line of a benchmark program says.
struct options {
  std::string program;              ///< its file name
  std::string input;                ///< a class, a path, or the address of who plays one
  std::vector<std::string> inputs;  ///< that of each source object; `input` is the first one
  std::string feed;                 ///< to whom the input is played; empty: to nobody
  std::filesystem::path output;
  std::filesystem::path json;
  std::filesystem::path latency_file;
  int nthreads = 1;
  std::uint64_t batch_size = 0;
  std::uint64_t batch_bytes = 0;
  double batch_interval = 0;
  std::optional<rate> frequency;
  when_late late = when_late::catch_up;
  int monitor_ms = 0;  ///< 0: none
  bool in_memory = false;
  bool latency = false;
  bool throughput = false;
  bool memory_usage = false;
  bool verify = false;
  bool quiet = false;
  bool help = false;
  std::vector<std::string> user_args;
  std::vector<std::string_view> given;  ///< the names of all options that there were
};

/// Options have one dash or two. \throws std::invalid_argument  naming the option that is unknown or what is
/// wrong with its value
options parse(int argc, const char* const* argv);

/// A line for each option. `output`: what the program writes, such as `the archive`.
std::string help_text(const std::string& program, const std::string& output);

}  // namespace spb::detail
