// The same eight maps in composites nested ever deeper: time over depth must have no slope.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <exception>
#include <numeric>

#include "../session.hpp"
#include "../support/statistics.hpp"
#include "chain.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr int maps = 8;

/// The maps from the K-th on, the first `Depth` of them each with a composite around all that follow it.
template <int Depth, int K = 0> auto nested() {
  auto first = tw::map(cheap_map<K>{});
  if constexpr (K + 1 == maps) {
    if constexpr (Depth > 0) {
      return tw::composite("level", first);
    } else {
      return first;
    }
  } else if constexpr (Depth > 0) {
    return tw::composite("level", first | nested<Depth - 1, K + 1>());
  } else {
    return first | nested<0, K + 1>();
  }
}

template <int Depth> contender at_depth(std::uint64_t items) {
  return {"thalweg", "depth " + std::to_string(Depth), true, [=] {
            counter source{0, items};
            checksum sum;
            tw::run(tw::source([&] { return source(); }) | nested<Depth>() |
                    tw::sink([&](std::uint64_t x) { sum(x); }));
            return sum.value();
          }};
}

template <int... Depths>
std::vector<contender> at_depths(std::integer_sequence<int, Depths...>, std::uint64_t items) {
  return {at_depth<Depths>(items)...};
}

/// The slope of the line of least squares through (0, y0), (1, y1), ...
double slope(const std::vector<double>& y) {
  const double n = static_cast<double>(y.size());
  const double mean_x = (n - 1) / 2;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double above = 0;
  double below = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = static_cast<double>(i) - mean_x;
    above += x * (y[i] - mean_y);
    below += x * x;
  }
  return above / below;
}

}  // namespace

void run_nesting(session& s) {
  const std::uint64_t items = s.quick ? 2'000'000 : 8'000'000;
  const auto expected = hand_written_chain(items).run();
  const auto depths = at_depths(std::make_integer_sequence<int, maps + 1>{}, items);
  std::vector<std::vector<double>> times(depths.size());
  std::vector<std::vector<double>> used(depths.size());
  std::vector<double> slopes;
  std::vector<std::size_t> order(depths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const auto& depth : depths) measure_once(depth, expected);
  for (int repeat = 0; repeat < s.repeats; ++repeat) {
    s.out.progress("nesting", repeat, s.repeats, "depths 0 to 8");
    std::shuffle(order.begin(), order.end(), s.random);
    std::vector<double> now(depths.size());
    for (const auto i : order) {
      const auto taken = measure_once(depths[i], expected);
      now[i] = taken.wall / static_cast<double>(items);
      times[i].push_back(now[i]);
      used[i].push_back(taken.processor / taken.wall);
    }
    slopes.push_back(100 * slope(now) / median_of(now));
  }
  s.out.progress("nesting", s.repeats, s.repeats, "depths 0 to 8");
  row out;
  out.bench = "nesting";
  out.peer = "thalweg";
  out.items = items;
  out.repeats = s.repeats;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    out.variant = out.setting = depths[i].setting;
    out.samples = times[i];
    out.parallelism = used[i];
    s.out.result(out);
  }
  out.variant = "slope";
  out.setting = "per level";
  out.metric = "slope";
  out.unit = "%";
  out.samples = slopes;
  out.parallelism.clear();
  out.limit = bar{0.2, bar_on::value};
  s.out.result(out);
}

}  // namespace micro
