// How exactly a paced source keeps its rate: the mean, the distance between two items, how late each is, and
// the processor time that it takes. Nothing but a source and a sink, which notes when each item comes.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../session.hpp"
#include "../support/clock.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr double dense_rate = 100'000;
constexpr double sparse_rate = 900;  // where a core is not to be burnt
constexpr double mean_within = 0.5;  // percent
constexpr double jitter_below = 50;  // microseconds
constexpr double core_below = 20;    // percent

struct kept_rate {
  double mean_off = 0;   // percent of the rate
  double jitter = 0;     // p99 of the distance of intervals from the one asked for, microseconds
  double processor = 0;  // percent of a core
};

// `run(items, note)` calls `note` for each item when it comes.
template <class Run> kept_rate measure(double rate, double seconds, Run&& run) {
  const auto items = static_cast<std::uint64_t>(rate * seconds);
  std::vector<nanos> came;
  came.reserve(items);
  const auto used = processor_time();
  const auto begin = now();
  run(items, [&] { came.push_back(now()); });
  const auto wall = static_cast<double>(now() - begin);
  kept_rate found;
  found.processor = 100 * static_cast<double>(processor_time() - used) / wall;
  const auto took = static_cast<double>(came.back() - came.front()) * 1e-9;
  found.mean_off = 100 * std::abs(static_cast<double>(came.size() - 1) / took / rate - 1);
  std::vector<double> off;
  for (std::size_t i = 1; i < came.size(); ++i)
    off.push_back(std::abs(static_cast<double>(came[i] - came[i - 1]) - 1e9 / rate) / 1e3);
  const auto p99 = off.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(off.size() - 1));
  std::nth_element(off.begin(), p99, off.end());
  found.jitter = *p99;
  return found;
}

template <class Run>
void show(const char* variant, const char* who, const char* setting, double rate, session& s, Run&& run) {
  const bool ours = who == std::string("thalweg");
  const double seconds = s.quick ? 0.5 : 2;
  std::vector<double> mean, jitter, processor;
  for (int i = 0; i < s.repeats; ++i) {
    s.out.progress("rate", i, s.repeats, variant);
    const auto found = measure(rate, seconds, run);
    mean.push_back(found.mean_off);
    jitter.push_back(found.jitter);
    processor.push_back(found.processor);
  }
  row out;
  out.bench = "rate";
  out.variant = variant;
  out.peer = who;
  out.setting = setting;
  out.role = ours ? "default" : "reference";
  out.items = static_cast<std::uint64_t>(rate * seconds);
  out.repeats = s.repeats;
  const auto tell = [&](const char* metric, const char* unit, const std::vector<double>& values, bool judged,
                        double limit) {
    out.metric = metric;
    out.unit = unit;
    out.samples = values;
    out.limit = ours && judged ? std::optional(bar{limit, bar_on::value}) : std::nullopt;
    s.out.result(out);
  };
  const bool dense = rate == dense_rate;
  tell("mean rate off", "%", mean, true, mean_within);
  tell("jitter, p99", "µs", jitter, dense, jitter_below);
  tell("processor", "% of a core", processor, !dense, core_below);
  s.out.progress("rate", s.repeats, s.repeats, variant);
}

void show(const char* variant, double rate, session& s) {
  show(variant, "bare loop", rate == dense_rate ? "spins" : "sleeps", rate, s,
       [rate](std::uint64_t items, auto note) {
         const auto begin = now();
         for (std::uint64_t n = 0; n < items; ++n) {
           const auto due = begin + static_cast<nanos>(static_cast<double>(n) * 1e9 / rate);
           if (rate == dense_rate)
             while (now() < due) {
             }
           else
             wait_until(due, pacing::sleep);
           note();
         }
       });
  show(variant, "thalweg", "pool, tw::paced", rate, s, [rate](std::uint64_t items, auto note) {
    const auto next = [n = std::uint64_t{0}, items]() mutable -> std::optional<std::uint64_t> {
      return n < items ? std::optional(n++) : std::nullopt;
    };
    tw::run(tw::paced(next, rate) | tw::sink([&](std::uint64_t) { note(); }), tw::pool{});
  });
}

}  // namespace

void run_rate(session& s) {
  show("100 000 /s", dense_rate, s);
  show("900 /s", sparse_rate, s);
}

}  // namespace micro
