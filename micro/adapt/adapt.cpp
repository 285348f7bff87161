// One stream whose load changes: paced source | farm | sink. It runs once, with a fixed number of replicas,
// or adapts itself as THALWEG_ADAPT says. What came of it is printed as one line of JSON. `./thalweg
// adapt-study` runs it, again and again.
#include <thalweg/adapt/planner.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "../support/clock.hpp"
#include "../support/work.hpp"
#include "measured.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

struct options {
  std::string rate = "100";
  double seconds = 10;
  std::string policy = "threads";
  int replicas = 1;
  double wait_us = 0;     // the operator waits
  double compute_us = 0;  // it computes
  double locked_us = 0;   // it waits while it holds the one lock
  double sink_us = 0;     // the sink waits
  double late_ms = 50;
  double grace_s = 1;
  double window_ms = 100;
  std::string monitor;
};

nanos nanos_of(double microseconds) {
  return static_cast<nanos>(microseconds * 1e3);
}

void wait_for(nanos length) {
  if (length > 0) sleep_until(now() + length);
}

std::vector<nanos> due_times(const tw::rate& rate, double seconds) {
  std::vector<nanos> due;
  for (tw::flow::arrivals all(rate); all.next() < seconds; all.advance(all.next()))
    due.push_back(all.next_ns());
  return due;
}

class work {
 public:
  work(const options& o, std::uint32_t steps)
      : wait_(nanos_of(o.wait_us)), locked_(nanos_of(o.locked_us)), steps_(steps) {}

  std::uint64_t operator()(std::uint64_t x) const {
    if (steps_ != 0) x = burn(x, steps_);
    wait_for(wait_);
    if (locked_ > 0) {
      static std::mutex lock;
      const std::scoped_lock held(lock);
      wait_for(locked_);
    }
    return x;
  }

 private:
  nanos wait_, locked_;
  std::uint32_t steps_;
};

void run(const options& o) {
  const auto rate = tw::rate_from(o.rate);
  const auto steps = o.compute_us > 0 ? calibration::measure().steps(o.compute_us * 1e3) : 0;
  const auto due = due_times(rate, o.seconds);
  measured seen(due, o.window_ms / 1e3, o.late_ms / 1e3);
  // It is called for an item when that is due: the first time, that is when the load begins.
  const auto next = [&, sent = std::size_t{0}]() mutable -> std::optional<std::uint64_t> {
    if (sent == due.size()) return std::nullopt;
    if (sent == 0) seen.begins(now() - due[0]);
    return ++sent;
  };
  const auto take = [&, wait = nanos_of(o.sink_us)](std::uint64_t) {
    wait_for(wait);
    seen.comes(now());
  };
  auto job = tw::paced(next, tw::pace(rate), {.name = "load", .spin = false}) |
             tw::farm(work(o, steps), {.replicas = o.replicas, .name = "work"}) |
             tw::sink(take, {.name = "done"});
  const auto used = processor_time();
  auto e = tw::launch(std::move(job), tw::policy_from(o.policy),
                      {.monitor = o.monitor, .every = std::chrono::nanoseconds(nanos_of(o.window_ms * 1e3))});
  const auto most = std::chrono::nanoseconds(nanos_of((o.seconds + o.grace_s) * 1e6));
  if (!e.wait_for(most)) e.cancel();
  const auto report = e.wait();
  seen.ends(now());
  const auto cpu = static_cast<double>(processor_time() - used) * 1e-9;
  std::printf("%s\n", seen.to_json(cpu, std::chrono::duration<double>(report.elapsed()).count()).c_str());
}

}  // namespace
}  // namespace micro

int main(int argc, char** argv) try {
  micro::options o;
  CLI::App app("One stream whose load changes.");
  app.add_option("--rate", o.rate, "Items a second, as tw::rate_from takes it.");
  app.add_option("--seconds", o.seconds, "For how long items are due.")->check(CLI::Range(0.01, 86'400.0));
  app.add_option("--policy", o.policy, "threads, pool, pool:4, ...");
  app.add_option("--replicas", o.replicas, "Of the farm, at the beginning.")->check(CLI::Range(1, 4096));
  const auto time = CLI::Range(0.0, 1e7);
  app.add_option("--wait-us", o.wait_us, "The operator waits.")->check(time);
  app.add_option("--compute-us", o.compute_us, "The operator computes.")->check(time);
  app.add_option("--locked-us", o.locked_us, "The operator waits while it holds a lock.")->check(time);
  app.add_option("--sink-us", o.sink_us, "The sink waits.")->check(time);
  app.add_option("--late-ms", o.late_ms, "An item is late if it comes this long after it was due.")
      ->check(time);
  app.add_option("--grace-s", o.grace_s, "How long it may take for what is not done when all was due.")
      ->check(CLI::Range(0.0, 86'400.0));
  app.add_option("--window-ms", o.window_ms, "Length of what is counted together.")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--monitor", o.monitor, "A file for samples of the stages.");
  bool planners = false;
  app.add_flag("--planners", planners, "Print the names of planners, a line each, and stop.");
  CLI11_PARSE(app, argc, argv);
  if (planners) {
    for (const auto& name : thalweg::adaptation::planner::names()) std::printf("%s\n", name.c_str());
    return 0;
  }
  micro::run(o);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "thalweg_micro_adapt: %s\n", e.what());
  return 2;
}
