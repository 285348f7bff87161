#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::nexmark {

/// Which events there are, and how late those who wait for them expect them to be.
struct workload {
  std::uint64_t events = 0;
  std::uint64_t seed = 0;
  std::uint64_t rate = 0;   ///< events per second of event time
  std::uint64_t group = 1;  ///< of so many events the order is mixed; 1: it is that of their times
  std::chrono::milliseconds disorder{0};

  friend bool operator==(const workload&, const workload&) = default;
};

/// An input.
struct input {
  std::string_view name;
  workload of;
};

/// All have the rate with which Beam's generator begins, but for those that are to come to several windows
/// with few events, and the one that published figures are of. Groups, of 0.7 s and of 70 ms, do not end
/// where windows do: otherwise nothing would be late there.
inline constexpr std::array inputs = {
    input{"test", {100'000, 1, 1'000, 1, {}}},
    input{"small", {2'000'000, 2, 10'000, 1, {}}},
    input{"medium", {10'000'000, 3, 10'000, 1, {}}},
    input{"large", {50'000'000, 4, 10'000, 1, {}}},
    input{"huge", {300'000'000, 5, 10'000, 1, {}}},
    input{"test_late", {100'000, 1, 1'000, 700, std::chrono::milliseconds(100)}},
    input{"small_late", {2'000'000, 2, 10'000, 700, std::chrono::milliseconds(10)}},
    input{"flink", {100'000'000, 6, 10'000'000, 1, {}}},
};

/// The file of an input: the numbers of a workload, each with its name.
inline constexpr std::string_view workload_file = "events.txt";

/// \throws error  naming the file, if it cannot be read or describes no workload
workload read_workload(const std::filesystem::path& file);
void write_workload(const workload& of, const std::filesystem::path& file);

}  // namespace apps::nexmark
