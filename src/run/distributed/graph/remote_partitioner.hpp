#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "../../engine/nodes.hpp"
#include "part_placement.hpp"
#include "task_reader.hpp"

/// Stands for the coordinator on a rank that has some of the parts: divides what comes from the coordinator
/// among its parts, and answers with what has come of it.
///
/// State: the parts whose keys this rank expects, with the runs of items that wait for them, and the parts
/// whose keys it gives away.
/// Written by: the node itself, one thread at a time. Any thread puts tasks into the inbox.
/// Invariant: it answers each task once, in the order of the tasks. It gives keys away when it has answered
/// all runs with items for their part, and works on such runs only when the keys are there.
/// Model: docs/protocols/partitions.pml, for the parts of one rank.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

class keyed_farm::remote_partitioner final : public partitioner, public receiver {
 public:
  /// `place`: the number of this rank among those of the farm.
  remote_partitioner(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last,
                     const part_placement& over, std::size_t place);
  ~remote_partitioner() override;

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  [[nodiscard]] std::int64_t deadline() const override { return never; }  // the coordinator tells the time

  void arrived(int from, item_message p) override;
  void ended(int) override {}

 private:
  class waiting_partition;
  struct leaving {
    std::int64_t after;  // runs of items
    task_message::header part;
  };

  void begin(worker& w, task_message task);
  void answer();
  void make_room(std::size_t parts);
  void expect(std::size_t part);
  void take(worker& w, std::size_t part, task_message task);
  void give_up(const task_message::header& part);
  [[nodiscard]] bool may_finish() const { return finishing_ && drained() && expected_.empty(); }
  void finish(worker& w) override;
  void send(task_message task);

  const part_placement& over_;
  task_reader reader_;
  inbox asked_;
  std::map<std::size_t, std::unique_ptr<waiting_partition>>
      expected_;  // parts whose keys are on their way here
  std::deque<leaving> leaving_;
  bool finishing_ = false;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
