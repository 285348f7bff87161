// How long a random graph of 1000 stages takes to start: from run() until its first item arrives at the sink,
// and until all is over.
#include <thalweg/thalweg.hpp>

#include <exception>
#include <stdexcept>

#include "../session.hpp"
#include "../support/clock.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr int stages = 1'000;
constexpr int more_ways = stages / 2;  // connections beside those that each stage needs
constexpr int items = 1'000;
constexpr double limit = 100;  // ms

/// A stage with any number of ways in and out that deals its items out in turn.
struct crossing final : tw::stage {
  std::vector<std::unique_ptr<tw::in<int>>> ins;
  std::vector<std::unique_ptr<tw::out<int>>> outs;
  std::size_t turn = 0;

  tw::in<int>& new_in() {
    return *ins.emplace_back(std::make_unique<tw::in<int>>(this, "in-" + std::to_string(ins.size())));
  }
  tw::out<int>& new_out() {
    return *outs.emplace_back(std::make_unique<tw::out<int>>(this, "out-" + std::to_string(outs.size())));
  }
  void on_item(tw::in<int>&, int x) { outs[turn++ % outs.size()]->send(x); }
};

struct begin_of_all final : tw::stage {
  tw::out<int> out{this, "out"};
  int next = 0;
  void on_run() override {
    if (next < items) {
      out.send(next++);
    } else {
      end();
    }
  }
};

struct end_of_all final : tw::stage {
  std::vector<std::unique_ptr<tw::in<int>>> ins;
  nanos first = 0;
  int count = 0;
  std::int64_t sum = 0;

  tw::in<int>& new_in() {
    return *ins.emplace_back(std::make_unique<tw::in<int>>(this, "in-" + std::to_string(ins.size())));
  }
  void on_item(tw::in<int>&, int x) {
    if (count++ == 0) first = now();
    sum += x;
  }
};

struct start {
  double first = 0;  // ms
  double all = 0;    // ms
  double parallelism = 0;
};

/// Makes a graph without loops in which each stage is reached and reaches the end, and runs it.
start start_of_random_graph(const tw::any_policy& policy, std::mt19937_64& random) {
  tw::graph g;
  auto& begin = g.add<begin_of_all>();
  auto& end = g.add<end_of_all>();
  std::vector<crossing*> made;
  for (int i = 0; i < stages - 2; ++i) {
    auto& s = g.add<crossing>();
    if (i == 0) {
      g.connect(begin.out, s.new_in());
    } else {
      g.connect(made[random() % made.size()]->new_out(), s.new_in());
    }
    made.push_back(&s);
  }
  for (int i = 0; i < more_ways; ++i) {
    const auto from = random() % (made.size() - 1);
    const auto to = from + 1 + random() % (made.size() - 1 - from);
    g.connect(made[from]->new_out(), made[to]->new_in());
  }
  for (auto* s : made) {
    if (s->outs.empty()) g.connect(s->new_out(), end.new_in());
  }
  const nanos processor = processor_time();
  const nanos began = now();
  tw::run(g, policy);
  const nanos over = now();
  if (end.count != items || end.sum != std::int64_t{items} * (items - 1) / 2) {
    throw std::runtime_error("not all items came out");
  }
  const auto wall = static_cast<double>(over - began);
  return {static_cast<double>(end.first - began) / 1e6, wall / 1e6,
          static_cast<double>(processor_time() - processor) / wall};
}

}  // namespace

void run_graph_start(session& s) {
  for (const char* policy : {"pool", "sequential", "threads"}) {
    std::vector<double> first;
    std::vector<double> all;
    std::vector<double> used;
    try {
      start_of_random_graph(tw::policy_from(policy), s.random);  // what is slow only once does not count
      for (int repeat = 0; repeat < s.repeats; ++repeat) {
        s.out.progress("graph_start", repeat, s.repeats, policy);
        const auto taken = start_of_random_graph(tw::policy_from(policy), s.random);
        first.push_back(taken.first);
        all.push_back(taken.all);
        used.push_back(taken.parallelism);
      }
    } catch (const std::exception& e) {
      s.out.wrong("graph_start", "1000 stages", policy, e.what());
      continue;
    }
    row out;
    out.bench = "graph_start";
    out.variant = "1000 stages";
    out.peer = "thalweg";
    out.setting = policy;
    out.unit = "ms";
    out.items = items;
    out.repeats = s.repeats;
    out.parallelism = used;
    if (std::string(policy) == "pool") out.limit = bar{limit, bar_on::value};
    out.metric = "first item";
    out.samples = first;
    s.out.result(out);
    out.metric = "all";
    out.samples = all;
    s.out.result(out);
  }
  s.out.progress("graph_start", s.repeats, s.repeats, "done");
}

}  // namespace micro
