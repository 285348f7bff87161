// A run that is only made up, in virtual time, and that does what controllers say: a farm whose source is
// never waited for. At first one replica does 100 items a second; once they do about 1 000 together, it does
// 300. The run ends when they do about 1 000 again.
//
// usage: adapt_simulated address
#include <thalweg/adapt/controlled_by.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

constexpr auto every = 100ms;

// Where MPR's loop lets a goal of 1 000 rest.
bool near_the_goal(int rate) {
  return rate >= 938 && rate <= 1250;
}

tw::adaptation::window begin() {
  tw::adaptation::window seen;
  seen.length = every;
  seen.stages.resize(3);
  seen.stages[0].name = "read";
  seen.stages[0].source = true;
  seen.stages[1].name = "work";
  seen.stages[1].inputs = {0};
  seen.stages[1].most = 48;
  seen.stages[2].name = "write";
  seen.stages[2].inputs = {1};
  seen.stages[2].sink = true;
  return seen;
}

void run(const char* address) {
  const auto plan = tw::controlled_by(address).begin();
  auto seen = begin();
  auto& farm = seen.stages[1];
  for (int each = 100; each <= 300; each += 200) {
    while (!near_the_goal(farm.replicas * each)) {
      ++seen.number;
      seen.at += every;
      farm.items_in = farm.items_out = static_cast<std::uint64_t>(farm.replicas * each / 10);
      for (const auto& one : plan(seen).replicas) {
        farm.replicas = one.replicas;
        std::printf("%d\n", farm.replicas);
        std::fflush(stdout);
      }
      std::this_thread::sleep_for(1ms);  // a window is longer than that, and controllers need time, too
    }
  }
}

}  // namespace

int main(int, char** arguments) {
  try {
    run(arguments[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
