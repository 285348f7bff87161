#pragma once

#include <thalweg/model/wire.hpp>
#include <thalweg/run/mpi.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>

#include "../graph/exchange.hpp"
#include "clocks.hpp"
#include "environment.hpp"
#include "gather.hpp"
#include "heartbeat.hpp"
#include "joining.hpp"
#include "quiescence.hpp"
#include "rendezvous.hpp"
#include "shared_memory.hpp"
#include "transport.hpp"

/// What ranks say to each other. One thread of each makes all calls of MPI.
namespace thalweg::run_detail::distributed {

/// What stands at the head of each message.
struct header {
  enum class kind : std::uint8_t {
    items,
    credit,
    allow,
    progress,
    end,
    stop,
    cancel,
    pause,
    resume,
    resize,
    quiescence,
    meet
  };
  kind what = kind::items;
  std::uint8_t paced = 0, ranked = 0;
  std::uint8_t apart = 0;     ///< what would stand behind this, but for those lengths, is the first block
  std::uint32_t channel = 0;  ///< of resize: the stage
  std::uint32_t items = 0;    ///< of resize: how many replicas
  std::uint32_t blocks = 0;   ///< that follow, as messages of their own; their lengths stand behind this
  std::int64_t number = 0;    ///< of the run of items; of credit: how many runs; of progress: below which; of
                              ///< what is told to all: who began
  std::int64_t grant = 0;
  std::int64_t position = 0, born_ns = 0, upto = 0;  ///< of resize, position: its time
};

class post final : public network::exchange, private recipient {
 public:
  /// `comm` is this run's own, and freed by it. \throws error  on all ranks, if they cannot speak to each
  /// other in the way that was asked for
  post(MPI_Comm comm, network::mapping places, clocks times, std::unique_ptr<heartbeat> beat,
       const mpi_options& how, const environment& seen);
  /// Of a joiner. `first`: how many ranks began the run. It goes on by `take_part` or `stay_apart`.
  post(const group& all, int first, network::mapping places, const mpi_options& how);
  ~post() override;

  /// Before the start, on all ranks: processes can join. `room`: how many replicas of each stage those that
  /// began have room for; when more are asked for, others are started.
  void can_be_joined(std::unique_ptr<joining> by, std::vector<int> room);
  /// What is told to those that are started when it is time for it.
  void take_part(std::unique_ptr<heartbeat> beat) { heartbeat_ = std::move(beat); }
  /// It came too late: the run has no part for it.
  void stay_apart() noexcept { apart_ = true; }

  /// On rank 0: what is not as it was asked for.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] const network::mapping& places() const noexcept override { return places_; }
  [[nodiscard]] bool is_there(int rank) const noexcept override {
    return rank < there_.load(std::memory_order_acquire);
  }
  [[nodiscard]] int workers(int rank) const noexcept override {
    return rank < all_.size() ? all_.workers(rank) : 1;  // it has not come yet
  }
  [[nodiscard]] int credits() const noexcept override { return credits_; }
  [[nodiscard]] std::int64_t round_trip_ns() const noexcept override { return round_trip_ns_; }
  [[nodiscard]] std::size_t run_bytes() const noexcept override { return run_bytes_; }
  void add(std::uint32_t channel, std::size_t from_stage, std::size_t to_stage, network::outbound* out,
           network::receiver* in, network::chunk_ptr items, const model::wire* how) override;
  void start(network::net& of, bool on_caller) override;
  void join() override;
  void wake() noexcept override;
  std::size_t send(int to, std::uint32_t channel, network::item_message p) override;
  void give_credit(int to, std::uint32_t channel, int runs, std::size_t grant) override;
  void set_credit(int to, std::uint32_t channel, int most) override;
  void tell_progress(int to, std::uint32_t channel, std::int64_t below) override;
  void send_end(int to, std::uint32_t channel) override;
  void note(std::string what) override;
  void resize(std::size_t stage, int replicas) override;

 private:
  // A message that has come.
  struct message final : partial_receive {
    header head;
    network::chunk_ptr items;
    std::vector<bytes> held;  // blocks of items that could not be read, or not yet
  };
  struct channel_end {
    network::outbound* out = nullptr;
    network::receiver* in = nullptr;
    network::chunk_ptr like;
    const model::wire* how = nullptr;
    std::size_t from_stage = 0, to_stage = 0;
    std::unique_ptr<traffic> counted;
  };

  [[nodiscard]] std::unique_ptr<partial_receive> open(int from, std::span<const std::byte> content) override;
  void complete(int from, std::unique_ptr<partial_receive> whole) override;
  [[nodiscard]] buffer_pool& buffers() noexcept override { return pool_; }

