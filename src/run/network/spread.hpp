#pragma once

#include <thalweg/pipe/spinlock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "errand.hpp"
#include "exchange.hpp"
#include "nodes.hpp"

/// Farms one node of which sees all items, although others work on them: where the keys are divided up, where
/// the items are dealt out, and in loops. The hub is on one rank; it gives each run of items to the ranks
/// that work on its parts, and puts together what they answer. It has the order, the time and the end of the
/// stream as on one rank. docs/distributed.md tells why.
namespace thalweg::run_detail::network {

inline constexpr std::size_t most_fresh = 32;  ///< ranks whose results may be sent as they come

/// Where the parts of such a farm are.
struct spread {
  exchange* by = nullptr;
  int rank = 0;  ///< of the hub
  std::vector<place_of> places;
  std::vector<std::size_t> first_part;        ///< by place, and how many there are in all
  std::vector<std::uint8_t> place_of_part{};  ///< by part
  bool keyed = false;
  schedule dealing{};
  std::uint32_t asks = 0, answers = 0;  ///< channels
  std::unique_ptr<errand_wire> how_to_ask, how_to_answer;

  /// With a part for each replica; for each key more, so that they are worth the same.
  spread(exchange& e, int hub, std::vector<place_of> where, const model::stage_info& info);

  [[nodiscard]] std::size_t replicas() const noexcept;
  /// The number nearest to that of parts that can be worked on at once: they stay where they are, so it is at
  /// least one on each rank that has some, and at most all of them.
  [[nodiscard]] int possible(int replicas) const;
  [[nodiscard]] std::size_t parts() const noexcept { return place_of_part.size(); }
  [[nodiscard]] std::size_t parts_at(std::size_t place) const {
    return first_part[place + 1] - first_part[place];
  }
};

/// What other ranks have sent, until its node gets there.
class inbox {
 public:
  void put(int from, errand e);
  /// False: there is none.
  [[nodiscard]] bool take(int& from, errand& e);
  [[nodiscard]] bool empty() const;

 private:
  struct letter {
    int from;
    errand what;
  };
  mutable pipe::spinlock lock_;
  std::deque<letter> waiting_;
};

class keyed_farm::hub final : public divider, public receiver {
 public:
  hub(keyed_farm& f, net& n, std::size_t first, std::size_t last);
  ~hub() override;

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;

  void arrived(int from, parcel p) override;
  void ended(int) override {}

  /// What the ranks do, by place.
  [[nodiscard]] const std::vector<std::unique_ptr<share>>& ranks() const noexcept { return ranks_; }

 private:
  class there;

  void split(pipe::chunk_base& items, batch& b) override;
  void deal(const pipe::chunk_base& items, batch& b);
  void deal_slices(std::size_t n, std::vector<std::uint8_t>& who);
  void finish(worker& w) override;
  void take_answer(int from, errand e);
  void end_with_answers(worker& w);
  void send(std::size_t place, errand e);

  const spread& over_;
  std::vector<std::unique_ptr<share>> ranks_;
  inbox answers_;
  double bytes_per_item_ = 0;
  std::int64_t dealt_ = 0;
  // Where whoever is free gets the next items: by place, how many items are there, and whose turn it is.
  std::vector<std::size_t> busy_, turn_;
  bool finishing_ = false;
  std::size_t ends_came_ = 0;
  std::vector<std::vector<errand>> said_;  // what end hooks have sent, by stage and place
};

class keyed_farm::branch final : public divider, public receiver {
 public:
  branch(keyed_farm& f, net& n, std::size_t first, std::size_t last, const spread& over);

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  [[nodiscard]] std::int64_t deadline() const override { return never; }  // the hub tells the time

  void arrived(int from, parcel p) override;
  void ended(int) override {}

 private:
  void begin(worker& w, errand e);
  void answer();
  void finish(worker& w) override;
  void send(errand e);

  const spread& over_;
  inbox asked_;
  bool finishing_ = false;
};

}  // namespace thalweg::run_detail::network
