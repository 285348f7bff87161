/// The pipeline that TBB had before oneTBB, for programs that include it: filters are objects, and hand over
/// pointers.
#pragma once

#include <cstddef>
#include <vector>

#include "spb/classic_tbb/run.hpp"

namespace tbb {

class filter {
 public:
  enum mode { parallel, serial_in_order, serial_out_of_order, serial = serial_in_order };

  virtual ~filter() = default;
  /// Of the first filter: gives the next item, null at the end. Of the last: its result is not used.
  virtual void* operator()(void* item) = 0;
  bool is_serial() const { return mode_ != parallel; }
  bool is_ordered() const { return mode_ == serial_in_order; }

 protected:
  explicit filter(mode of) : mode_(of) {}
  explicit filter(bool is_serial) : filter(is_serial ? serial : parallel) {}

 private:
  mode mode_;
};

class pipeline {
 public:
  virtual ~pipeline() = default;

  /// It must outlive the run.
  void add_filter(filter& next) {
    namespace classic = spb::classic_tbb;
    const auto when = next.is_ordered()  ? classic::turn::in_order
                      : next.is_serial() ? classic::turn::one_by_one
                                         : classic::turn::any;
    stages_.push_back({when, &next, [](void* of, void* item) { return (*static_cast<filter*>(of))(item); }});
  }
  void run(std::size_t max_number_of_live_tokens) {
    spb::classic_tbb::run(stages_, max_number_of_live_tokens);
  }
  void clear() { stages_.clear(); }

 private:
  std::vector<spb::classic_tbb::stage> stages_;
};

}  // namespace tbb
