// What a program did, from what it wrote: call trees from a monitoring log.
//
//     log --> parse --> traces --> rebuild --> copies --> calls: how often, how long
//               |       (composite)   |          |
//               v                     v          '--> join <-- requests
//            garbage                failed             |
//           (optional)            (optional)           v
//                                                who waited how long
//
// Each call of a method is a line of the log, written when the call ends, by several threads at once: lines
// of many traces are mixed, and those who were called stand before who called them. Some lines are damaged
// and some are lost. Lines are grouped by trace, in sessions: a trace is over when nothing more has come for
// a while. What cannot be put together goes out of a port of its own; a port that is optional may be left
// alone. In the end trees are joined with what another log, that of the web server, knows of the same traces.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;
using std::chrono::microseconds;

// --- what there is in the logs ---

/// A call. Within its trace calls are numbered as they begin; the depth is how many calls it is inside of.
struct record {
  int trace, number, depth;
  std::string method;
  microseconds begin, end;
};
/// What the web server knows of a trace.
struct request {
  int trace;
  std::string user;
  microseconds at;
};

struct logs {
  std::vector<std::string> lines;
  std::vector<request> requests;
  std::set<int> broken;              // the traces of which something is damaged or lost
  std::map<std::string, int> calls;  // how often each method was called in the others
};

/// Threads that serve requests one after the other, each call of a method being some calls of others.
class shop {
 public:
  static constexpr int threads = 4, requests_of_each = 250;

  logs serve() {
    for (int thread = 0; thread < threads; ++thread) {
      now_ = microseconds(thread * 777);
      for (int i = 0; i < requests_of_each; ++i) serve_one(threads * i + thread);
    }
    std::sort(written_.begin(), written_.end());
    for (auto& [when, line] : written_) logs_.lines.push_back(std::move(line));
    std::sort(logs_.requests.begin(), logs_.requests.end(), [](auto& a, auto& b) { return a.at < b.at; });
    return std::move(logs_);
  }

