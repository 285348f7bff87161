// Streams in methods, also constant, static and virtual ones, and in constructors and operators.
#include <cstdio>
#include <string>
#include <vector>

class shop {
 public:
  explicit shop(int items) {
    [[spar::ToStream]] for (int i = 0; i < items; i++) {
      int price = 0;
      [[spar::Stage, spar::Input(i), spar::Output(price), spar::Replicate(2)]] { price = priced(i); }
      [[spar::Stage, spar::Input(price)]] { this->prices_.push_back(price); }
    }
  }
  virtual ~shop() = default;

  [[nodiscard]] int total(int discount) const {
    int sum = 0;
    [[spar::ToStream]] for (const int price : prices_) {
      int reduced = 0;
      [[spar::Stage, spar::Input(price), spar::Output(reduced), spar::Replicate(workers_)]] {
        reduced = price - price * discount / 100 + extra();
      }
      [[spar::Stage, spar::Input(reduced), spar::Output(sum)]] { sum += reduced; }
    }
    return sum;
  }

  void raise(int by) {
    [[spar::ToStream]] for (std::size_t i = 0; i < prices_.size(); i++) {
      int raised = prices_[i];
      [[spar::Stage, spar::Input(raised), spar::Output(raised)]] { raised += by; }
      [[spar::Stage, spar::Input(i, raised)]] { prices_[i] = raised; }
    }
  }

  shop& operator+=(int count) {
    [[spar::ToStream]] for (int i = 0; i < count; i++) {
      [[spar::Stage, spar::Input(i)]] prices_.push_back(priced(i) + 1);
    }
    return *this;
  }

 protected:
  [[nodiscard]] virtual int extra() const { return 0; }

 private:
  static int priced(int item) { return (item * 37) % 50 + 1; }
  std::vector<int> prices_;
  int workers_ = 3;
};

class airport_shop : public shop {
  using shop::shop;
  [[nodiscard]] int extra() const override { return 2; }
};

int main() {
  shop first(40);
  std::printf("%d\n", first.total(10));
  first.raise(5);
  first += 3;
  std::printf("%d\n", first.total(0));
  const airport_shop second(40);
  std::printf("%d\n", second.total(10));
  return 0;
}
