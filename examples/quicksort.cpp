// Quicksort with a loop in the graph instead of recursion: ranges go round until they are small.
//
//     whole range --> choose --> finish        small ranges are sorted at once
//                     ^    |
//                     |    v large ranges
//                    partition                 a farm: ranges do not overlap, so many can be split at once
//
// What is on its way round the loop is the stack that a recursive quicksort would have. Nobody says when it
// is over: a loop ends when nothing more comes from outside and nothing is left inside.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <random>
#include <vector>

namespace tw = thalweg;

struct range {
  int* begin;
  int* end;
  [[nodiscard]] std::ptrdiff_t size() const { return end - begin; }
};

/// Sends ranges that are still large round once more.
struct choose : tw::stage {
  tw::in<range> fresh{this, "fresh"}, back{this, "back"};
  tw::out<range> large{this, "large"}, small{this, "small"};

  void on_item(tw::in<range>&, range r) { (r.size() > 1'000 ? large : small).send(r); }
};

/// Splits a range in two around one of its values. What equals that is in its place, and in neither.
void partition(range r, tw::emitter<range>& out) {
  const int pivot = r.begin[r.size() / 2];
  int* const less = std::partition(r.begin, r.end, [=](int x) { return x < pivot; });
  int* const more = std::partition(less, r.end, [=](int x) { return x == pivot; });
  out({r.begin, less});
  out({more, r.end});
}

int main() {
  std::vector<int> numbers(1'000'000);
  std::mt19937 random(1);
  for (int& x : numbers) x = static_cast<int>(random() % 500'000);
  auto expected = numbers;
  std::sort(expected.begin(), expected.end());

  tw::graph g;
  auto& sizes = g.add<choose>();
  auto split = g.add(tw::farm(tw::flat_map(partition), {.unordered = true, .name = "partition"}));
  auto finish = g.add(tw::farm(tw::sink([](range r) { std::sort(r.begin, r.end); }), {.name = "finish"}));
  const range all{numbers.data(), numbers.data() + numbers.size()};

  g.connect(g.add(tw::source(std::vector{all})).out, sizes.fresh);
  g.connect(sizes.large, split.in);
  g.connect(split.out, sizes.back);
  g.connect(sizes.small, finish.in);
  const tw::report report = tw::run(g);

  std::cout << report.stage("partition").items_in() << " ranges were split, "
            << report.stage("finish").items_in()
            << " were small; stages at work at once: " << report.parallelism() << '\n';
  return numbers == expected && report.stage("finish").items_in() == report.stage("partition").items_in() + 1
             ? 0
             : 1;
}
