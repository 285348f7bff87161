#pragma once

#include <thalweg/thalweg.hpp>

#include <optional>
#include <string>
#include <vector>

/// Stages that the tests of graphs are made of.
namespace graphs {

namespace tw = thalweg;

struct splitter : tw::stage {
  tw::in<int> numbers{this, "numbers"};
  tw::out<int> even{this, "even"}, odd{this, "odd"};
  void on_item(tw::in<int>&, int x) { (x % 2 == 0 ? even : odd).send(x); }
};

/// Adds the k-th item of one input to the k-th of the other.
struct adder : tw::stage {
  tw::in<int> a{this, "a"}, b{this, "b"};
  tw::out<int> sum{this, "sum"};
  void on_run() override {
    while (a.available() && b.available()) sum.send(a.take() + b.take());
    if (a.ended() || b.ended()) end();
  }
};

/// Two sorted inputs become one.
struct sorter : tw::stage {
  tw::in<int> a{this, "a"}, b{this, "b"};
  tw::out<int> out{this, "out"};
  void on_run() override {
    while (a.ready() && b.ready() && !(a.ended() && b.ended())) {
      const bool first = b.ended() || (!a.ended() && a.front() <= b.front());
      out.send(first ? a.take() : b.take());
    }
  }
};

struct counter : tw::stage {
  tw::out<int> out{this, "out"};
  explicit counter(int m) : most(m) {}
  void on_start() override { n = 0; }
  void on_run() override { n < most ? out.send(n++) : end(); }
  int n = 0;
  const int most;
};

/// Sends back what is even, halved.
struct halver : tw::stage {
  tw::in<int> fresh{this, "fresh"}, back{this, "back"};
  tw::out<int> again{this, "again"}, done{this, "done"};
  void on_item(tw::in<int>&, int x) { x % 2 == 0 && x > 0 ? again.send(x / 2) : done.send(x); }
};

struct collector : tw::stage {
  tw::in<int> in{this, "in"};
  std::vector<int> seen;
  void on_start() override { seen.clear(); }
  void on_item(tw::in<int>&, int x) { seen.push_back(x); }
};

inline auto endless() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++ & 0xffff; });
}

}  // namespace graphs
