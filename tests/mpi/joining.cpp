// Processes that join a run while it goes on: one case for each call, which argv[1] names. Those that join
// run the same program with the same arguments. The exit code says how many checks have failed.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>

#include "in_turn.hpp"
#include "refusal.hpp"
#include "starts_processes.hpp"
#include "watched.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

int failures = 0;
int rank = 0;

void check(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
}
#define CHECK(x) check((x), #x)  // NOLINT(cppcoreguidelines-macro-usage): the text is the message

// More replicas than the ranks that are started first have workers, on any machine; few enough that one of
// them alone is slower than the source.
const int many = 4 * static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));

auto endless() {
  return tw::source([n = 0L]() mutable -> std::optional<long> { return n++; }, {.name = "count"});
}

auto stamp(int throws_on = -1, const char* name = "stamp") {
  return tw::farm(
      [throws_on](const long& x) {
        if (rank == throws_on) throw std::runtime_error("thrown on purpose");
        std::this_thread::sleep_for(500us);
        return done_by{x, rank};
      },
      {.replicas = 1, .name = name});
}

// Until one of those that have joined has given something.
struct until_joined {
  std::atomic<bool> seen{false};
  auto mark(int ranks) {
    return tw::map([this, ranks](done_by d) {
      if (d.rank >= ranks) seen.store(true);
      return d;
    });
  }
  [[nodiscard]] bool wait(const tw::execution& e, std::chrono::seconds most = 60s) const {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!seen.load() && !e.done() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(200us);
    return seen.load();
  }
};

bool notes_say(const tw::report& r, std::string_view text) {
  return std::any_of(r.notes().begin(), r.notes().end(),
                     [&](const std::string& n) { return n.find(text) != std::string::npos; });
}

