#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>

namespace THALWEG_NAMESPACE::run_detail {
struct run_state;
}

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class graph_engine;
class thread_group;

/// Threads in place of those that do not come back from a call: of a source that waits for its next item, or
/// of an operator that works for long. A rank of several with few workers would keep the results of all
/// others waiting meanwhile, and their credit. While nodes are ready and no thread is idle, one is added for
/// each source whose calls wait, and one more where no node has been taken for a whole look though something
/// else than a farm's replica is ready. They stay, as such a source goes on waiting, and sleep if there is
/// nothing to do. On one machine a pool does without: what is ready there can only wait for its own process.
class stand_ins {
 public:
  explicit stand_ins(graph_engine& n) : net_(n) {}

  /// The most threads beyond its workers that a rank has.
  [[nodiscard]] static std::size_t most(const run_state& run);
  /// The monitor's thread, every millisecond.
  void look();

 private:
  [[nodiscard]] std::size_t sources_that_wait(const thread_group& home) const;
  [[nodiscard]] bool something_else_waits(const thread_group& home) const;

  graph_engine& net_;
  std::size_t added_ = 0;
  bool called_ = false;      // nodes were ready at the last look, and no thread was idle
  std::uint64_t taken_ = 0;  // nodes that had been taken then
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
