#include "heartbeat.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "collective.hpp"
#include "constants.hpp"
#include "message.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr int beats = 4;  // within the time of patience

constexpr std::chrono::milliseconds least_look{1};
// A thread that does not run does not listen either.
constexpr std::chrono::milliseconds longest_look{50};

}  // namespace

heartbeat::heartbeat(MPI_Comm comm, const environment& env, std::chrono::nanoseconds patience)
    : comm_(comm), patience_(patience) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  before_ = (rank_ + ranks_ - 1) % ranks_;
  host_ = env.all.host(before_);
  process_ = env.processes[static_cast<std::size_t>(before_)];
  if (patience_.count() == 0 || ranks_ == 1) {
    said_last_ = heard_last_ = true;
  } else {
    listen();
  }
}

void heartbeat::listen() {
  MPI_Irecv(&heard_, 1, MPI_BYTE, before_, heartbeat_tag, comm_, &requests_[0]);
}

void heartbeat::send(beat what) {
  mine_ = what;
  MPI_Isend(&mine_, 1, MPI_BYTE, next(), heartbeat_tag, comm_, &requests_[1]);
  ++messages_;
}

void heartbeat::look() {
  const auto now = clock::now();
  const auto passed = now - looked_;
  if (passed < least_look) return;
  looked_ = now;
  if (std::exchange(wrote_, false)) sent_ = now;
  if (!said_last_ && now - sent_ >= patience_ / beats && is_done(requests_[1])) {
    send(alive);
    sent_ = now;
  }
  if (heard_last_) return;
  if (std::exchange(message_came_, false)) silence_ = {};
  if (!is_done(requests_[0])) {
    silence_ += std::min<std::chrono::nanoseconds>(passed, longest_look);
    if (silence_ > patience_) give_up();
    return;
  }
  silence_ = {};
  heard_last_ = read_or_end(comm_, [&] {
    if (heard_ > last) refuse(before_, "a heartbeat with number " + std::to_string(heard_));
    return heard_ == last;
  });
  if (!heard_last_) listen();
}

bool heartbeat::end() {
  if (!said_last_ && is_done(requests_[1])) {
    send(last);
    said_last_ = true;
  }
  look();
  return said_last_ && heard_last_ && is_done(requests_[1]);
}

void heartbeat::give_up() const {
  end_program("rank " + std::to_string(before_) + " on host " + host_ + " has not answered for " +
                  seconds_of(patience_) + ", so rank " + std::to_string(rank_) +
                  " ends the program on all ranks",
              comm_, {process_});
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
