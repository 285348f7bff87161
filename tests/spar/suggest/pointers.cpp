// What a pointer points to may belong to other items, too.
#include <memory>
#include <vector>

struct job {
  int value = 0;
};

static int work(int value) {
  for (int i = 0; i < 100; ++i) value = value * 3 + 1;
  return value;
}

void shared(const std::vector<job*>& all) {
  for (int i = 0; i < 10; ++i) {
    job* each = all[static_cast<std::size_t>(i / 2)];
    each->value = work(each->value);
  }
}

void owned(std::vector<std::unique_ptr<job>>& done) {
  for (int i = 0; i < 10; ++i) {
    std::unique_ptr<job> each = std::make_unique<job>();
    each->value = work(i);
    done.push_back(std::move(each));
  }
}

// expect: 15:3: remark: this loop could be a stream: its source and one stage
// expect: 15:3: note: the source: the loop up to line 16
// expect: 17:5: note: stage 1: serial
// expect: 17:5: note: what 'each' refers to is changed here, and other items may have it, too
// expect: 22:3: remark: this loop could be a stream: its source and 2 stages
// expect: 22:3: note: the source: the head of the loop
// expect: 23:5: note: stage 1: can be replicated
// expect: 25:5: note: stage 2: serial
// expect: 25:5: note: 'done' is changed here, and read here for the next item
// patch: +  [[spar::ToStream]]
// patch: +    [[spar::Stage, spar::Input(each)]]
// patch: +  [[spar::ToStream]]
// patch: -    std::unique_ptr<job> each = std::make_unique<job>();
// patch: -    each->value = work(i);
// patch: +    std::unique_ptr<job> each;
// patch: +    [[spar::Stage, spar::Input(i), spar::Output(each), spar::Replicate()]] {
// patch: +      each = std::make_unique<job>();
// patch: +      each->value = work(i);
// patch: +    }
// patch: +    [[spar::Stage, spar::Input(each)]]
