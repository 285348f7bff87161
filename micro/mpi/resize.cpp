// A farm gets a replica on another rank while items flow, and loses it again. How long does a change take,
// and what does it cost the items on their way?
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "../support/program.hpp"
#include "session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr double interval = 250'000;    // ns between two items
constexpr double work = 100'000;        // ns for each
constexpr nanos between = 100'000'000;  // two changes
constexpr nanos window = 20'000'000;    // around a change

/// An item, and the rank that has worked on it.
struct done_by {
  nanos since = 0;
  std::int32_t rank = 0;
};

struct arrival {
  nanos due, came;
  int rank;
};

/// A change: when it was asked for, and when the call returned.
struct change {
  nanos asked, returned;
};

/// What the phases of the changes took, in microseconds.
struct phases {
  std::vector<double> call, added, removed, quiet, around;
};

double us(nanos time) {
  return static_cast<double>(time) / 1e3;
}

phases phases_of(const std::vector<arrival>& seen, const std::vector<change>& changes) {
  const auto oldest = [&](nanos from) {
    nanos most = 0;
    for (const auto& one : seen)
      if (one.due >= from && one.due < from + window) most = std::max(most, one.came - one.due);
    return us(most);
  };
  phases found;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const auto [asked, returned] = changes[k];
    found.call.push_back(us(returned - asked));
    found.around.push_back(oldest(asked - window / 2));
    found.quiet.push_back(oldest(asked + between / 2 - window / 2));
    // Which rank stays is up to the library: it has the last item before a change to two, or to come after
    // one to one.
    const bool grew = k % 2 == 0;
    int stays = 0;
    for (const auto& one : seen)
      if (one.came < (grew ? asked : asked + between)) stays = one.rank;
    nanos at = 0;
    for (const auto& one : seen) {
      if (one.came < asked || one.came > asked + between || one.rank == stays) continue;
      at = grew && at != 0 ? at : one.came;
    }
    if (grew && at == 0) throw std::runtime_error("no item came by the new replica");
    if (at != 0) (grew ? found.added : found.removed).push_back(us(at - asked));
  }
  return found;
}

phases measure(mpi_session& s, int changes) {
  const auto items = static_cast<std::uint64_t>((changes + 2) * static_cast<double>(between) / interval);
  const even_work each{s.steps(work)};
  std::vector<arrival> seen;
  auto e = tw::launch(tw::source(open_loop(items, interval, pacing::sleep)) |
                          tw::farm(
                              [each, rank = s.all.rank()](const stamped& x) {
                                volatile std::uint64_t kept = each(x.value);
                                (void)kept;
                                return done_by{x.since, rank};
                              },
                              {.replicas = 1, .name = "farm"}) |
                          tw::sink([&](const done_by& x) {
                            seen.push_back({x.since, now(), x.rank});
                          }),
                      tw::mpi(tw::mpi_options{}));
  std::vector<change> made;
  if (s.all.first()) {
    for (int k = 0; k < changes; ++k) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(between));
      const auto asked = now();
      e.set_replicas("farm", k % 2 == 0 ? 2 : 1);
      made.push_back({asked, now()});
    }
  }
  e.wait();
  if (!s.all.first()) return {};
  if (seen.size() != items) throw std::runtime_error("items are missing");
  return phases_of(seen, made);
}

}  // namespace

void run_mpi_resize(mpi_session& s) {
  const int changes = s.quick ? 10 : 20 * ((s.repeats + 1) / 2);
  s.out.progress("mpi_resize", 0, 1, "one replica, and two");
  const auto found = measure(s, changes);
  if (!s.all.first()) return;
  row r;
  r.bench = "mpi_resize";
  r.variant = "one replica, and two";
  r.peer = "thalweg";
  r.unit = "µs";
  r.repeats = changes;
  const std::pair<const char*, const std::vector<double>*> all[] = {
      {"call", &found.call},
      {"until the new rank's first item", &found.added},
      {"until the old rank's last item", &found.removed},
      {"slowest item, quiet", &found.quiet},
      {"slowest item, change", &found.around}};
  for (const auto& [metric, values] : all) {
    if (values->empty()) continue;
    r.metric = metric;
    r.samples = *values;
    s.out.result(r);
  }
}

}  // namespace micro
