#pragma once

#include <thalweg/pipe/chunk.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/run/look.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "look_limit.hpp"

namespace THALWEG_NAMESPACE::run_detail {

/// What one look has seen.
struct sight {
  sight(std::size_t s, std::vector<std::size_t> p, std::size_t n)
      : stage(s), ports(std::move(p)), wanted(n) {}
  const std::size_t stage;               ///< which takes the items
  const std::vector<std::size_t> ports;  ///< by these inputs
  std::atomic<std::size_t> wanted;       ///< so many more
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<seen_item> items;  ///< not yet taken
  bool over = false;             ///< the run is
};

/// All looks into one run. The threads that work on the stream never wait here: what they cannot do at once
/// is left undone, and the item passes unseen. They show items before they work on them, when no other thread
/// has these.
class looks {
 public:
  using clock = std::int64_t (*)() noexcept;

  /// `began_ns`: when the run did, by this clock.
  looks(std::size_t stages, std::int64_t began_ns, clock now);
  looks(const looks&) = delete;
  looks& operator=(const looks&) = delete;
  ~looks();

  // Anybody.

  /// From now on items are seen for it.
  void open(const std::shared_ptr<sight>& what);
  void close(const sight& what) noexcept;
  /// The run is over: this ends all waiting for items.
  void run_over();

  // Threads of the run.

  /// Somebody looks into what this stage takes.
  [[nodiscard]] bool at(std::size_t stage) const noexcept {
    return spots_[stage].open.load(std::memory_order_relaxed) > 0;
  }
  /// Somebody looks somewhere.
  [[nodiscard]] bool anywhere() const noexcept { return open_.load(std::memory_order_relaxed) > 0; }
  /// The stage is about to work on these items.
  void show(std::size_t stage, std::size_t port, const pipe::chunk_base& items) noexcept;
  /// Somebody waits for an item at one of the stages [first, last), which run as one loop: a run of items is
  /// to go through them one by one.
  [[nodiscard]] bool wait_in(std::size_t first, std::size_t last, std::int64_t now) const noexcept;
  /// Such a run has taken this time.
  void ran(std::size_t first, std::size_t last, std::int64_t begin, std::int64_t end) noexcept;

 private:
  // Where looks see items: what a stage takes.
  struct spot {
    std::atomic<int> open{0};                  // looks
    std::atomic<std::int64_t> next_ns{0};      // nothing is shown before
    std::atomic<std::int64_t> next_run_ns{0};  // no run goes stage by stage before
    std::mutex printing;                       // guards the limit; only the run's threads lock it, and try
    look_limit limit;
    std::mutex listing;
    std::vector<std::shared_ptr<sight>> sights;
  };
  void show_at(spot& s, std::size_t port, const pipe::chunk_base& items);
  void forget(spot& s, const sight& what) noexcept;

  const std::int64_t began_ns_;
  const clock now_;
  std::vector<spot> spots_;  // by stage
  std::atomic<int> open_{0};
  std::atomic<bool> over_{false};
};

/// A stage of the run is about to work on these items: looks at it see some of them.
inline void show_items(run_state& run, std::size_t stage, std::size_t port, const pipe::chunk_base& items) {
  if (!run.seen_by->at(stage)) [[likely]]
    return;
  const executing here(run);  // printing is the user's code
  run.seen_by->show(stage, port, items);
}

}  // namespace THALWEG_NAMESPACE::run_detail
