// Merge sort as a tree of stages that choose what to read.
//
//     sorted block --.
//                     merge --.
//     sorted block --'         |
//                              merge --> all, sorted
//     sorted block --.         |
//                     merge --'
//     sorted block --'
//
// A stage with `on_item` is given items as they come. A stage without it reads its inputs itself, in
// `on_run`: here the input with the smaller head, which can only be said when both have a head, or have
// ended. The input that is not read waits, and so does who sends to it: nothing piles up.
// (`tw::merge<int>(std::less<>{})` is this stage, ready made and for any number of inputs.)
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace tw = thalweg;

/// A source: sorts its block before anything else, then sends it.
struct sorted_block : tw::stage {
  tw::out<int> out{this, "out"};

  explicit sorted_block(std::span<const int> block) : numbers(block.begin(), block.end()) {}
  void on_start() override {
    std::sort(numbers.begin(), numbers.end());
    next = 0;
  }
  void on_run() override {
    if (next == numbers.size()) return end();
    out.send(numbers[next++]);
  }

  std::vector<int> numbers;
  std::size_t next = 0;
};

/// Takes whichever of the next two items is smaller.
struct merge_two : tw::stage {
  tw::in<int> left{this, "left"}, right{this, "right"};
  tw::out<int> out{this, "out"};

  void on_run() override {
    while (left.ready() && right.ready()) {
      if (left.ended() && right.ended()) return;
      const bool from_left = right.ended() || (!left.ended() && left.front() <= right.front());
      out.send((from_left ? left : right).take());
    }
  }
};

/// The output of a tree that sorts these numbers.
tw::out<int>& sorted(tw::graph& g, std::span<const int> numbers, int levels) {
  if (levels == 0) return g.add<sorted_block>(numbers).out;
  const auto half = numbers.size() / 2;
  auto& merge = g.add<merge_two>();
  g.connect(sorted(g, numbers.first(half), levels - 1), merge.left);
  g.connect(sorted(g, numbers.subspan(half), levels - 1), merge.right);
  return merge.out;
}

int main() {
  std::vector<int> numbers(100'000);
  std::mt19937 random(1);
  for (int& x : numbers) x = static_cast<int>(random() % 1'000'000);
  std::vector<int> result;

  tw::graph g;
  g.connect(sorted(g, numbers, 3), g.add(tw::sink(result)).in);
  tw::run(g);

  std::sort(numbers.begin(), numbers.end());
  std::cout << g.size() << " stages sorted " << result.size() << " numbers: " << result.front() << ", "
            << result[1] << ", " << result[2] << " ... " << result.back() << '\n';
  return result == numbers ? 0 : 1;
}
