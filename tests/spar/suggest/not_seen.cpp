// Functions whose bodies are elsewhere may do anything.
#include <cstdio>

#include "items.hpp"

void run() {
  for (int i = 0;; ++i) {
    image img;
    if (!load(i, img)) break;
    image better = outside(img);
    better.number = i;
    keep(better);
    std::printf("%d\n", better.number);
  }
}

// expect: 7:3: remark: this loop could be a stream: its source and 3 stages
// expect: 7:3: note: the source: the loop up to line 9
// expect: 10:5: note: stage 1: may be replicated, if what is not seen here allows it
// expect: 10:20: note: the body of 'outside' is not in this file: if it changes nothing that other calls use, add spar::Replicate()
// expect: 12:5: note: stage 2: may be replicated, if what is not seen here allows it
// expect: 12:5: note: the body of 'keep' is not in this file: if it changes nothing that other calls use, add spar::Replicate()
// expect: 13:5: note: stage 3: serial
// expect: 13:5: note: 'printf' reads or writes, in the order of the items
// patch: +  [[spar::ToStream]]
// patch: -    image better = outside(img);
// patch: -    better.number = i;
// patch: +    image better;
// patch: +    [[spar::Stage, spar::Input(img, i), spar::Output(better)]] {
// patch: +      better = outside(img);
// patch: +      better.number = i;
// patch: +    }
// patch: +    [[spar::Stage, spar::Input(better)]]
// patch: +    [[spar::Stage, spar::Input(better)]]
