#include "watched.hpp"

#include <ctime>
#include <utility>

#include <nlohmann/json.hpp>

namespace micro {

namespace {

namespace adaptation = thalweg::adaptation;

nanos time_of_thread() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * nanos{1'000'000'000} + t.tv_nsec;
}

class watching {
 public:
  watching(adaptation::planner::function by, parts may, std::shared_ptr<loop_time> time)
      : by_(std::move(by)), may_(may), time_(std::move(time)) {}

  adaptation::changes operator()(const adaptation::window& seen) {
    const auto begin = time_of_thread();
    if (asked_) time_->changing += begin - time_->all;
    auto wanted = by_(seen);
    if (!may_.replicas) wanted.replicas.clear();
    if (!may_.batches) wanted.batches.clear();
    asked_ = !wanted.none();
    time_->all = time_of_thread();
    time_->planning += time_->all - begin;
    return wanted;
  }

 private:
  adaptation::planner::function by_;
  parts may_;
  std::shared_ptr<loop_time> time_;
  bool asked_ = false;  // for a change, the last time
};

}  // namespace

nlohmann::json loop_time::told() const {
  const auto seconds = [](nanos length) { return static_cast<double>(length) * 1e-9; };
  return {{"all", seconds(all)}, {"planning", seconds(planning)}, {"changing", seconds(changing)}};
}

adaptation::planner watched(const adaptation::planner& by, parts may, std::shared_ptr<loop_time> time) {
  return {by.name(), [by, may, time = std::move(time)]() -> adaptation::planner::function {
            return watching(by.begin(), may, time);
          }};
}

}  // namespace micro
