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
