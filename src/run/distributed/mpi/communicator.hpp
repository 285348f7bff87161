#pragma once

#include <thalweg/run/mpi.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>

#include "closing.hpp"
#include "control.hpp"
#include "endpoint.hpp"
#include "membership.hpp"
#include "rendezvous.hpp"

/// Joins the network of this rank to those of the others over MPI. One thread of each rank, the communication
/// thread, makes all calls of MPI: it looks in turn after messages (endpoint.hpp), what ranks tell each other
/// about the run (control.hpp), who is there (membership.hpp) and, once the network is over, the end
/// (closing.hpp).
namespace THALWEG_NAMESPACE::run_detail::distributed {

class communicator final : public dataflow::exchange {
 public:
  /// `comm` belongs to this run, which frees it. \throws error  on all ranks, if they cannot send messages in
  /// the way that was asked for
  communicator(MPI_Comm comm, dataflow::mapping places, clocks times, std::unique_ptr<heartbeat> beat,
               const mpi_options& how, const environment& env);
  /// Of a joiner. `first`: how many ranks began the run. It goes on by `take_part` or `stay_apart`.
  communicator(const group& all, int first, dataflow::mapping places, const mpi_options& how);
  ~communicator() override;

  /// Before the start: see there.
  [[nodiscard]] membership& members() noexcept { return members_; }
  /// On rank 0: what is not as it was asked for.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_at_start_; }

  [[nodiscard]] int rank() const noexcept override { return members_.tree().rank; }
  [[nodiscard]] int ranks() const noexcept override { return messages_.ranks(); }
  [[nodiscard]] const dataflow::mapping& places() const noexcept override { return members_.places(); }
  [[nodiscard]] bool is_there(int rank) const noexcept override { return messages_.is_there(rank); }
  [[nodiscard]] int workers(int rank) const noexcept override { return members_.workers(rank); }
  [[nodiscard]] int credits() const noexcept override { return credits_; }
  [[nodiscard]] std::int64_t round_trip_ns() const noexcept override { return round_trip_ns_; }
  [[nodiscard]] std::size_t run_bytes() const noexcept override { return run_bytes_; }
  void add(std::uint32_t channel_id, const dataflow::route& way, dataflow::outbound* out,
           dataflow::receiver* in, dataflow::chunk_ptr items, const model::wire* how) override {
    messages_.add(channel_id, way, out, in, std::move(items), how);
  }
  void start(dataflow::graph_engine& of, bool on_caller) override;
  void join() override;
  void wake() noexcept override { messages_.wake(); }
  std::size_t send(int to, std::uint32_t channel_id, dataflow::item_message m) override {
    return messages_.send_items(to, channel_id, std::move(m));
  }
  void give_credit(int to, std::uint32_t channel_id, int runs, std::size_t grant) override {
    messages_.give_credit(to, channel_id, runs, grant);
  }
  void set_credit(int to, std::uint32_t channel_id, int most, int at_work) override {
    messages_.set_credit(to, channel_id, most, at_work);
  }
  void tell_progress(int to, std::uint32_t channel_id, std::int64_t below) override {
    messages_.tell_progress(to, channel_id, below);
  }
  void send_end(int to, std::uint32_t channel_id) override { messages_.send_end(to, channel_id); }
  void note(std::string what) override { notes_.add(std::move(what)); }
  void resize(std::size_t stage, int replicas) override { control_.resize(stage, replicas); }
  void set(const dataflow::setting& s) override { control_.set(s); }
  void ask_for_figures() override { control_.ask_for_figures(); }

 private:
  communicator(MPI_Comm comm, rank_tree tree, int most, dataflow::mapping places, clocks times,
               std::unique_ptr<heartbeat> beat, const mpi_options& how, const environment& env);
  void live();
  void rest(std::uint32_t rung);
  [[nodiscard]] std::chrono::microseconds longest_sleep(int looks) const;

  const int credits_;
  const std::int64_t round_trip_ns_;
  const bool spins_;
  const std::size_t run_bytes_;
  std::vector<std::string> notes_at_start_;
  note_list notes_;
  endpoint messages_;
  membership members_;
  control control_;
  std::optional<closing> closing_;  // once the run has begun
  dataflow::graph_engine* net_ = nullptr;
  bool on_caller_ = false;
  int idle_ = 0;  // looks in a row that have found nothing
  std::optional<in_run> in_run_{std::in_place};
  std::thread thread_;
  std::mutex joining_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