// They come, they work, they have nothing left to do, and work again.
void up_and_down(const tw::mpi& policy) {
  const int first = policy.ranks();
  const int more = policy.options().spawn;
  watched w;
  until_joined joined;
  std::size_t before = 0, up = 0, down = 0, again = 0;
  auto e = tw::launch(endless() | tw::farm([](const long& x) { return x; }, {.replicas = 1, .name = "pass"}) |
                          stamp() | joined.mark(first) | w.sink(),
                      policy);
  if (rank == 0) {
    w.wait_for_more(200);
    before = w.count.load();
    e.set_replicas("stamp", many);
    CHECK(joined.wait(e));
    w.wait_for_more(2'000);
    up = w.count.load();
    w.wait_for_more(1'000);
    e.set_replicas("stamp", 1);
    w.wait_for_more(1'500);  // what was under way is through
    down = w.count.load();
    w.wait_for_more(200);
    again = w.count.load();
    e.set_replicas({{"stamp", many}, {"pass", 8}});
    w.wait_for_more(3'000);
    e.stop();
  }
  const auto r = e.wait();
  CHECK(r.is_root() == (rank == 0));
  if (rank != 0) return;
  CHECK(w.in_order());
  CHECK(!w.seen.empty() && r.items() == w.seen.size());
  CHECK(*w.ranks(0, before).rbegin() < first);
  CHECK(static_cast<int>(w.ranks(up, up + 1'000).size()) == std::max(1, first - 1) + more);
  CHECK(w.ranks(down, down + 200).size() == 1);
  CHECK(*w.ranks(again, w.seen.size()).rbegin() == first + more - 1);
  CHECK(static_cast<int>(r.ranks().size()) == first + more);
  CHECK(r.ranks().front().joined == 0s && r.ranks().back().joined > 0s);
  CHECK(r.notes().empty());
}

// Nothing would move any more unless an edge grew, again and again: those that have joined are asked, too,
// whether they stand still.
void deadlock(const tw::mpi& policy) {
  constexpr long least = 4'000;
  constexpr long most = 200'000;  // some MPIs need seconds to start a process
  long all = 0;
  until_joined joined;
  const tw::connect_options narrow{.capacity = 16};
  tw::let_travel<long>();
  tw::let_travel<done_by>();
  watched w;
  tw::graph g;
  auto& f = g.add<both_ways>();
  auto& m = g.add<one_after_the_other<done_by>>();
  auto a = g.add(stamp());
  auto b = g.add(tw::map([](const long& x) { return done_by{-x, -1}; }));
  const auto count = [&]() -> std::optional<long> {
    if (all == most || (all >= least && joined.seen.load())) return std::nullopt;
    return all++;
  };
  g.connect(g.add(tw::source(count)).out, f.in, narrow);
  g.connect(f.a, a.in, narrow);
  g.connect(f.b, b.in, narrow);
  g.connect(a.out, m.first, narrow);
  g.connect(b.out, m.second, narrow);
  auto marked = g.add(joined.mark(policy.ranks()));
  g.connect(m.out, marked.in, narrow);
  g.connect(marked.out, g.add(w.sink()).in);
  auto e = tw::launch(g, policy);
  if (rank == 0) e.set_replicas("stamp", many);
  const auto r = e.wait();
  if (rank != 0) return;
  CHECK(static_cast<long>(w.seen.size()) == 2 * all);
  bool right = true;
  for (std::size_t i = 0; i < w.seen.size(); ++i) {
    right = right && w.seen[i].number == static_cast<long>(i) % all &&
            (w.seen[i].rank < 0) == (static_cast<long>(i) >= all);
  }
  CHECK(right);
  CHECK(*w.ranks(0, w.seen.size()).rbegin() >= policy.ranks());
}

// The stream ends as soon as they have been asked for: it is what it would have been without them.
void late(const tw::mpi& policy) {
  for (const bool cancels : {false, true}) {
    watched w;
    auto e = tw::launch(endless() | stamp() | w.sink(), policy);
    if (rank == 0) {
      w.wait_for_more(10);
      e.set_replicas("stamp", many);
      std::this_thread::sleep_for(20ms);
      cancels ? e.cancel() : e.stop();
    }
    const auto r = e.wait();
    if (rank != 0) continue;
    CHECK(w.in_order());
    CHECK(static_cast<int>(r.ranks().size()) >= policy.ranks());
    CHECK(!notes_say(r, "another job"));
  }
}

// An exception in a process that has joined comes out of all.
void error(const tw::mpi& policy) {
  const int first = policy.ranks();
  std::string said;
  int where = -1;
  try {
    auto e = tw::launch(endless() | stamp(first) | tw::sink([](done_by) {}), policy);
    if (rank == 0) e.set_replicas("stamp", many);
    e.wait();
  } catch (const tw::stage_error& e) {
    said = e.what();
    where = e.rank();
  }
  if (rank >= first && said.empty()) return;  // it has been started for another run
  CHECK(said.find("thrown on purpose") != std::string::npos);
  CHECK(where == first);
}

void other_graph(const tw::mpi& policy) {
  std::string said;
  try {
    auto e = tw::launch(
        endless() | stamp(-1, rank < policy.ranks() ? "stamp" : "other") | tw::sink([](done_by) {}), policy);
    if (rank == 0) e.set_replicas("stamp", many);
    e.wait();
  } catch (const tw::error& e) {
    said = e.what();
  }
  CHECK(said.find("another job") != std::string::npos);
}

// The program ends in those processes before it gets there.
void never(const tw::mpi& policy) {
  if (rank >= policy.ranks()) return;
  watched w;
  auto e = tw::launch(endless() | stamp() | w.sink(), policy);
  if (rank == 0) {
    e.set_replicas("stamp", many);
    std::this_thread::sleep_for(2s);
    e.stop();
  }
  const auto r = e.wait();
  if (rank == 0) CHECK(w.in_order() && notes_say(r, "without starting this run"));
}

// They begin, and never come to the run.
void stuck(const tw::mpi& policy) {
  if (rank >= policy.ranks()) std::this_thread::sleep_for(1h);
  watched w;
  auto e = tw::launch(endless() | stamp() | w.sink(), policy);
  if (rank == 0) {
    e.set_replicas("stamp", many);
    std::this_thread::sleep_for(200ms);
    e.stop();
  }
  e.wait();
  CHECK(false);
}

// Nothing can be started, for the reason that is given: the run goes on without.
void without(const tw::mpi& policy, std::string_view why) {
  watched w;
  auto e = tw::launch(endless() | stamp() | w.sink(), policy);
  if (rank == 0) {
    e.set_replicas("stamp", many);
    w.wait_for_more(500);
    std::this_thread::sleep_for(200ms);
    w.wait_for_more(500);
    e.stop();
  }
  const auto r = e.wait();
  if (rank != 0) return;
  CHECK(w.in_order());
  CHECK(static_cast<int>(r.ranks().size()) <= policy.ranks());
  CHECK(notes_say(r, why));
}

// What every case comes to where the MPI cannot start any.
void nobody(const tw::mpi& policy) {
  without(policy, "no process has joined (Error in spawn call)");
  if (rank == 0 && failures == 0) std::puts(starts_none);
}

// Runs before and after the one that is joined: they have nothing to do with it, and neither has a second one
// that starts processes of its own.
void several(const tw::mpi& policy) {
  const auto short_run = [&](const tw::mpi& how) {
    long sum = 0;
    const auto r = tw::run(tw::source(std::vector<long>{1, 2, 3}) | tw::farm([](const long& x) {
                             return x;
                           }) | tw::sink([&](long x) { sum += x; }),
                           how);
    CHECK(r.is_root() == (rank == 0));
    CHECK(sum == (rank == 0 ? 6 : 0));
  };
  short_run(tw::mpi());
  error(policy);
  short_run(policy);
  up_and_down(policy);
  short_run(tw::mpi());
}

void refused(const tw::mpi&) {
  const auto with = [](tw::mpi_options how) {
    return refusal([&] { tw::run(endless() | stamp() | tw::sink([](done_by) {}), tw::mpi(std::move(how))); });
  };
  CHECK(with({.spawn = -1}).find(".spawn must be between 0 and") != std::string::npos);
  CHECK(with({.spawn = 100'000}).find(".spawn must be between 0 and") != std::string::npos);
  CHECK(with({.spawn = 1, .comm = tw::one_sided}).find("as messages") != std::string::npos);
  CHECK(with({.place = {{"stamp", {tw::mpi().ranks()}}}, .spawn = 1}).find("come later") !=
        std::string::npos);
}

// The program ends MPI itself, and the execution later.
int outlives(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  const tw::mpi policy({.spawn = 1});
  rank = policy.rank();
  watched w;
  auto e = tw::launch(endless() | stamp() | w.sink(), policy);
  if (rank == 0) {
    w.wait_for_more(10);
    e.stop();
  }
  e.wait();
  MPI_Finalize();
  CHECK(rank != 0 || w.in_order());
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "up_and_down";
  const int more = argc > 2 ? std::atoi(argv[2]) : 1;
  if (name == "outlives") return outlives(argc, argv);
  if (name == "funnelled") {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    std::atexit([] { MPI_Finalize(); });
  }
  const tw::mpi policy(argc, argv,
                       {.local = tw::threads{},
                        .spawn = more,
                        .batch_bytes = 256,
                        .patience = std::chrono::milliseconds(name == "stuck" ? 300 : 3'000)});
  rank = policy.rank();
  const std::map<std::string, std::function<void(const tw::mpi&)>> cases{
      {"up_and_down", up_and_down},
      {"late", late},
      {"deadlock", deadlock},
      {"error", error},
      {"other_graph", other_graph},
      {"never", never},
      {"stuck", stuck},
      {"no_slots", [](const tw::mpi& p) { without(p, "no process has joined"); }},
      {"funnelled", [](const tw::mpi& p) { without(p, "MPI_THREAD_MULTIPLE"); }},
      {"several", several},
      {"refused", refused}};
  const bool needs_others = name != "refused" && name != "funnelled";
  needs_others && !starts_processes() ? nobody(policy) : cases.at(name)(policy);
  return std::min(failures, 100);
}
