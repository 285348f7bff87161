#pragma once

#include <thalweg/thalweg.hpp>

/// Two stages that wait for each other as soon as an edge between them is full: one gives to both branches
/// what the other one reads one after the other.
struct both_ways : thalweg::stage {
  thalweg::in<long> in{this, "in"};
  thalweg::out<long> a{this, "a"}, b{this, "b"};
  void on_item(thalweg::in<long>&, long x) {
    a.send(x);
    b.send(-x);
  }
};

template <class T> struct one_after_the_other : thalweg::stage {
  thalweg::in<T> first{this, "first"}, second{this, "second"};
  thalweg::out<T> out{this, "out"};
  void on_run() override {
    while (first.available()) out.send(first.take());
    if (!first.ended()) return;
    while (second.available()) out.send(second.take());
  }
};
