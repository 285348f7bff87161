// One stream whose load changes: paced source | farm | sink, with batches in front of the farm if so asked.
// It runs once, with a fixed number of replicas, with changes at times that are known before, or it adapts
// itself. What came of it is printed as one line of JSON. `./thalweg adapt-study` runs it, again and again.
#include <thalweg/adapt/planner.hpp>
#include <thalweg/adapt/text.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "../support/clock.hpp"
#include "../support/work.hpp"
#include "measured.hpp"
#include "processes.hpp"
#include "script.hpp"
#include "watched.hpp"
#include "work.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

struct options {
  std::string rate = "100";
  double seconds = 10;
  std::string policy = "threads";
  int replicas = 1;
  double call_us = 0;     // a call of the operator waits
  double wait_us = 0;     // the operator waits
  double compute_us = 0;  // it computes
  double locked_us = 0;   // it waits while it holds the one lock
  double sink_us = 0;     // the sink waits
  double batch_ms = 0;    // 0: no batches
  double late_ms = 50;
  double grace_s = 1;
  double window_ms = 100;
  std::string monitor;
  std::string adapt;
  std::string may = "both";
  std::string resize;
};

nanos nanos_of(double microseconds) {
  return static_cast<nanos>(microseconds * 1e3);
}

// Steps of work that take so long, by what the first process has measured.
std::uint32_t steps_for(double microseconds, const processes& all) {
  if (microseconds <= 0) return 0;
  return all.told(all.first() ? calibration::measure().steps(microseconds * 1e3) : 0);
}

std::vector<nanos> due_times(const tw::rate& rate, double seconds) {
  std::vector<nanos> due;
  for (tw::flow::arrivals all(rate); all.next() < seconds; all.advance(all.next()))
    due.push_back(all.next_ns());
  return due;
}

/// What the sink does with all that comes.
class taking {
 public:
  taking(measured& seen, script& changes, nanos wait) : seen_(&seen), changes_(&changes), wait_(wait) {}

  void operator()(const worked_item& x) {
    if (wait_ > 0) sleep_until(now() + wait_);
    seen_->comes(now());
    changes_->comes(x);
  }
  void operator()(const std::vector<worked_item>& all) {
    for (const auto& x : all) (*this)(x);
  }

 private:
  measured* seen_;
  script* changes_;
  nanos wait_;
};

void run(const options& o, const processes& all) {
  const auto rate = tw::rate_from(o.rate);
  const costs of{.call = nanos_of(o.call_us),
                 .item = nanos_of(o.wait_us),
                 .locked = nanos_of(o.locked_us),
                 .computes = steps_for(o.compute_us, all)};
  const auto due = due_times(rate, o.seconds);
  measured seen(due, o.window_ms / 1e3, o.late_ms / 1e3);
  script changes(steps_from(o.resize));
  const auto time = std::make_shared<loop_time>();
  tw::run_options how{.monitor = o.monitor, .every = std::chrono::nanoseconds(nanos_of(o.window_ms * 1e3))};
  if (!o.adapt.empty()) {
    how.adapt = tw::adapt_from(o.adapt);
    const parts may{.replicas = o.may == "both" || o.may == "replicas",
                    .batches = o.may == "both" || o.may == "batches"};
    how.adapt->planner = watched(how.adapt->planner, may, time);
  }
  nanos load_began = 0;
  // It is called for an item when that is due: the first time, that is when the load begins.
  const auto next = [&, sent = std::size_t{0}]() mutable -> std::optional<worked_item> {
    if (sent == due.size()) return std::nullopt;
    if (sent == 0) {
      load_began = now() - due[0];
      seen.begins(load_began);
      changes.load_begins(load_began);
    }
    ++sent;
    return worked_item{};
  };
  auto load = tw::paced(next, tw::pace(rate), {.name = "load", .spin = false});
  auto rest = tw::farm(tw::per_replica([of] { return work(of); }), {.replicas = o.replicas, .name = "work"}) |
              tw::sink(taking(seen, changes, nanos_of(o.sink_us)), {.name = "done"});
  const auto follow = [&](auto job) {
    const auto used = processor_time();
    auto e = tw::launch(std::move(job), policy_named(o.policy), how);
    const auto run_began = now() - static_cast<nanos>(e.stats().elapsed().count());
    changes.begins(e, "work");
    const auto most = std::chrono::nanoseconds(nanos_of((o.seconds + o.grace_s) * 1e6));
    if (!e.wait_for(most)) e.cancel();
    const auto report = e.wait();
    changes.ends();
    seen.ends(now());
    const auto cpu = static_cast<double>(all.sum(processor_time() - used)) * 1e-9;
    if (!report.is_root()) return;
    auto told = seen.told(cpu, std::chrono::duration<double>(report.elapsed()).count());
    told["began"] = static_cast<double>(load_began - run_began) * 1e-9;
    told["script"] = changes.told();
    if (how.adapt) told["loop"] = time->told();
    std::printf("%s\n", told.dump().c_str());
  };
  if (o.batch_ms > 0) {
    const std::chrono::nanoseconds interval(nanos_of(o.batch_ms * 1e3));
    follow(std::move(load) | tw::batch({.interval = interval}, {.name = "batch"}) | std::move(rest));
  } else {
    follow(std::move(load) | std::move(rest));
  }
}

}  // namespace
}  // namespace micro

