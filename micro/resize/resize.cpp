// Farms are resized while 100 000 items per second flow. What does a change cost the items on their way? The
// slowest of those due within 10 ms of a change, beside the slowest of as long a time between two changes.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "../session.hpp"
#include "../support/program.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr double rate = 100'000;  // items per second
constexpr nanos window = 10'000'000;
constexpr nanos between = 40'000'000;  // two changes
constexpr double limit = 5'000;        // microseconds

/// What one run gave: a value for each change.
struct changes {
  std::vector<double> call, around, quiet;  // microseconds
};

// `line` is a farm called "farm", from stamped items to such.
template <class Line> changes measure(const Line& line, std::uint64_t items) {
  std::vector<std::pair<nanos, nanos>> seen;  // when it was due, how old it was
  seen.reserve(items);
  bool in_order = true;
  auto e = tw::launch(
      tw::source(open_loop(items, 1e9 / rate, pacing::sleep)) | line | tw::sink([&](const stamped& x) {
        in_order = in_order && x.value == seen.size() + 1;
        seen.emplace_back(x.since, now() - x.since);
      }),
      tw::pool{.workers = std::max(4, cores())});
  std::vector<nanos> at;
  changes found;
  std::this_thread::sleep_for(std::chrono::nanoseconds(between));
  for (int k = 0; !e.done(); ++k) {
    at.push_back(now());
    e.set_replicas("farm", k % 2 == 0 ? 4 : 1);
    found.call.push_back(static_cast<double>(now() - at.back()) / 1e3);
    std::this_thread::sleep_for(std::chrono::nanoseconds(between));
  }
  const auto r = e.wait();
  if (seen.size() != items || !in_order) throw std::runtime_error("items are missing or out of order");
  if (r.resizes().size() != at.size()) throw std::runtime_error("the report does not show every change");
  const auto oldest = [&](nanos from) {
    nanos most = 0;
    for (auto i = std::lower_bound(seen.begin(), seen.end(), std::pair(from, nanos{0}));
         i != seen.end() && i->first < from + window; ++i)
      most = std::max(most, i->second);
    return static_cast<double>(most) / 1e3;
  };
  for (const auto when : at) {
    if (when + between > seen.back().first) break;
    found.around.push_back(oldest(when - window / 2));
    found.quiet.push_back(oldest(when + between / 2 - window / 2));
  }
  return found;
}

template <class Line> void show(const char* variant, const Line& line, session& s) {
  const auto items = static_cast<std::uint64_t>(rate * (s.quick ? 1 : 4));
  s.out.progress("resize", 0, 1, variant);
  changes found;
  try {
    found = measure(line, items);
  } catch (const std::exception& e) {
    s.out.wrong("resize", variant, "thalweg", e.what());
    return;
  }
  row out;
  out.bench = "resize";
  out.variant = variant;
  out.peer = "thalweg";
  out.setting = "pool";
  out.unit = "µs";
  out.items = items;
  out.repeats = static_cast<int>(found.around.size());
  out.metric = "call";
  out.samples = found.call;
  s.out.result(out);
  out.metric = "slowest item, quiet";
  out.samples = found.quiet;
  s.out.result(out);
  out.metric = "slowest item, change";
  out.samples = found.around;
  out.limit = bar{limit, bar_on::value};
  s.out.result(out);
  s.out.progress("resize", 1, 1, variant);
}

}  // namespace

void run_resize(session& s) {
  const auto steps = s.work.steps(2'000);
  const auto worked = [steps](stamped x) {
    volatile std::uint64_t kept = even_work{steps}(x.value);
    (void)kept;
    return x;
  };
  show("farm", tw::farm(worked, {.replicas = 1, .name = "farm"}), s);
  // 10 000 keys whose state goes from thread to thread.
  show("keys",
       tw::farm(tw::key_by([](const stamped& x) { return x.value % 10'000; },
                           [worked](std::uint64_t& n, const stamped& x) {
                             ++n;
                             return worked(x);
                           }),
                {.replicas = 1, .name = "farm"}),
       s);
}

}  // namespace micro
