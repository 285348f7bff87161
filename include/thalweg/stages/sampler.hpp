/// `sampler`, `random_sampler`: fewer items, chosen by their number, by time or by chance.
#pragma once

#include <thalweg/pattern/filter.hpp>
#include <thalweg/pipe/moment.hpp>
#include <thalweg/stages/building.hpp>
#include <thalweg/stages/clock.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace stages {

struct each_nth {
  static constexpr auto pattern = "sampler";
  std::int64_t n;
  std::int64_t left = 1;

  void check(model::stage_info& info) const {
    if (n <= 0)
      info.problems.push_back("it passes one of n items, so n must be at least 1, not " + std::to_string(n));
  }
  bool operator()(any_item) {
    if (--left > 0) return false;
    left = n;
    return true;
  }
};

struct one_per_interval {
  static constexpr auto pattern = "sampler";
  std::int64_t interval;
  std::int64_t next = std::numeric_limits<std::int64_t>::min();

  void check(model::stage_info& info) const {
    if (interval < 0) info.problems.emplace_back("its interval is negative");
  }
  bool operator()(any_item) {
    const auto now = now_ns();
    if (now < next) return false;
    next = pipe::later(now, interval);
    return true;
  }
};

struct by_chance {
  static constexpr auto pattern = "random_sampler";
  double probability;
  std::uint64_t state;

  void check(model::stage_info& info) const {
    if (!(probability >= 0 && probability <= 1))
      info.problems.push_back("its probability must be from 0 to 1, not " + std::to_string(probability));
  }
  bool operator()(any_item) {
    constexpr double unit = 0x1p-53;  // the upper 53 bits as a number from 0 to 1
    return static_cast<double>(random() >> 11U) * unit < probability;
  }

 private:
  std::uint64_t random() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
};

}  // namespace stages

/// Passes the first of each `n` items, and drops the others.
///
/// Order: deterministic. It counts all items, so it is serial: in a farm it does not compile. Errors: `n`
/// below 1 is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// std::vector<int> seen;
/// tw::run(tw::source(std::views::iota(0, 8)) | tw::sampler(3) | tw::sink(seen));
/// assert((seen == std::vector{0, 3, 6}));
/// ```
inline auto sampler(std::int64_t n, options opts = {}) {
  return stages::make<model::filter_stage>(stages::each_nth{n}, std::move(opts));
}

/// Passes an item if the one it passed before is at least `interval` ago, and drops the others: at most one
/// per interval. It waits for nothing. It reads the clock for each item, which takes some 20 ns.
///
/// Order: in order; which items pass depends on time (label: multiset). Serial, like the one above. Errors: a
/// negative interval is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// std::vector<int> seen;
/// tw::run(tw::source(std::views::iota(0, 1000)) | tw::sampler(1h) | tw::sink(seen));
/// assert(seen == std::vector{0});
/// ```
inline auto sampler(std::chrono::nanoseconds interval, options opts = {}) {
  return stages::make<model::filter_stage>(stages::one_per_interval{interval.count()}, std::move(opts));
}

/// Passes each item with the given probability, independently of the others. The numbers are those of
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), from
/// `seed`.
///
/// Order: deterministic: the same seed passes the items at the same places, in each run and on each machine.
/// Serial, like `sampler`. Errors: a probability that is not from 0 to 1 is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// std::vector<int> a, b;
/// auto some = tw::source(std::views::iota(0, 1000)) | tw::random_sampler(0.1, 7);
/// tw::run(some | tw::sink(a));
/// tw::run(some | tw::sink(b));
/// assert(a == b && a.size() > 50 && a.size() < 200);
/// ```
inline auto random_sampler(double probability, std::uint64_t seed, options opts = {}) {
  return stages::make<model::filter_stage>(stages::by_chance{probability, seed}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
