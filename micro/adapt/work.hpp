// What the farm of a load that changes does with an item, or with a batch of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "../support/clock.hpp"
#include "../support/work.hpp"

namespace micro {

/// Each item that comes out of the farm says when its replica took it, and the one before. Times of the steady
/// clock, which all processes of a machine share.
struct worked_item {
  nanos taken = 0;
  nanos before = 0;  ///< 0: it was the first of this replica
};

/// How long the operator takes. All but `computes` are waiting.
struct costs {
  nanos call = 0;              ///< of each call, however many items it has
  nanos item = 0;              ///< of each item
  nanos locked = 0;            ///< of each item, with the one lock of all replicas
  std::uint32_t computes = 0;  ///< steps of work for each item
};

/// The operator of one replica.
class work {
 public:
  explicit work(const costs& of) : of_(of) {}

  worked_item operator()(worked_item x) {
    take(x);
    burn_and_wait(1);
    return x;
  }
  std::vector<worked_item> operator()(std::vector<worked_item> all) {
    for (auto& x : all) take(x);
    burn_and_wait(all.size());
    return all;
  }

 private:
  void take(worked_item& x) {
    x.before = taken_;
    x.taken = taken_ = now();
  }

  void burn_and_wait(std::size_t items) {
    const auto n = static_cast<nanos>(items);
    if (of_.computes != 0) {
      for (std::size_t i = 0; i < items; ++i) burnt_ = burn(burnt_, of_.computes);
    }
    wait(of_.call + n * of_.item);
    if (of_.locked > 0) {
      static std::mutex lock;
      const std::scoped_lock held(lock);
      wait(n * of_.locked);
    }
  }

  static void wait(nanos length) {
    if (length > 0) sleep_until(now() + length);
  }

  costs of_;
  nanos taken_ = 0;
  std::uint64_t burnt_ = 1;
};

}  // namespace micro
