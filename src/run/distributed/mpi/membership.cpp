#include "membership.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <exception>
#include <thread>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "collective.hpp"
#include "constants.hpp"
#include "joiner.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {}  // namespace

membership::membership(endpoint& messages, note_list& notes, MPI_Comm comm, rank_tree tree,
                       dataflow::mapping places, std::unique_ptr<heartbeat> beat,
                       std::chrono::milliseconds patience, const environment& env)
    : messages_(messages),
      notes_(notes),
      tree_(tree),
      places_(std::move(places)),
      all_(env.all),
      patience_(patience),
      comm_(comm),
      all_comm_(comm),
      crowded_(env.crowded),
      cores_(env.cores),
      heartbeat_(std::move(beat)) {}

void membership::can_be_joined(std::unique_ptr<joining> by, std::vector<int> room) {
  joining_ = std::move(by);
  joining_->tell([this] { messages_.wake(); });
  messages_.expect_joiners(true);
  room_ = std::move(room);
}

void membership::settle() noexcept {
  joining_->settle();
  messages_.expect_joiners(false);
}

void membership::ask_for_more(std::size_t stage, int replicas) {
  if (tree_.rank != 0 || !joining_ || joining_->now() != joining::state::idle || closing_) return;
  if (replicas > room_[stage] && places_[stage].back().rank >= tree_.first) joining_->start();
}

void membership::look(const std::function<void(int)>& tell_state) {
  if (!may_be_joined_now()) return;
  using enum joining::state;
  auto& run = net_->run();
  switch (joining_->now()) {
    case started:
      messages_.broadcast(header::kind::meet, tree_.rank);
      meet();
      break;
    case met:
      admit(tell_state);
      break;
    case failed:
      if (joining_->is_other_job()) {
        run.fail(std::make_exception_ptr(
                     error("mpi: processes were started to join the run, but " + joining_->problem())),
                 0);
        net_->wake();
      } else {
        notes_.add("mpi: no process has joined (" + joining_->problem() +
                   "): the run goes on with the ranks that began it");
      }
      settle();
      break;
    case too_late:
      if (tree_.rank == 0)
        notes_.add("mpi: processes that were started to join came after the end of the stream");
      settle();
      break;
    default:
      break;
  }
}

void membership::wait_for_joiners() {
  const auto now = observe::now_ns();
  if (waiting_since_ns_ == 0) waiting_since_ns_ = now;
  const std::chrono::nanoseconds waited(now - waiting_since_ns_);
  if (patience_.count() == 0 || waited < 10 * patience_ || joining_->now() != joining::state::starting)
    return;
  end_program("the run has been over for " + seconds_of(waited) +
                  ", but processes that were started to join it have not joined, so rank 0 ends the "
                  "program on all ranks",
              comm_, joining_->begun());
}

void membership::meet() {
  joining_->meet([this] { return !net_->run().flags.cancelled.load() && net_->expect_others(); },
                 [this] { net_->expect_nobody(); });
}

// All ranks have agreed.
void membership::admit(const std::function<void(int)>& tell_state) {
  const auto& all = joining_->all();
  all_comm_ = all.comm;
  crowded_ = crowded_ || all.env.crowded;
  cores_ = all.env.cores;
  joined_ns_ = observe::now_ns() - net_->run().statistics.began.ns;
  heartbeat_of_all_ = std::make_unique<heartbeat>(all_comm_, all.env, patience_);
  messages_.admit(all);
  for (int r = tree_.first; r < messages_.ranks(); ++r) {
    if (tree_.host_of(r) == tree_.rank) tell_state(r);
  }
  try {
    net_->others_have_joined();
  } catch (...) {  // the system has no more threads
    net_->run().fail(std::current_exception(), 0);
    net_->wake();
  }
  settle();
}

void membership::look_at_heartbeats() {
  for (auto* const one : {heartbeat_.get(), heartbeat_of_all_.get()}) {
    if (one == nullptr) continue;
    one->wrote(messages_.sent_to(one->next()));
    one->look();
  }
}

void membership::heard(int from) noexcept {
  heartbeat_->heard(from);
  if (heartbeat_of_all_) heartbeat_of_all_->heard(from);
}

void membership::end_heartbeats() {
  while (!heartbeat_->end()) std::this_thread::sleep_for(first_rest);
  while (heartbeat_of_all_ && !heartbeat_of_all_->end()) std::this_thread::sleep_for(first_rest);
}

std::int64_t membership::heartbeats_sent() const noexcept {
  return heartbeat_->messages() + (heartbeat_of_all_ ? heartbeat_of_all_->messages() : 0);
}

void membership::leave() {
  if (tree_.has_joined()) return joiner::here()->part();
  if (joining_) joining_->part();
  joining_.reset();  // the execution may outlive MPI
  MPI_Comm comm = comm_;
  MPI_Comm_free(&comm);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
