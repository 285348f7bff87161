#include "joiner.hpp"

#include <thalweg/model/errors.hpp>

#include <memory>

#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

joiner* joiner::here() {
  static const std::unique_ptr<joiner> it = []() -> std::unique_ptr<joiner> {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) return nullptr;
    const auto words = own_command_line();
    if (words.empty() || !is_for_joiners(words.front())) return nullptr;  // the program has started it
    return std::unique_ptr<joiner>(new joiner(parent));
  }();
  return it.get();
}

joiner::joiner(MPI_Comm parent) : parent_(parent) {
  MPI_Comm_dup(MPI_COMM_WORLD, &side_);
  MPI_Comm_rank(side_, &number_);
  to_ = read_or_end(parent_, [&] { return read_join_request(0, receive_from(0, parent_)); });
  const auto self = process::self();
  send_to(0, {reinterpret_cast<const std::byte*>(&self), reinterpret_cast<const std::byte*>(&self + 1)},
          parent_);
  // No rank waits for a program that ends before it has come to that run.
  before_finalising([] { here()->part(); });
}

bool joiner::meets(const std::string& job, std::size_t stages, int workers) {
  const bool same = job == to_.job && stages == to_.places.size();
  send_number(0, static_cast<std::int32_t>(same ? answer::same_job : answer::other_job), parent_);
  answered_ = true;
  const bool all = receive_number(0, parent_) != 0;
  if (!all) {
    part();
    if (!same)
      throw error(
          "mpi: this process was started to join a run, but builds another job than that run, or the same "
          "job with other options");
    return false;
  }
  MPI_Intercomm_merge(parent_, 1, &bridge_);
  group_ = group::make(side_, bridge_, 0, true, workers);
  return true;
}

void joiner::part() {
  if (parent_ == MPI_COMM_NULL) return;
  if (!answered_) {
    send_number(0, static_cast<std::int32_t>(answer::never_ran), parent_);
    (void)receive_number(0, parent_);
  }
  if (group_.comm != MPI_COMM_NULL) MPI_Comm_free(&group_.comm);
  if (bridge_ != MPI_COMM_NULL) MPI_Comm_free(&bridge_);
  MPI_Comm_free(&side_);
  MPI_Comm_disconnect(&parent_);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
