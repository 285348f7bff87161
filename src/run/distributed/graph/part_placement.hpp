#pragma once

#include <thalweg/pipe/spinlock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "../../network/nodes.hpp"
#include "exchange.hpp"
#include "task_message.hpp"

/// Farms one node of which sees all items, although others work on them: where the keys are divided up, where
/// the items are dealt out, and in loops. The coordinator is on one rank; it gives each run of items to the
/// ranks that work on its parts, and puts together what they answer. It has the order, the time and the end
/// of the stream as on one rank. docs/distributed.md tells why.
namespace thalweg::run_detail::network {

inline constexpr std::size_t most_fresh = 32;  ///< ranks whose results may be sent as they come

/// Where each part of such a farm is: by part, at which place, and which of the parts there it is.
struct part_list {
  std::vector<std::uint8_t> place, number;

  void add(std::size_t at, std::size_t as) {
    place.push_back(static_cast<std::uint8_t>(at));
    number.push_back(static_cast<std::uint8_t>(as));
  }
  [[nodiscard]] std::size_t size() const noexcept { return place.size(); }
  [[nodiscard]] std::size_t at(std::size_t which) const;  ///< how many
};

/// On which ranks such a farm has parts, and how many replicas make of it what. All ranks come to the same.
struct part_placement {
  exchange* by = nullptr;
  int rank = 0;                  ///< of the coordinator
  std::vector<place_of> places;  ///< as the job begins
  bool keyed = false;
  bool moves = false;  ///< the keys of a part can go to another rank
  schedule dealing{};
  std::uint32_t asks = 0, answers = 0;  ///< channels
  std::unique_ptr<task_message_wire> how_to_ask, how_to_answer;

  /// With a part for each replica; for each key more, so that they are worth the same.
  part_placement(exchange& others, int coordinator, std::vector<place_of> where,
                 const model::stage_info& info, bool keys_travel);

  /// As the job begins.
  [[nodiscard]] std::size_t replicas() const noexcept;
  [[nodiscard]] part_list parts() const { return parts(static_cast<int>(replicas())); }
  /// With so many replicas. Where items are dealt out by their number the first parts are the same ones with
  /// any: each has a place for good. Keys: how many parts are where; which of them is for the coordinator to
  /// say.
  [[nodiscard]] part_list parts(int replicas) const;
  /// The most that there may ever be at a place.
  [[nodiscard]] std::size_t most_at(std::size_t place) const;
  /// How many of so many replicas work at a place. Keys that cannot move keep one at work there.
  [[nodiscard]] std::size_t replicas_at(std::size_t place, int replicas) const;
  /// The number nearest to that of replicas that there can be.
  [[nodiscard]] int possible(int replicas) const;

 private:
  std::size_t key_parts_ = 0;
};

/// What other ranks have sent, until its node gets there.
class inbox {
 public:
  void put(int from, task_message task);
  /// False: there is none.
  [[nodiscard]] bool take(int& from, task_message& task);
  [[nodiscard]] bool empty() const;

 private:
  struct received {
    int from;
    task_message what;
  };
  mutable pipe::spinlock lock_;
  std::deque<received> waiting_;
};

class keyed_farm::coordinator final : public partitioner, public receiver {
 public:
  coordinator(keyed_farm& f, net& n, std::size_t first, std::size_t last);
  ~coordinator() override;

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;

  void arrived(int from, item_message p) override;
  void ended(int) override {}

  /// What the ranks do, by place.
  [[nodiscard]] const std::vector<std::unique_ptr<partition_worker>>& ranks() const noexcept {
    return ranks_;
  }

 private:
  class remote_rank;

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
  std::size_t replicas_;    // those are for
  std::size_t moving_ = 0;  // parts whose keys have been asked for and have not come
  // By place: how many parts are there, and the first of them; how many numbers they have had, and which are
  // free again.
  std::vector<std::size_t> has_, begins_, numbers_;
  std::vector<std::vector<std::uint8_t>> free_;
  std::vector<std::unique_ptr<partition_worker>> ranks_;
  inbox answers_;
  double bytes_per_item_ = 0;
  std::int64_t dealt_ = 0;
  // Where whoever is free gets the next items: by place, how many items are there, and whose turn it is.
  std::vector<std::size_t> busy_, turn_;
  bool finishing_ = false;
  std::size_t ends_came_ = 0;
  std::vector<std::vector<task_message>> said_;  // what end hooks have sent, by stage and place
};

class keyed_farm::remote_partitioner final : public partitioner, public receiver {
 public:
  remote_partitioner(keyed_farm& f, net& n, std::size_t first, std::size_t last, const part_placement& over);
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
  inbox asked_;
  std::map<std::size_t, std::unique_ptr<waiting_partition>>
      expected_;  // parts whose keys are on their way here
  std::deque<leaving> leaving_;
  bool finishing_ = false;
};

}  // namespace thalweg::run_detail::network
