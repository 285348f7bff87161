// Changes of replicas at times that are known before: what does one cost?
#pragma once

#include <thalweg/run/run.hpp>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "../support/clock.hpp"
#include "work.hpp"

namespace micro {

/// From so many seconds after the beginning on, the farm has so many replicas.
struct step {
  double at = 0;
  int replicas = 1;
};

/// From text such as `0.5:2,1:1`. \throws std::invalid_argument  that says what is wrong with it
std::vector<step> steps_from(const std::string& text);

/// Makes these changes while a run goes on, with a thread. What the sink sees tells when the first item was
/// taken by a replica that had rested, or that is new.
class script {
 public:
  explicit script(std::vector<step> steps) : steps_(std::move(steps)) {}

  /// Makes them once the load has begun.
  void begins(thalweg::execution& run, std::string stage);
  void load_begins(nanos at);
  /// The sink got an item. One thread.
  void comes(const worked_item& x);
  /// Returns when it makes no more changes.
  void ends() { thread_ = {}; }

  /// A list with an object for each change that was made: when (s after the load began), to how many, how
  /// long the call took (ms), and how long after it began an additional replica took an item (ms; null: there
  /// was none, or it took nothing). After `ends`.
  [[nodiscard]] nlohmann::json told() const;

 private:
  struct change {
    nanos at, done;
    int replicas;
  };

  [[nodiscard]] nlohmann::json first_item_after(std::size_t number) const;

  std::vector<step> steps_;
  std::vector<change> made_;         // of the thread, until it has ended
  std::vector<worked_item> rested_;  // items whose replica took none for long before
  std::mutex lock_;
  std::condition_variable_any called_;
  nanos beginning_ = 0;  // of the load; 0: not yet
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace micro