int main(int argc, char** argv) try {
  const micro::processes all(argc, argv);
  micro::options o;
  CLI::App app("One stream whose load changes.");
  app.add_option("--rate", o.rate, "Items a second, as tw::rate_from takes it.");
  app.add_option("--seconds", o.seconds, "For how long items are due.")->check(CLI::Range(0.01, 86'400.0));
  app.add_option("--policy", o.policy, "threads, pool, pool:4, ...; over MPI: mpi.");
  app.add_option("--replicas", o.replicas, "Of the farm, at the beginning.")->check(CLI::Range(1, 4096));
  const auto time = CLI::Range(0.0, 1e7);
  app.add_option("--call-us", o.call_us, "A call of the operator waits.")->check(time);
  app.add_option("--wait-us", o.wait_us, "The operator waits, for each item.")->check(time);
  app.add_option("--compute-us", o.compute_us, "The operator computes.")->check(time);
  app.add_option("--locked-us", o.locked_us, "The operator waits while it holds a lock.")->check(time);
  app.add_option("--sink-us", o.sink_us, "The sink waits.")->check(time);
  app.add_option("--batch-ms", o.batch_ms, "The interval of batches in front of the farm; 0: none.")
      ->check(time);
  app.add_option("--late-ms", o.late_ms, "An item is late if it comes this long after it was due.")
      ->check(time);
  app.add_option("--grace-s", o.grace_s, "How long it may take for what is not done when all was due.")
      ->check(CLI::Range(0.0, 86'400.0));
  app.add_option("--window-ms", o.window_ms, "Length of what is counted together.")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--monitor", o.monitor, "A file for samples of the stages.");
  app.add_option("--adapt", o.adapt, "How it adapts itself, as tw::adapt_from takes it.");
  app.add_option("--may", o.may, "What of the planner's changes is made.")
      ->check(CLI::IsMember({"both", "replicas", "batches", "neither"}));
  app.add_option("--resize", o.resize, "Changes of replicas: 0.5:2,1:1 (seconds and replicas).");
  bool planners = false;
  app.add_flag("--planners", planners, "Print the names of planners, a line each, and stop.");
  CLI11_PARSE(app, argc, argv);
  if (planners) {
    for (const auto& name : thalweg::adaptation::planner::names()) std::printf("%s\n", name.c_str());
    return 0;
  }
  micro::run(o, all);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "thalweg_micro_adapt: %s\n", e.what());
  return 2;
}
