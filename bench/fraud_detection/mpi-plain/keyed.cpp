#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <fraud_detection.hpp>
#include <mpi.h>
#include <ranks.hpp>

#include "bench/support/card_chunks.hpp"

// Rank 0 divides the transactions by parts of the cards. Each of the others has one part, and two chunks of
// it at a time, so that the next one is there when it has done one. For each it gives its alarms back, which
// may be none.
using transactions = std::vector<spb::Item>;

constexpr int under_way = 2;

// Those that are on their way stay where they are.
class outgoing {
 public:
  void send(transactions some, int to) {
    const std::size_t i = std::exchange(next_, (next_ + 1) % under_way);
    MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    sent_[i] = std::move(some);
    MPI_Isend(sent_[i].data(), static_cast<int>(sent_[i].size() * sizeof(spb::Item)), MPI_BYTE, to, 0,
              MPI_COMM_WORLD, &requests_[i]);
  }
  void wait() { MPI_Waitall(under_way, requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  std::array<transactions, under_way> sent_;
  std::array<MPI_Request, under_way> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::size_t next_ = 0;
};

int receive(transactions& some, int from) {
  MPI_Status status;
  MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  some.resize(static_cast<std::size_t>(size) / sizeof(spb::Item));
  MPI_Recv(some.data(), size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

bool something_there() {
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

void divide(int workers) {
  const auto parts = static_cast<std::size_t>(workers);
  std::vector<outgoing> to(parts);
  std::vector<int> owed(parts);  // answers
  const auto take_alarms = [&] {
    transactions alarms;
    --owed[static_cast<std::size_t>(receive(alarms, MPI_ANY_SOURCE)) - 1];
    for (auto& alarm : alarms) spb::Sink::op(alarm);
  };
  card_chunks chunks(parts, spb::Source::op);
  while (auto some = chunks()) {
    while (owed[some->part] == under_way || something_there()) take_alarms();
    ++owed[some->part];
    to[some->part].send(std::move(some->items), 1 + static_cast<int>(some->part));
  }
  while (std::reduce(owed.begin(), owed.end()) > 0) take_alarms();
  for (std::size_t part = 0; part < parts; ++part) {
    to[part].send({}, 1 + static_cast<int>(part));  // the end
    to[part].wait();
  }
}

void predict() {
  Markov_Model_Predictor state;
  outgoing back;
  transactions some;
  while (receive(some, 0), !some.empty()) {
    for (auto& item : some) spb::Predictor::op(item, state);
    std::erase_if(some, [](const spb::Item& item) { return item.empty(); });
    back.send(std::move(some), 0);
  }
  back.wait();
}

void predict_alone() {
  Markov_Model_Predictor state;
  for (spb::Item item; spb::Source::op(item);) {
    spb::Predictor::op(item, state);
    if (item) spb::Sink::op(item);
  }
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  spb::Metrics::init();
  if (ranks == 1)
    predict_alone();
  else if (rank == 0)
    divide(ranks - 1);
  else
    predict();
  spb::Metrics::stop();
  spb::end_bench();
}
