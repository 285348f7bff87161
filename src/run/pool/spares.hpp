#pragma once

#include <thalweg/pipe/spinlock.hpp>
#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

#include "node.hpp"
#include "tuning.hpp"

namespace thalweg::run_detail::pooled {

/// Emptied chunks, kept for reuse by the stage whose output they hold, so that memory stays flat. Each thread
/// keeps one of each kind at hand: it is still in its caches.
class spares {
 public:
  using at_hand = std::vector<chunk_ptr>;

  explicit spares(const run_state& run) : run_(run), of_stage_(run.stages.size()) {}

  /// An empty chunk for the output of a stage.
  chunk_ptr take(std::size_t stage, at_hand& mine) {
    if (mine.empty()) mine.resize(of_stage_.size());
    if (mine[stage]) return std::move(mine[stage]);
    {
      auto& all = of_stage_[stage];
      const std::lock_guard hold(all.lock);
      if (!all.free.empty()) {
        auto c = std::move(all.free.back());
        all.free.pop_back();
        return c;
      }
    }
    const auto& ref = run_.stages[stage];
    auto c = run_.plan.components[ref.component]->make_chunk(ref.stage);
    c->home = stage;
    return c;
  }

  void give_back(chunk_ptr c, at_hand& mine) {
    if (!c) return;
    c->clear();
    c->paced = false;
    if (mine.empty()) mine.resize(of_stage_.size());
    if (!mine[c->home]) {
      mine[c->home] = std::move(c);
      return;
    }
    auto& all = of_stage_[c->home];
    const std::lock_guard hold(all.lock);
    if (all.free.size() < most_spare_chunks) all.free.push_back(std::move(c));
  }

 private:
  struct shelf {
    pipe::spinlock lock;
    std::vector<chunk_ptr> free;
  };
  const run_state& run_;
  std::vector<shelf> of_stage_;
};

}  // namespace thalweg::run_detail::pooled
