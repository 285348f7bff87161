#include "child.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fused/chain.hpp"
#include "clock.hpp"
#include "raw.hpp"

extern char** environ;

namespace micro {
namespace {

constexpr std::size_t frame_bytes = 640'000;
constexpr nanos time_per_frame = 500'000;

contender find(std::vector<contender> settings, const errand& errand) {
  for (auto& s : settings) {
    if (s.peer == errand.peer && (errand.setting.empty() ? s.is_default : s.setting == errand.setting)) {
      return std::move(s);
    }
  }
  throw std::runtime_error("no contender " + errand.peer + " " + errand.setting);
}

template <class Program>
contender contender_of(const registry& peers, const Program& program, const errand& errand) {
  std::vector<contender> all;
  const auto take = [&](const peer& p) {
    for (auto& c : p.contenders(program)) all.push_back(std::move(c));
  };
  take(peers.thalweg());
  take(peers.thalweg_sequential());
  take(peers.thalweg_threads());
  for (const auto& p : peers.peers()) take(*p);
  if constexpr (requires { loop(program); }) all.push_back(loop(program));
  return find(std::move(all), errand);
}

contender contender_for(const errand& errand, const registry& peers) {
  const even_work work{errand.steps};
  if (errand.program == "even") return contender_of(peers, even_farm{errand.items, work}, errand);
  if (errand.program == "sandwich") {
    return contender_of(peers, sandwich_program{errand.items, work, {2}, work}, errand);
  }
  if (errand.program == "chain") {
    return find({hand_written_chain(errand.items), pool_chain(errand.items), sequential_chain(errand.items)},
                errand);
  }
  if (errand.program == "frames") {
    return contender_of(peers, frame_program{errand.items, frame_bytes, time_per_frame}, errand);
  }
  throw std::runtime_error("no program " + errand.program);
}

std::uint64_t peak_memory() {
  // Not getrusage: a child's peak there starts with that of its parent.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes;
  }
  throw std::runtime_error("the system does not tell peak memory");
}

}  // namespace

footprint run_errand(const errand& errand, const registry& peers) {
  const auto who = contender_for(errand, peers);
  const nanos processor = processor_time();
  const nanos start = now();
  who.run();  // The plain loop is not run for comparison: its instructions and its memory would be counted.
  const auto wall = static_cast<double>(now() - start);
  return {peak_memory(), static_cast<double>(processor_time() - processor) / wall};
}

footprint run_apart(const errand& errand) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> words{"/proc/self/exe",
                                 "errand",
                                 errand.program,
                                 errand.peer,
                                 errand.setting,
                                 std::to_string(errand.items),
                                 std::to_string(errand.steps)};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  if (failed == 0) {
    std::array<char, 256> part{};
    for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;) {
      said.append(part.data(), static_cast<std::size_t>(n));
    }
  }
  close(ends[0]);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error("the process of its own failed");
  }
  footprint took;
  if (!(std::istringstream(said) >> took.memory >> took.parallelism)) {
    throw std::runtime_error("the process of its own says nothing");
  }
  return took;
}

}  // namespace micro
