#include <cstddef>
#include <list>
#include <utility>
#include <vector>

#include <mpi.h>
#include <ranks.hpp>
#include <word_count.hpp>

#include "bench/support/counted_words.hpp"
#include "bench/support/mpi_letter.hpp"
#include "bench/support/words_by_part.hpp"

// Rank 0 reads passages, and gives them to who has room for one. The others split them. Each of these counts
// the words of one part: whoever finds some sends them there. At the end rank 0 gets all counts.
enum tag : int { passages, parts, room, words, letters };

void travel(mpi_letter& by, apps::word_count::passage& one) {
  auto size = one.words.size();
  by.value(one.number);
  by.value(size);
  by.block(one.text);
  if (by.reads()) one.words.resize(size);
  by.lying(one.words.data(), size * sizeof one.words.front());
}

template <class T> void send_all(std::vector<T>& all, tag as) {
  MPI_Send(all.data(), static_cast<int>(all.size() * sizeof(T)), MPI_BYTE, 0, as, MPI_COMM_WORLD);
}
template <class T> void receive_all(std::vector<T>& all, int from, tag as) {
  MPI_Status status;
  MPI_Probe(from, as, MPI_COMM_WORLD, &status);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  all.resize(static_cast<std::size_t>(size) / sizeof(T));
  MPI_Recv(all.data(), size, MPI_BYTE, from, as, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void tell(int to, tag what) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, what, MPI_COMM_WORLD);
}

void give_passages(int workers) {
  std::vector<mpi_two_sending<spb::Item>> sending(static_cast<std::size_t>(workers));
  for (spb::Item item; spb::Source::op(item);) {
    MPI_Status status;
    MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, room, MPI_COMM_WORLD, &status);
    sending[static_cast<std::size_t>(status.MPI_SOURCE) - 1].send(std::move(item), status.MPI_SOURCE,
                                                                  passages);
  }
  for (int rank = 1; rank <= workers; ++rank) tell(rank, passages);
  for (int rank = 1; rank <= workers; ++rank) {
    counted_words part;
    receive_all(part.words, rank, words);
    receive_all(part.letters, rank, letters);
    auto counts = part.counts();
    spb::Sink::op(counts);
  }
  for (int i = 0; i < 2 * workers; ++i)  // which nobody needs any more
    MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, room, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

class worker {
 public:
  worker(int rank, int workers) : rank_(rank), workers_(workers) {}

  void run() {
    for (int i = 0; i < 2; ++i) tell(0, room);  // the next is there when one is done
    while (!all_split_ || parts_ended_ < workers_ - 1) {
      under_way_.remove_if([](auto& one) { return one.done(); });
      if (under_way_.size() <= most_under_way) give_room();
      if (owed_room_ > 0 && !something_there()) continue;
      spb::Item item;
      const auto status = mpi_receive(item, MPI_ANY_SOURCE, MPI_ANY_TAG);
      status.MPI_TAG == passages ? split(item) : count(item);
    }
    give_room();
    auto mine = counted_words::of(counts_);
    send_all(mine.words, words);
    send_all(mine.letters, letters);
    for (auto& one : under_way_) one.wait();
  }

 private:
  static constexpr std::size_t most_under_way = 16;

  static bool something_there() {
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there != 0;
  }
  void give_room() {
    for (; owed_room_ > 0; --owed_room_) tell(0, room);
  }
  void split(spb::Item& item) {
    all_split_ = item.empty();
    if (all_split_) {
      for_others([](int rank) { tell(rank, parts); });
      return;
    }
    auto found = words_by_part(item, static_cast<std::size_t>(workers_));
    for_others([&](int rank) {
      auto& part = found[static_cast<std::size_t>(rank) - 1];
      if (!part.empty())
        under_way_.emplace_back().send(std::move(part), rank, parts);  // empty: it has failed
    });
    spb::Count::op(found[static_cast<std::size_t>(rank_) - 1], counts_);
    ++owed_room_;
  }
  void count(spb::Item& item) {
    if (item.empty())
      ++parts_ended_;
    else
      spb::Count::op(item, counts_);
  }
  template <class F> void for_others(F f) {
    for (int rank = 1; rank <= workers_; ++rank)
      if (rank != rank_) f(rank);
  }

  int rank_;
  int workers_;
  spb::Counts counts_;
  std::list<mpi_sending<spb::Item>> under_way_;
  int owed_room_ = 0;
  bool all_split_ = false;
  int parts_ended_ = 0;
};

void count_alone() {
  spb::Counts counts;
  for (spb::Item item; spb::Source::op(item);) {
    spb::Split::op(item);
    spb::Count::op(item, counts);
  }
  spb::Sink::op(counts);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  spb::Metrics::init();
  if (ranks == 1)
    count_alone();
  else if (rank == 0)
    give_passages(ranks - 1);
  else
    worker(rank, ranks - 1).run();
  spb::Metrics::stop();
  spb::end_bench();
}
