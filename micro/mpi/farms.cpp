// Farms over ranks: how fine the work may be, how ranks and threads share it, how much is sent in advance.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../support/cores.hpp"
#include "../support/raw.hpp"
#include "../support/statistics.hpp"
#include "plain.hpp"
#include "session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

template <class Source, class Work>
std::uint64_t farm(Source source, const Work& work, const tw::any_policy& how) {
  tw::let_travel<std::uint64_t>();
  checksum sum;
  tw::run(tw::source(std::move(source)) | tw::farm(work, {.name = "farm"}) |
              tw::sink([&](std::uint64_t x) { sum(x); }),
          how);
  return sum.value();
}

template <class Work>
contender by_thalweg(const ranks& all, std::string setting, const farm_program<Work>& program,
                     const tw::any_policy& how) {
  return on_all(all, "thalweg", std::move(setting), [program, how] {
    return farm(counter{0, program.items}, program.work, how);
  });
}

template <class Work>
contender by_hand(const ranks& all, const farm_program<Work>& program, std::size_t in_a_message) {
  auto how = std::to_string(in_a_message) + (in_a_message == 1 ? " item a message" : " items a message");
  return on_all(all, "plain MPI", std::move(how), [&all, program, in_a_message] {
    return plain_farm(all, program.items, program.work, in_a_message);
  });
}

std::string name_of_time(double nanoseconds) {
  char name[32];
  const double us = nanoseconds / 1e3;
  std::snprintf(name, sizeof name, us < 1'000 ? "%g µs" : "%g ms", us < 1'000 ? us : us / 1e3);
  return name;
}

// The sequential run's time over that of the run, for each core that could take part.
experiment::metric efficiency(int workers) {
  const double cores_used = std::min(workers, cores());
  return {"efficiency", "", [cores_used](const sample&, double ratio) { return 1 / (ratio * cores_used); }};
}

// Several threads of a rank, or several ranks of one.
tw::mpi on(std::vector<int> replicas, int threads) {
  return tw::mpi(
      tw::mpi_options{.local = tw::pool{.workers = threads}, .place = {{"farm", std::move(replicas)}}});
}

constexpr int credits_tried[] = {1, 10, 100};

std::string name_of_credits(int credits) {
  return credits == 0 ? "default" : ".credits = " + std::to_string(credits);
}

tw::mpi with_credits(int credits) {
  return tw::mpi(tw::mpi_options{.credits = credits == 0 ? tw::automatic : credits});
}

// Items with the moment at which they were due, so that their age is known at the end.
void slow_source(mpi_session& s, int credits, std::vector<double>& p50, std::vector<double>& p99) {
  constexpr double interval = 40e3;
  const timed_program<open_loop> program{
      {s.items(interval), interval, pacing::sleep_then_spin}, {even_work{s.steps(10e3)}}, s.items(interval)};
  std::vector<double> ages_us;
  tw::run(
      tw::source([from = program.source]() mutable { return from(); }) | tw::farm(program.work) |
          tw::sink([&](const stamped& x) { ages_us.push_back(static_cast<double>(now() - x.since) / 1e3); }),
      with_credits(credits));
  p50.push_back(quantile_of(ages_us, 0.5));
  p99.push_back(quantile_of(ages_us, 0.99));
}

template <class Work>
void fast_source(mpi_session& s, const std::string& variant, const farm_program<Work>& program) {
  auto e = s.compare("mpi_prefetch", variant, program.items);
  const auto sequential = loop(program);
  const auto expected = s.all.told(s.all.first() ? sequential.run() : 0);
  const auto reference = e.reference(on_first(s.all, sequential), expected);
  e.add(by_hand(s.all, program, 1), expected, reference);
  e.add(by_thalweg(s.all, "default", program, with_credits(0)), expected, reference);
  for (const int credits : credits_tried)
    e.add(by_thalweg(s.all, name_of_credits(credits), program, with_credits(credits)), expected, reference);
  e.run(s.repeats, s.out, s.random);
}

}  // namespace