  [[nodiscard]] std::string way_of(const channel_end& c) const;
  void send_header(int to, header head);
  void put(outgoing_message s);
  void keep(outgoing_message s);
  void ship(outgoing_message s);
  [[nodiscard]] transport& transport_to(int rank) noexcept;
  [[nodiscard]] MPI_Comm everyone() const noexcept { return wide_ == MPI_COMM_NULL ? comm_ : wide_; }
  [[nodiscard]] int host_of(int joiner) const noexcept { return (joiner - first_) % first_; }
  [[nodiscard]] bool under_way() const;
  void open_transports(const mpi_options& how);
  void close_transports();
  [[nodiscard]] bool look();
  [[nodiscard]] std::chrono::microseconds rest(int looks) const;
  void live();
  void look_at_heartbeats();
  void act_on(int from, const header& head, network::chunk_ptr items);
  void look_at_flags();
  void tell_all(header head);
  void tell_all(header::kind what, int root);
  void resize_as_asked();
  void take_size(const header& head);
  void tell(int to, const quiescence::wave_message& w);
  [[nodiscard]] message_count counted() const;
  [[nodiscard]] std::vector<int> those_below(int root) const;
  void ask_for_more(std::size_t stage, int replicas);
  void look_at_joiners();
  void wait_for_joiners();
  void meet();
  void admit();
  void tell_state(int joiner);
  void close();
  void agree_on_error();
  void gather_all();
  static void hold(message& m, std::span<const std::uint64_t> lengths);
  void read_items(message& m, std::span<const std::byte> from, std::span<const std::uint64_t> lengths);
  void read_what_was_apart(message& m);
  void to_our_clock(int from, pipe::chunk_base& items) const;

  const MPI_Comm comm_;
  int rank_ = 0;
  const int first_;  // ranks that began the run; the others have joined it, or may do so
  const network::mapping places_;
  clocks times_;
  const machine all_;  // as the run began, or this rank came to it
  const int credits_;
  const std::int64_t round_trip_ns_;
  const std::size_t run_bytes_;
  bool crowded_;  // there are more ranks than cores on this machine
  int cores_;     // that its ranks may use
  const std::chrono::milliseconds patience_;
  std::vector<channel_end> channels_;
  network::net* net_ = nullptr;
  bool on_caller_ = false;
  std::thread thread_;
  std::mutex joining_;

  buffer_pool pool_;
  doorbell own_bell_;
  doorbell* bell_ = &own_bell_;
  std::unique_ptr<shared_memory> near_;  // null: no rank is reached by it
  std::unique_ptr<transport> far_;       // to all others that began; null: there are none
  std::unique_ptr<transport> late_;      // to those that have joined; null: nobody has
  std::vector<std::string> notes_;
  std::unique_ptr<heartbeat> heartbeat_, joined_heartbeat_;
  std::vector<std::atomic<std::int64_t>> messages_sent_;  // by receiver
  std::atomic<std::uint64_t> others_{0};                  // neither items nor credit
  std::atomic<bool> closed_{false};
  std::atomic<bool> deaf_{false};
  std::atomic<int> there_;  // ranks
  std::mutex keeping_;
  std::vector<outgoing_message> kept_;  // for ranks that are not there yet
  std::atomic<int> inside_{0};          // threads that may not have seen yet that it is closed, or deaf

  struct size_asked {
    std::size_t stage = 0;
    int replicas = 0;
  };
  std::mutex asking_;
  std::vector<size_asked> asked_;
  std::atomic<bool> any_asked_{false};

  // Of the communication thread.
  // A clock that counts changes, and when each stage was given its size, by whom: L. Lamport, Time, clocks
  // and the ordering of events in a distributed system (1978). So the same change is the last everywhere.
  std::int64_t changes_ = 0;
  std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> sized_;
  std::int64_t letters_received_ = 0, letters_expected_ = -1;
  std::int64_t letters_to_come_ = 0, open_ = 0;
  std::optional<quiescence> still_;  // null: a rank that can go on will
  message_count of_stillness_;
  std::vector<std::int64_t> counts_;
  enum class step : std::uint8_t { not_yet, over_at_first, over_here, over_everywhere, counted };
  step closing_ = step::not_yet;
  MPI_Request agreeing_ = MPI_REQUEST_NULL;
  bool told_stop_ = false, told_cancel_ = false, told_pause_ = false;
  int idle_ = 0;
  bool apart_ = false;
  std::optional<in_run> going_on_{std::in_place};
  MPI_Comm wide_ = MPI_COMM_NULL;  // with those that have joined
  std::vector<int> room_;          // by stage
  std::int64_t joined_ns_ = 0;
  std::int64_t over_ns_ = 0;  // since when only joiners are waited for
  std::vector<std::string> late_notes_;
  std::unique_ptr<joining> door_;  // last: its thread calls this
};

}  // namespace thalweg::run_detail::distributed
