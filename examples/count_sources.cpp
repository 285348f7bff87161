// Several sources, one stream: `tw::merge`.
//
// Three hosts send messages, each at its own pace. `tw::merge` by itself takes whatever is there: nobody
// waits for a slow host, and the messages of each host stay in order, but how the hosts alternate is luck.
// With `tw::in_turn`, or with a comparator (here: by time), the order is the same in every run, at the price
// that the merge waits for each host's next message.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;

struct message {
  std::string host;
  int number;
  int at;
};

/// A host that sends `n` messages, one every `interval`.
auto host(std::string name, int n, int interval) {
  return tw::source([name = std::move(name), n, interval, i = 0]() mutable -> std::optional<message> {
    if (i == n) return {};
    const int number = i++;
    return message{name, number, number * interval};
  });
}

/// Runs the three hosts into one merge. Returns what came out of it.
std::vector<message> collected(tw::merge<message>& merge, tw::graph& g) {
  std::vector<message> seen;
  g.connect(g.add(host("amber", 5'000, 6)).out, merge.input());
  g.connect(g.add(host("birch", 2'000, 15)).out, merge.input());
  g.connect(g.add(host("cedar", 1'000, 30)).out, merge.input());
  g.connect(merge.out, g.add(tw::sink(seen)).in);
  tw::run(g);
  return seen;
}

int main() {
  tw::graph as_they_come, by_time;
  const auto earlier = [](const message& a, const message& b) { return a.at < b.at; };
  const auto first = collected(as_they_come.add<tw::merge<message>>(), as_they_come);
  const auto second = collected(by_time.add<tw::merge<message>>(earlier), by_time);

  std::map<std::string, int> counts;
  bool each_in_order = true;
  for (const auto& m : first) each_in_order = each_in_order && m.number == counts[m.host]++;
  for (const auto& [name, n] : counts) std::cout << name << ": " << n << " messages\n";

  bool in_time = true;
  for (std::size_t i = 1; i < second.size(); ++i) in_time = in_time && second[i - 1].at <= second[i].at;
  std::cout << "by time:";
  for (std::size_t i = 0; i < 8; ++i) std::cout << ' ' << second[i].host << '@' << second[i].at;
  std::cout << '\n';

  const std::map<std::string, int> expected{{"amber", 5'000}, {"birch", 2'000}, {"cedar", 1'000}};
  return counts == expected && each_in_order && in_time && second.size() == 8'000 ? 0 : 1;
}
