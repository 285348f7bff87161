#include "apps/nexmark/workload.hpp"

#include <string>

#include "apps/nexmark/generator.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/parameters.hpp"

namespace apps::nexmark {
namespace {

constexpr std::uint64_t most_events = 1'000'000'000'000;
constexpr std::uint64_t highest_rate = 1'000'000'000;
constexpr std::uint64_t largest_group = 1'000'000;
constexpr std::uint64_t most_disorder_ms = 86'400'000;
constexpr std::uint64_t longest_s = 100 * 365 * std::uint64_t{86'400};  // so that times fit in nanoseconds

}  // namespace

workload read_workload(const std::filesystem::path& file) {
  parameters of(file);
  workload read;
  read.events = of.whole("events", 1, most_events);
  read.seed = of.whole("seed", 0, most_events);
  read.rate = of.whole("rate", 1, highest_rate);
  read.group = of.whole("group", 1, largest_group);
  read.disorder = std::chrono::milliseconds(of.whole("disorder_ms", 0, most_disorder_ms));
  of.finish();
  if (!can_be_mixed(read.group))
    throw error("'" + file.string() + "' has group " + std::to_string(read.group) +
                ", a multiple of 953: such groups cannot be mixed");
  if (read.events / read.rate > longest_s)
    throw error("'" + file.string() + "' describes more than 100 years of events");
  return read;
}

void write_workload(const workload& of, const std::filesystem::path& file) {
  write_file(file, parameter("events", of.events) + parameter("seed", of.seed) + parameter("rate", of.rate) +
                       parameter("group", of.group) + parameter("disorder_ms", of.disorder.count()));
}

}  // namespace apps::nexmark
