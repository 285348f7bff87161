// Four ways to begin a stream.
//
// A callable that returns an optional is asked for one item after the other. A range gives its items. A
// callable that takes an emitter is called once and sends all its items itself: the way to turn a loop, a
// parser or a recursion inside out. A callable that takes a stop_token learns that the run shall end.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace tw = thalweg;

struct node {
  int value = 0;
  std::unique_ptr<node> left = nullptr;
  std::unique_ptr<node> right = nullptr;
};

std::unique_ptr<node> tree(int from, int to) {
  if (from > to) return nullptr;
  const int middle = (from + to) / 2;
  return std::make_unique<node>(node{middle, tree(from, middle - 1), tree(middle + 1, to)});
}

void walk(const node* n, tw::emitter<int>& out) {
  if (n == nullptr) return;
  walk(n->left.get(), out);
  out.send(n->value);
  walk(n->right.get(), out);
}

int main() {
  const std::vector<int> range{1, 2, 3, 4, 5};
  const auto root = tree(1, 5);
  std::vector<int> seen;

  tw::run(tw::source([n = 0]() mutable { return n < 5 ? std::optional(++n) : std::nullopt; }) |
          tw::sink(seen));
  tw::run(tw::source(range) | tw::sink(seen));
  tw::run(tw::source([&](tw::emitter<int>& out) { walk(root.get(), out); }) | tw::sink(seen));
  tw::run(tw::source([n = 0](std::stop_token stop) mutable -> std::optional<int> {
            if (n == 5 || stop.stop_requested()) return std::nullopt;
            return ++n;
          }) |
          tw::sink(seen));

  for (const int x : seen) std::cout << x << ' ';
  std::cout << '\n';
  std::vector<int> expected;
  for (int i = 0; i < 4; ++i) expected.insert(expected.end(), range.begin(), range.end());
  return seen == expected ? 0 : 1;
}
