// route: which replica of a farm takes which item.
//
// By default the replica that is free takes the next one. With `.schedule = tw::route(f)` a function of the
// item decides; here all items of a key meet in one replica, whose cache (`per_replica`) then has what it
// found out about that key before. `tw::round_robin` takes turns. What comes out is the same each time; but
// dealing items out costs more than taking what is there, so do it only where a cache is worth more.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <ranges>
#include <string>
#include <vector>

namespace tw = thalweg;

std::atomic<int> lookups{0};

/// What is known of a host: asked for once, then remembered.
class resolver {
 public:
  std::size_t operator()(const std::string& host) {
    const auto [known, is_new] = known_.try_emplace(host);
    if (is_new) {
      ++lookups;  // here a name server would be asked
      known->second = host.size();
    }
    return known->second;
  }

 private:
  std::map<std::string, std::size_t> known_;
};

int main() {
  constexpr int hosts = 20;
  const auto host = [](int request) { return "host" + std::to_string(request % hosts); };
  const auto by_host = [](const std::string& name, std::size_t) { return std::hash<std::string>{}(name); };
  std::vector<std::size_t> answers;

  auto job = tw::source(std::views::iota(0, 2'000)) | tw::map(host) |
             tw::farm(tw::per_replica([] { return resolver{}; }),
                      {.replicas = 4, .name = "resolve", .schedule = tw::route(by_host)}) |
             tw::sink(answers);
  tw::run(job);

  std::cout << answers.size() << " answers, " << lookups << " lookups for " << hosts << " hosts\n";
  return answers.size() == 2'000 && answers[9] == 5 && answers[10] == 6 && lookups == hosts ? 0 : 1;
}
