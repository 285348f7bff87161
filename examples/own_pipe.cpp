// A custom pipe: urgent items overtake the others.
//
// Two stages are joined by a pipe that keeps the order and is bounded. Where something else is wanted, derive
// from `tw::own_pipe<T>`, which has two functions, and give it to `connect`. One thread pushes while another
// pops, so it needs a lock, or to be lock-free.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <vector>

namespace tw = thalweg;

struct order {
  int number;
  bool urgent;
};

/// First urgent orders, then the others; each kind in its order.
class urgent_first : public tw::own_pipe<order> {
 public:
  bool try_push(order& o) override {
    const std::lock_guard hold(lock_);
    if (urgent_.size() + others_.size() == most) return false;
    (o.urgent ? urgent_ : others_).push_back(o);
    return true;
  }
  std::optional<order> try_pop() override {
    const std::lock_guard hold(lock_);
    auto& from = urgent_.empty() ? others_ : urgent_;
    if (from.empty()) return {};
    const order o = from.front();
    from.pop_front();
    return o;
  }

 private:
  static constexpr std::size_t most = 100;  // that wait at once
  std::mutex lock_;
  std::deque<order> urgent_, others_;
};

int main() {
  constexpr int orders = 10'000;
  std::vector<order> seen;

  tw::graph g;
  auto incoming = g.add(tw::source(std::views::iota(0, orders)) | tw::map([](int i) {
                          return order{i, i % 10 == 9};
                        }));
  auto work = g.add(tw::sink(seen));
  g.connect(incoming.out, work.in,
            {.pipe = tw::made_by<order>([] { return std::make_unique<urgent_first>(); })});
  tw::run(g);

  std::vector<int> urgent, others;
  long overtaken = 0;  // by how many places urgent orders came earlier, all together
  for (std::size_t i = 0; i < seen.size(); ++i) {
    (seen[i].urgent ? urgent : others).push_back(seen[i].number);
    if (seen[i].urgent) overtaken += seen[i].number - static_cast<long>(i);
  }
  std::cout << urgent.size() << " of " << seen.size() << " orders were urgent, and overtook "
            << static_cast<double>(overtaken) / static_cast<double>(urgent.size()) << " others on average\n";

  // How many are overtaken is luck; that none is lost, and that those of a kind keep their order, is not.
  return std::ranges::is_sorted(urgent) && std::ranges::is_sorted(others) && urgent.size() == orders / 10 &&
                 seen.size() == orders
             ? 0
             : 1;
}
