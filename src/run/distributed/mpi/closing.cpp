#include "closing.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "collective.hpp"
#include "constants.hpp"
#include "rendezvous.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

remote_error described(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const stage_error& e) {
    return {e.stage(), e.replica(), model::message_of(e.cause()), 0, {}};
  } catch (...) {
    return {{}, 0, model::message_of(why), 0, {}};
  }
}

// With the original exception inside on the rank where it was thrown, and its text on the others.
std::exception_ptr as_exception(const remote_error& told, const std::exception_ptr& own) {
  const auto where = " (on rank " + std::to_string(told.rank) + ", " + told.host + ")";
  if (told.stage.empty()) return std::make_exception_ptr(error(told.message + where));
  auto cause = std::make_exception_ptr(error(told.message));
  try {
    if (own) std::rethrow_exception(own);
  } catch (const stage_error& e) {
    cause = e.cause();
  } catch (...) {
    cause = own;
  }
  try {
    try {
      std::rethrow_exception(cause);
    } catch (...) {
      throw stage_error(told.stage, told.replica, told.message + where, told.rank, told.host);
    }
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

bool closing::is_over() const {
  return expected_ >= 0 && messages_.received() >= expected_ && messages_.open_messages() == 0 &&
         !messages_.under_way();
}

void closing::advance() {
  using enum step;
  const auto& tree = members_.tree();
  if (step_ == not_yet) {
    if (!control_.has_told_cancel() && net_.run().flags.cancelled.load(std::memory_order_acquire)) return;
    // Rank 0 goes on only when it knows whether the processes that it has started take part. Where they do,
    // all others are about to know it.
    if (tree.rank == 0 && members_.may_be_joined_now()) return members_.wait_for_joiners();
    MPI_Ibarrier(members_.comm(), &agreeing_);
    step_ = tree.has_joined() ? over_here : over_at_first;
    members_.stop_asking();
  }
  if (step_ == over_at_first) {
    if (!is_done(agreeing_) || members_.may_be_joined_now()) return;
    if (members_.comm_of_all() != members_.comm()) MPI_Ibarrier(members_.comm_of_all(), &agreeing_);
    step_ = over_here;
  }
  if (step_ == over_here) {
    if (!is_done(agreeing_)) return;
    messages_.stop_sending();
    step_ = over_everywhere;
  }
  if (step_ == over_everywhere) {
    if (!messages_.all_sent()) return;
    counts_ = messages_.sent();
    MPI_Ireduce_scatter_block(counts_.data(), &to_come_, 1, MPI_INT64_T, MPI_SUM, members_.comm_of_all(),
                              &agreeing_);
    step_ = counted;
  }
  if (expected_ < 0 && is_done(agreeing_)) expected_ = to_come_;
}

void closing::finish() {
  // Others may still read what this rank has sent to them.
  MPI_Ibarrier(members_.comm_of_all(), &agreeing_);
  for (members_.look_at_heartbeats(); !is_done(agreeing_); members_.look_at_heartbeats())
    std::this_thread::sleep_for(first_rest);
  const auto watch = watch_before(members_.patience());
  messages_.close_transports();
  members_.end_heartbeats();
  agree_on_error();
  control_.gather_statistics();
  members_.leave();
}

// The error of the lowest position comes out on all ranks.
void closing::agree_on_error() {
  auto& run = net_.run();
  const auto comm = members_.comm_of_all();
  const int rank = members_.tree().rank;
  struct {
    long position;
    int rank;
  } mine{std::numeric_limits<long>::max(), rank}, first{};
  const auto own = run.errors.kept();
  if (own) mine.position = std::min<long>(run.errors.position(), std::numeric_limits<long>::max() - 1);
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_LONG_INT, MPI_MINLOC, comm, &r);
  wait_for(r);
  if (first.position == std::numeric_limits<long>::max()) return;
  remote_error told;
  bytes text;
  if (first.rank == rank) {
    told = described(own);
    told.host = name_of_host();
    told.rank = rank;
    encode(told, text);
  }
  auto n = static_cast<std::int64_t>(text.size());
  MPI_Ibcast(&n, 1, MPI_INT64_T, first.rank, comm, &r);
  wait_for(r);
  text.resize(read_or_end(comm, [&] { return checked_length(first.rank, static_cast<std::uint64_t>(n)); }));
  MPI_Ibcast(text.data(), static_cast<int>(n), MPI_BYTE, first.rank, comm, &r);
  wait_for(r);
  told = read_or_end(comm, [&] { return read_error(first.rank, text); });
  run.fail(as_exception(told, first.rank == rank ? own : nullptr), std::numeric_limits<std::int64_t>::min());
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
