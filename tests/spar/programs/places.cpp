// Where a stream can stand: in whatever has statements.
#include <cstdio>
#include <vector>

int squares(int count) {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < count; i++) {
    int square = 0;
    [[spar::Stage, spar::Input(i), spar::Output(square), spar::Replicate(2)]] { square = i * i; }
    [[spar::Stage, spar::Input(square), spar::Output(sum)]] { sum += square; }
  }
  return sum;
}

static const int before_main = [] {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 4; i++) {
    [[spar::Stage, spar::Input(i), spar::Output(sum)]] { sum += i; }
  }
  return sum;
}();

int by_default(int number = [] {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 5; i++) {
    [[spar::Stage, spar::Input(i), spar::Output(sum)]] { sum += i; }
  }
  return sum;
}()) {
  return number;
}

class counts {
 public:
  explicit counts(int more)
      : second_([this, more] {
          int sum = first_;
          [[spar::ToStream]] for (int i = 0; i < more; i++) {
            [[spar::Stage, spar::Input(i), spar::Output(sum)]] { sum += i; }
          }
          return sum;
        }()) {
    [[spar::ToStream]] for (int i = 0; i < more; i++) {
      [[spar::Stage, spar::Input(i)]] { built_.push_back(i); }
    }
  }
  ~counts() {
    [[spar::ToStream]] for (const int number : built_) {
      [[spar::Stage, spar::Input(number)]] { std::printf("destroyed %d\n", number); }
    }
  }
  counts& operator+=(int by) {
    [[spar::ToStream]] for (int i = 0; i < by; i++) {
      [[spar::Stage, spar::Input(i), spar::Output(first_)]] { first_ += i; }
    }
    return *this;
  }
  friend int total(const counts& of) {
    int sum = of.first_ + of.second_;
    [[spar::ToStream]] for (const int number : of.built_) {
      [[spar::Stage, spar::Input(number), spar::Output(sum)]] { sum += number; }
    }
    return sum;
  }
  static int tried(int count) try {
    int sum = 0;
    [[spar::ToStream]] for (int i = 0; i < count; i++) {
      [[spar::Stage, spar::Input(i), spar::Output(sum)]] { sum += i; }
    }
    return sum;
  } catch (...) {
    return -1;
  }

 private:
  int first_ = 15;
  int second_;
  std::vector<int> built_;
};

template <class T>
T of_a_variable = [] {
  T sum{};
  [[spar::ToStream]] for (int i = 0; i < 7; i++) {
    [[spar::Stage, spar::Input(i), spar::Output(sum)]] { sum += i; }
  }
  return sum;
}();

int main() {
  std::printf("%d %d %d\n", squares(6), before_main, by_default());
  counts of(3);
  of += 4;
  std::printf("%d %d\n", total(of), counts::tried(5));
  std::printf("%d %.1f\n", of_a_variable<int>, of_a_variable<double>);
  return 0;
}
