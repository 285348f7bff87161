#include "communicator.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <chrono>

#include "../../engine/graph_engine.hpp"
#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// Whether this thread, or one of ours, may call MPI: it depends on what the program has asked for.
void require_threads(bool on_caller) {
  int level = MPI_THREAD_SINGLE;
  int main_thread = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main_thread);
  if (level < MPI_THREAD_FUNNELED)
    throw error(
        "mpi: the program has initialised MPI without threads: it must call MPI_Init_thread with "
        "MPI_THREAD_FUNNELED at least");
  if (level >= MPI_THREAD_SERIALIZED) return;
  if (!on_caller)
    throw error(
        "mpi: a run that was launched, or has stages on tw::caller_thread, calls MPI from another thread, "
        "for which MPI has to be initialised with MPI_THREAD_SERIALIZED at least");
  if (main_thread == 0)
    throw error(
        "mpi: MPI was initialised with MPI_THREAD_FUNNELED, so only the thread that did it can call run");
}

constexpr int looks_before_rest = 200;
constexpr int looks_if_crowded = 2;  // more ranks than cores
constexpr int looks_while_busy = 5000;
constexpr std::chrono::microseconds first_sleep{20};
constexpr std::chrono::microseconds longest_with_mpi{1000};
constexpr std::chrono::milliseconds longest_if_woken{10};

}  // namespace

communicator::communicator(MPI_Comm comm, rank_tree tree, int most, dataflow::mapping places, clocks times,
                           std::unique_ptr<heartbeat> beat, const mpi_options& how, const environment& env)
    : credits_(how.credits == automatic ? 0 : how.credits),
      round_trip_ns_(times.longest_round_trip_ns()),
      spins_(how.spin),
      run_bytes_(how.batch_bytes),
      messages_(comm, tree, env.all.size(), most, std::move(times)),
      members_(messages_, notes_, comm, tree, std::move(places), std::move(beat), how.patience, env),
      control_(messages_, members_, notes_) {}

communicator::communicator(MPI_Comm comm, dataflow::mapping places, clocks times,
                           std::unique_ptr<heartbeat> beat, const mpi_options& how, const environment& env)
    : communicator(comm, {rank_in(comm), env.all.size()}, env.all.size() + how.spawn, std::move(places),
                   std::move(times), std::move(beat), how, env) {
  auto note = messages_.open_transports(how, env.crowded);
  if (rank() == 0 && !note.empty()) notes_at_start_.push_back(std::move(note));
}

communicator::communicator(const group& all, int first, dataflow::mapping places, const mpi_options& how)
    : communicator(all.comm, {rank_in(all.comm), first}, all.env.all.size(), std::move(places), all.times,
                   nullptr, how, all.env) {
  messages_.open_transport_of_joiner();
}

communicator::~communicator() {
  if (thread_.joinable()) thread_.join();
}

void communicator::start(dataflow::graph_engine& of, bool on_caller) {
  require_threads(on_caller);
  net_ = &of;
  on_caller_ = on_caller;
  if (members_.is_apart()) of.run().flags.cancel();
  messages_.start(
      of, [this](int from) { members_.heard(from); },
      [this](int from, const header& head, std::span<const std::byte> content) {
        read_or_end(members_.comm(), [&] { control_.act_on(from, head, content); });
      });
  members_.start(of);
  control_.start(of);
  closing_.emplace(messages_, members_, control_, of);
  if (!on_caller) thread_ = std::thread([this] { live(); });
}

void communicator::join() {
  const std::lock_guard hold(joining_);
  if (std::exchange(on_caller_, false)) live();
  if (thread_.joinable()) thread_.join();
}

// The life of the communication thread.
void communicator::live() {
  auto& run = net_->run();
  if (!members_.is_apart()) {
    while (!closing_->is_over()) {
      const auto rung = messages_.rung();
      const bool moved = messages_.look();
      control_.look();
      control_.look_for_quiescence();
      members_.look_at_heartbeats();
      if (net_->over()) closing_->advance();
      if (moved) {
        idle_ = 0;
      } else {
        rest(rung);
      }
    }
    closing_->finish();
  }
  run.root = !members_.is_apart() && rank() == 0;
  in_run_.reset();
  net_->leave();
}

// Nothing has moved.
void communicator::rest(std::uint32_t rung) {
  net_->watch_if_it_lasts();  // a thread may be in its first call for ever
  const int patience = messages_.is_busy()     ? looks_while_busy
                       : members_.is_crowded() ? looks_if_crowded
                                               : looks_before_rest;
  if (spins_ || ++idle_ <= patience) {
    std::this_thread::yield();
  } else if (!messages_.sleep(rung, longest_sleep(idle_ - patience))) {
    idle_ = 0;
  }
}

// After so many looks beyond the patience.
std::chrono::microseconds communicator::longest_sleep(int looks) const {
  if (messages_.uses_mpi() || closing_->has_begun())
    return std::min(first_sleep * (1 << std::min(6, looks / 4)), longest_with_mpi);
  if (control_.may_be_quiescent_soon()) return quiescence::settled;
  return longest_if_woken;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
