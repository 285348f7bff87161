// Each round has an element of its own.
#include <vector>

static double slow(double value) {
  for (int i = 0; i < 100; ++i) value = value * 0.5 + 1;
  return value;
}

void run(const std::vector<double>& in, std::vector<double>& out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = slow(in[i]);
  }
}

void by_index(std::vector<double>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    double value = all[i];
    value = slow(value);
    all[i] = value;
  }
}

void in_place(std::vector<double>& all) {
  for (double& each : all) {
    each = slow(each);
  }
}

// expect: 10:3: remark: this loop could be a stream: its source and one stage
// expect: 10:3: note: the source: the head of the loop
// expect: 11:5: note: stage 1: can be replicated
// expect: 16:3: remark: this loop could be a stream: its source and one stage
// expect: 16:3: note: the source: the loop up to line 17
// expect: 18:5: note: stage 1: can be replicated
// expect: 24:3: remark: this loop could be a stream: its source and one stage
// expect: 24:3: note: the source: the head of the loop
// expect: 25:5: note: stage 1: can be replicated
// patch: +  [[spar::ToStream]]
// patch: +    [[spar::Stage, spar::Input(i), spar::Replicate()]]
// patch: +  [[spar::ToStream]]
// patch: -    value = slow(value);
// patch: -    all[i] = value;
// patch: +    [[spar::Stage, spar::Input(value, i), spar::Replicate()]] {
// patch: +      value = slow(value);
// patch: +      all[i] = value;
// patch: +    }
// patch: +  [[spar::ToStream]]
// patch: +    [[spar::Stage, spar::Input(each), spar::Replicate()]]