 private:
  void serve_one(int trace) {
    const bool loses = trace % 37 == 5;
    const bool damages = trace % 41 == 7;
    if (loses || damages) logs_.broken.insert(trace);
    logs_.requests.push_back({trace, trace % 3 == 0 ? "ada" : trace % 3 == 1 ? "bob" : "eve", now_});
    pass(2'000);
    calls_.clear();
    call(trace, 0, "checkout");
    for (const auto& r : calls_) {
      if (loses && r.number == 2) continue;
      std::ostringstream line;
      line << r.trace << ' ' << r.number << ' ' << r.depth << ' ' << r.method << ' ' << r.begin.count();
      if (!(damages && r.number == 1)) line << ' ' << r.end.count();
      // Lines of different threads do not get into the log quite in order.
      written_.emplace_back(r.end + microseconds(random_() % 5'000), line.str());
      if (!loses && !damages) ++logs_.calls[r.method];
    }
    pass(20'000);
  }
  void call(int trace, int depth, const std::string& method) {
    static const std::map<std::string, std::vector<std::string>> inner{
        {"checkout", {"find_cart", "price", "price", "pay"}},
        {"find_cart", {"query"}},
        {"pay", {"query", "mail"}}};
    const auto at = calls_.size();
    calls_.push_back({trace, static_cast<int>(at), depth, method, now_, {}});
    pass(method == "mail" ? 20'000 : 2'000);
    if (const auto called = inner.find(method); called != inner.end()) {
      for (const auto& m : called->second) call(trace, depth + 1, m);
    }
    pass(500);
    calls_[at].end = now_;
  }
  void pass(unsigned most) { now_ += microseconds(1 + random_() % most); }

  std::mt19937 random_{1};
  microseconds now_{0};
  std::vector<record> calls_;
  std::vector<std::pair<microseconds, std::string>> written_;
  logs logs_;
};

// --- from lines to trees ---

struct call {
  std::string method;
  microseconds time;
  std::vector<call> inner;
};
struct trace {
  int id;
  microseconds begin;
  call root;
};

/// Lines become records; those that cannot be read leave by a port of their own.
struct parse : tw::stage {
  tw::in<std::string> lines{this, "lines"};
  tw::out<record> records{this, "records"};
  tw::out<std::string> garbage{this, "garbage", tw::optional_port};

  void on_item(tw::in<std::string>&, std::string line) {
    std::istringstream text(line);
    record r;
    std::int64_t begin = 0, end = 0;
    if (text >> r.trace >> r.number >> r.depth >> r.method >> begin >> end) {
      r.begin = microseconds(begin);
      r.end = microseconds(end);
      records.send(std::move(r));
    } else {
      garbage.send(std::move(line));
    }
  }
};

/// All that is in the log of a trace.
using records_of_trace = tw::keyed<int, tw::windowed<std::vector<record>>>;

auto traces() {
  const auto all = [](std::span<const record> records) {
    return std::vector(records.begin(), records.end());
  };
  return tw::composite(
      "traces", tw::key_by(&record::trace) |
                    tw::window(tw::session(200ms), all, tw::event_time(&record::end, {.disorder = 5ms})));
}

/// Makes a call tree of the records of a trace, if there is one.
struct rebuild : tw::stage {
  tw::in<records_of_trace> records{this, "records"};
  tw::out<trace> trees{this, "trees"};
  tw::out<int> failed{this, "failed", tw::optional_port};

  void on_item(tw::in<records_of_trace>&, records_of_trace of) {
    auto& all = of.value.value;
    std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.number < b.number; });
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int deepest = i == 0 ? 0 : all[i - 1].depth + 1;
      const bool fits =
          all[i].number == static_cast<int>(i) && all[i].depth <= deepest && (all[i].depth == 0) == (i == 0);
      if (!fits) return failed.send(of.key);
    }
    std::size_t next = 0;
    trees.send({of.key, all.front().begin, tree(all, next)});
  }

  static call tree(const std::vector<record>& all, std::size_t& next) {
    const record& r = all[next++];
    call c{r.method, r.end - r.begin, {}};
    while (next < all.size() && all[next].depth > r.depth) c.inner.push_back(tree(all, next));
    return c;
  }
};

// --- what is to be known of them ---

void calls_of(const call& c, tw::emitter<call>& out) {
  out({c.method, c.time, {}});
  for (const auto& i : c.inner) calls_of(i, out);
}

struct statistics {
  int calls = 0;
  microseconds time{0};
};

void print(const call& c, int depth = 0) {
  std::cout << std::string(2 * static_cast<std::size_t>(depth), ' ') << c.method << ' ' << c.time.count()
            << '\n';
  for (const auto& i : c.inner) print(i, depth + 1);
}

struct waited {
  std::string user;
  call what;
};

int main() {
  const logs written = shop().serve();
  std::map<std::string, statistics> methods;
  std::map<std::string, statistics> users;
  std::set<int> failed;
  waited longest{};

  tw::graph g;
  auto& parser = g.add<parse>();
  auto grouped = g.add<record>(traces());
  auto& rebuilder = g.add<rebuild>();
  auto& copies = g.add<tw::tee<trace>>();
  auto& join = g.add<tw::interval_join<request, trace, waited>>(
      &request::trace, &trace::id, &request::at, &trace::begin, 0ms, 10ms,
      [](const request& r, const trace& t) {
        return waited{r.user, t.root};
      },
      tw::interval_join_options{.disorder = 1s});  // traces come by their ends
  auto by_method =
      g.add(tw::flat_map([](const trace& t, tw::emitter<call>& out) { calls_of(t.root, out); }) |
            tw::key_by(&call::method) |
            tw::reduce(statistics{},
                       [](statistics& s, const call& c) {
                         s = {s.calls + 1, s.time + c.time};
                       }) |
            tw::sink([&](const tw::keyed<std::string, statistics>& s) { methods[s.key] = s.value; }));
  auto by_user = g.add(tw::sink([&](const waited& w) {
    auto& s = users[w.user];
    s = {s.calls + 1, s.time + w.what.time};
    if (w.what.time > longest.what.time) longest = w;
  }));

  g.connect(g.add(tw::source(written.lines)).out, parser.lines);
  g.connect(parser.records, grouped.in);
  g.connect(grouped.out, rebuilder.records);
  g.connect(rebuilder.trees, copies.in);
  g.connect(rebuilder.failed, g.add(tw::sink([&](int id) { failed.insert(id); })).in);
  g.connect(copies.branch(), by_method.in);
  g.connect(copies.branch(), join.right);
  g.connect(g.add(tw::source(written.requests)).out, join.left);
  g.connect(join.out, by_user.in);
  tw::run(g);

  const auto table = [](const std::map<std::string, statistics>& of) {
    for (const auto& [name, s] : of)
      std::cout << std::setw(10) << name << std::setw(6) << s.calls << std::setw(8)
                << s.time.count() / s.calls << '\n';
  };
  std::cout << "calls and mean time in us, by method:\n";
  table(methods);
  std::cout << "requests and mean time in us, by user:\n";
  table(users);
  std::cout << failed.size() << " traces could not be put together. " << longest.user << " waited longest:\n";
  print(longest.what);

  int joined = 0;
  for (const auto& [user, s] : users) joined += s.calls;
  bool counted = methods.size() == written.calls.size();
  for (const auto& [method, calls] : written.calls) counted = counted && methods[method].calls == calls;
  constexpr int all = shop::threads * shop::requests_of_each;
  return failed == written.broken && counted && joined == all - static_cast<int>(failed.size()) ? 0 : 1;
}
