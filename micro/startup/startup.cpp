// How long it takes to start a job of very many parts, run one item through it, and stop.
#include <thalweg/thalweg.hpp>

#include <stdexcept>
#include <vector>

#include "../session.hpp"
#include "../support/clock.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

using line = tw::any_pipeline<int, int>;

int add_one(int x) {
  return x + 1;
}

/// Runs; throws unless the item came out as `expected`.
template <class Job>
sample started_and_stopped(const Job& job, const tw::any_policy& policy, const std::vector<int>& seen,
                           int expected) {
  const nanos processor = processor_time();
  const nanos start = now();
  tw::run(job, policy);
  const sample took{static_cast<double>(now() - start), static_cast<double>(processor_time() - processor)};
  if (seen.size() != 1 || seen.front() != expected) throw std::runtime_error("the item came out wrong");
  return took;
}

sample pipeline_of_1000(const tw::any_policy& policy) {
  line stages = tw::map(add_one);
  for (int i = 1; i < 1'000; ++i) stages = std::move(stages) | tw::map(add_one);
  std::vector<int> seen;
  const auto job =
      tw::source(std::vector{1}) | std::move(stages) | tw::sink([&](int x) { seen.push_back(x); });
  return started_and_stopped(job, policy, seen, 1'001);
}

sample farm_of_256(const tw::any_policy& policy) {
  std::vector<int> seen;
  const auto job = tw::source(std::vector{1}) | tw::farm(add_one, {.replicas = 256}) |
                   tw::sink([&](int x) { seen.push_back(x); });
  return started_and_stopped(job, policy, seen, 2);
}

struct big_job {
  const char* name;
  sample (*run)(const tw::any_policy&);
};

constexpr big_job big_jobs[] = {{"1000 stages", pipeline_of_1000}, {"256 replicas", farm_of_256}};

}  // namespace

void run_startup(session& s) {
  for (const auto& job : big_jobs) {
    for (const char* policy : {"pool", "sequential", "threads"}) {
      std::vector<double> times;
      std::vector<double> used;
      try {
        for (int repeat = 0; repeat < s.repeats; ++repeat) {
          s.out.progress("startup", repeat, s.repeats, std::string(job.name) + ", " + policy);
          const auto taken = job.run(tw::policy_from(policy));
          times.push_back(taken.wall / 1e6);
          used.push_back(taken.processor / taken.wall);
        }
      } catch (const std::exception& e) {
        s.out.wrong("startup", job.name, policy, e.what());
        continue;
      }
      row out;
      out.bench = "startup";
      out.variant = job.name;
      out.peer = "thalweg";
      out.setting = policy;
      out.unit = "ms";
      out.samples = times;
      out.parallelism = used;
      out.limit = bar{100, bar_on::value};
      out.items = 1;
      out.repeats = s.repeats;
      s.out.result(out);
    }
  }
  s.out.progress("startup", s.repeats, s.repeats, "done");
}

}  // namespace micro
