// A rank in reserve: what it uses while it waits, and how long it takes from the call that gives it a replica
// until its operator is through with its first item.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../support/program.hpp"
#include "../support/statistics.hpp"
#include "session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr double interval = 100'000;    // ns between two items
constexpr double work = 20'000;         // ns for each
constexpr int reserve = 2;              // the last of three ranks
constexpr double core_below = 2;        // percent
constexpr double awake_within = 2'000;  // microseconds

struct done_by {
  std::int32_t rank = 0;
  nanos at = 0;
};

struct way {
  const char* name;
  tw::mpi_options how;
};

std::vector<way> ways() {
  return {{"shared memory", {.reserve = 1}}, {"messages", {.reserve = 1, .comm = tw::two_sided}}};
}

template <class Source, class Sink>
tw::execution start(mpi_session& s, const way& by, Source source, std::uint32_t steps, Sink sink) {
  const even_work each{steps};
  return tw::launch(tw::source(source) |
                        tw::farm(
                            [each, rank = s.all.rank()](const stamped& x) {
                              volatile std::uint64_t kept = each(x.value);
                              (void)kept;
                              return done_by{rank, now()};
                            },
                            {.replicas = 1, .name = "farm"}) |
                        tw::sink(sink),
                    tw::mpi(by.how));
}

void rest(nanos time) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(time));
}

/// Percent of a core that the rank in reserve uses, while items go by or while there is nothing to do.
double used(mpi_session& s, const way& by, std::uint32_t steps, bool streaming, nanos window) {
  constexpr nanos lead = 300'000'000;  // until all is quiet
  const nanos end = now() + lead + window + lead;
  auto e = start(
      s, by,
      [end, streaming, n = std::uint64_t{0}]() mutable -> std::optional<stamped> {
        sleep_until(streaming ? now() + static_cast<nanos>(interval) : end);
        return now() < end ? std::optional(stamped{++n, now()}) : std::nullopt;
      },
      steps,
      [](const done_by& x) {
        if (x.rank == reserve) throw std::runtime_error("a rank in reserve has worked");
      });
  rest(lead);
  const auto began = now();
  const auto before = processor_time();
  rest(window);
  const auto processor = static_cast<double>(processor_time() - before);
  const auto percent = 100 * processor / static_cast<double>(now() - began);
  e.wait();
  return static_cast<double>(s.all.told(static_cast<std::uint64_t>(percent * 1e6), reserve)) / 1e6;
}

/// Microseconds from each call until the rank in reserve has executed its first item.
std::vector<double> awake(mpi_session& s, const way& by, std::uint32_t steps, int cycles) {
  constexpr nanos at_work = 30'000'000, least_parked = 60'000'000, more_parked = 40'000'000;
  std::atomic<bool> over{false};
  std::atomic<nanos> asked{0}, first{0};
  auto e = start(
      s, by,
      [&, n = std::uint64_t{0}]() mutable -> std::optional<stamped> {
        sleep_until(now() + static_cast<nanos>(interval));
        return over ? std::nullopt : std::optional(stamped{++n, now()});
      },
      steps,
      [&](const done_by& x) {
        if (x.rank == reserve && x.at >= asked.load() && asked.load() != 0) {
          nanos none = 0;
          first.compare_exchange_strong(none, x.at);
        }
      });
  std::vector<double> found;
  if (s.all.first()) {
    std::uniform_int_distribution<nanos> more(0, more_parked);  // not always in the same part of a sleep
    for (int k = 0; k < cycles; ++k) {
      rest(least_parked + more(s.random));
      first.store(0);
      asked.store(now());
      e.set_replicas("farm", 2);
      rest(at_work);
      const auto at = first.load();
      if (at == 0) throw std::runtime_error("the rank in reserve has not worked");
      found.push_back(static_cast<double>(at - asked.exchange(0)) / 1e3);
      e.set_replicas("farm", 1);
    }
    over = true;
  }
  e.wait();
  return found;
}

}  // namespace

void run_mpi_parked(mpi_session& s) {
  const auto steps = s.steps(work);
  const int times = s.quick ? 1 : std::min(5, s.repeats);
  const nanos window = s.quick ? 500'000'000 : 2'000'000'000;
  const int cycles = s.quick ? 10 : 200;
  for (const auto& by : ways()) {
    s.out.progress("mpi_parked", 0, 1, by.name);
    std::vector<double> streaming, idle;
    for (int i = 0; i < times; ++i) {
      streaming.push_back(used(s, by, steps, true, window));
      idle.push_back(used(s, by, steps, false, window));
    }
    const auto times_awake = awake(s, by, steps, cycles);
    if (!s.all.first()) continue;
    row r;
    r.bench = "mpi_parked";
    r.variant = by.name;
    r.peer = "thalweg";
    r.repeats = times;
    r.unit = "% of a core";
    r.limit = bar{core_below, bar_on::value};
    r.metric = "reserve, others stream";
    r.samples = streaming;
    s.out.result(r);
    r.metric = "reserve, all idle";
    r.samples = idle;
    s.out.result(r);
    r.repeats = cycles;
    r.unit = "µs";
    r.limit = bar{awake_within, bar_on::value};
    r.metric = "until its first item";
    r.samples = times_awake;
    s.out.result(r);
    r.metric = "until its first item, p99";
    const double p99 = quantile_of(times_awake, 0.99);
    r.samples = {p99};
    s.out.result(r);
    s.out.progress("mpi_parked", 1, 1, by.name);
  }
}

}  // namespace micro