void run_mpi_grain(mpi_session& s) {
  for (const double time : {1e2, 1e3, 1e4, 1e5, 1e6}) {
    const even_farm program{2 * s.items(time), even_work{s.steps(time)}};
    const auto variant = name_of_time(time);
    auto e = s.compare("mpi_grain", variant, program.items);
    e.also(efficiency(s.all.count() - 1));
    const auto expected = s.all.told(s.all.first() ? loop(program).run() : 0);
    const auto reference = e.reference(on_first(s.all, loop(program)), expected);
    e.add(by_thalweg(s.all, "", program, tw::mpi(tw::mpi_options{})), expected, reference);
    e.add(by_hand(s.all, program, 1), expected, reference);
    if (time < 1e5) e.add(by_hand(s.all, program, 100), expected, reference);
    e.run(s.repeats, s.out, s.random);
  }
}

void run_mpi_hybrid(mpi_session& s) {
  for (const double time : {1e4, 1e5}) {
    const even_farm program{2 * s.items(time), even_work{s.steps(time)}};
    auto e = s.compare("mpi_hybrid", name_of_time(time), program.items);
    const auto expected = s.all.told(s.all.first() ? loop(program).run() : 0);
    const auto reference = e.reference(on_first(s.all, loop(program)), expected);
    e.add(by_thalweg(s.all, "2 ranks of 2 threads", program, on({0, 0, 1, 1}, 2)), expected, reference);
    e.add(by_thalweg(s.all, "4 ranks of 1 thread", program, on({0, 1, 2, 3}, 1)), expected, reference);
    e.add(by_thalweg(s.all, "source and sink alone, 3 ranks of 1 thread", program, on({1, 2, 3}, 1)),
          expected, reference);
    e.add(by_hand(s.all, program, 1), expected, reference);
    e.run(s.repeats, s.out, s.random);
  }
}

void run_mpi_single(mpi_session& s) {
  for (const double time : {87.0, 9'800.0}) {
    const even_farm program{static_cast<std::uint64_t>(cores()) * s.items(time), even_work{s.steps(time)}};
    auto e = s.compare("mpi_single", time < 1e3 ? "87 ns" : "9.8 µs", program.items);
    const auto expected = loop(program).run();
    const auto local = e.reference(by_thalweg(s.all, "pool", program, tw::pool{}), expected);
    e.add(by_thalweg(s.all, "mpi", program, tw::mpi(tw::mpi_options{})), expected, local, 1.05);
    e.run(s.repeats, s.out, s.random);
  }
}

void run_mpi_prefetch(mpi_session& s) {
  constexpr double time = 10e3;
  const auto steps = s.steps(time);
  fast_source(s, "even work", even_farm{2 * s.items(time), even_work{steps}});
  const uneven_work uneven{std::max(1U, steps / 100)};
  const auto mean = time * uneven.mean_steps() / steps;
  fast_source(s, "uneven work", uneven_farm{2 * s.items(mean), uneven});
}

void run_mpi_slow_source(mpi_session& s) {
  const std::string variant = "10 µs of work, 25 000 items/s";
  std::vector<int> tried{0};
  tried.insert(tried.end(), std::begin(credits_tried), std::end(credits_tried));
  std::vector<std::vector<double>> p50(tried.size()), p99(tried.size());
  for (int repeat = 0; repeat < s.repeats; ++repeat) {
    s.out.progress("mpi_slow_source", repeat, s.repeats, variant);
    for (std::size_t i = 0; i < tried.size(); ++i) slow_source(s, tried[i], p50[i], p99[i]);
  }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    row r;
    r.bench = "mpi_slow_source";
    r.variant = variant;
    r.peer = "thalweg";
    r.setting = name_of_credits(tried[i]);
    r.unit = "µs";
    r.repeats = s.repeats;
    r.items = s.items(40e3);
    r.metric = "p50";
    r.samples = p50[i];
    s.out.result(r);
    r.metric = "p99";
    r.samples = p99[i];
    s.out.result(r);
  }
}

}  // namespace micro
