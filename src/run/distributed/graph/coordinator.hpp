#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../../engine/nodes.hpp"
#include "part_placement.hpp"
#include "task_reader.hpp"

/// A farm one node of which sees all items, although several ranks work on them: its keys are divided up, its
/// items are dealt out, or it lies in a loop. docs/distributed.md says why.
///
/// State: which rank has which part, what is under way to each rank, and what has come back of each run of
/// items. Parts whose keys move from one rank to another count in `moving_`.
/// Written by: the node itself, one thread at a time. Any thread puts answers into the inbox.
/// Invariant: order, time and end of the stream are those of one rank. A rank that gets parts gives none away
/// while keys are on their way, so no rank waits for one that waits for it.
/// Model: docs/protocols/partitions.pml, with the parts on one rank.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

class keyed_farm::coordinator final : public partitioner, public receiver {
 public:
  coordinator(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last);
  ~coordinator() override;

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;

  void arrived(int from, item_message p) override;
  void ended(int) override {}

  /// The ranks, by place.
  [[nodiscard]] const std::vector<std::unique_ptr<partition_worker>>& ranks() const noexcept {
    return ranks_;
  }

 private:
  class remote_rank;

  [[nodiscard]] std::size_t place_of(int rank) const;
  void split(pipe::chunk_base& items, batch& b) override;
  void deal(const pipe::chunk_base& items, batch& b);
  void deal_slices(std::size_t n, std::vector<std::uint8_t>& who);
  void finish(worker& w) override;
  void take_answer(int from, task_message task);
  void end_with_answers(worker& w);
  void send(std::size_t place, task_message task);
  [[nodiscard]] bool has_to_move() const;
  void follow_replicas();
  void move(std::size_t part, std::size_t to);
  void take_keys(std::size_t from, task_message task);
  void count_parts();

  const part_placement& over_;
  part_list parts_;
  std::size_t replicas_;    // that these are for
  int over_ranks_;          // and `part_placement::ranks` then
  std::size_t moving_ = 0;  // parts whose keys have been asked for and have not come
  // By place: how many parts are there, and the first of them; how many numbers they have had, and which are
  // free again.
  std::vector<std::size_t> has_, begins_, numbers_;
  std::vector<std::vector<std::uint8_t>> free_;
  std::vector<std::unique_ptr<partition_worker>> ranks_;
  std::deque<answer_reader> readers_;  // by place
  inbox answers_;
  double bytes_per_item_ = 0;
  std::int64_t dealt_ = 0;
  // With schedule::on_demand: by place, how many items are there, and the part whose turn it is.
  std::vector<std::size_t> busy_, turn_;
  bool finishing_ = false;
  std::size_t ends_came_ = 0;
  std::vector<std::vector<task_message>> said_;  // what end hooks have sent, by stage and place
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
