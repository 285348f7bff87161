// As it is usually written: each number is a message, and so is each answer. A worker has two at a time, so
// that the next one is there when it has answered.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <mpi.h>
#include <primes.hpp>
#include <ranks.hpp>

// An item has one number, unless a batch size is given.
std::vector<std::uint32_t> numbers_of(const spb::Item& item) {
  std::vector<std::uint32_t> numbers;
  for (const auto& one : item) numbers.push_back(one.number);
  return numbers;
}

void test_alone() {
  for (spb::Item item; spb::Source::op(item);) {
    spb::Primality::op(item);
    spb::Sink::op(item);
  }
}

void give_and_take(int workers) {
  std::vector<std::deque<spb::Item>> given(static_cast<std::size_t>(workers) + 1);
  int under_way = 0;
  const auto give = [&](int rank) {
    spb::Item item;
    if (!spb::Source::op(item)) return;
    const auto numbers = numbers_of(item);
    MPI_Send(numbers.data(), static_cast<int>(numbers.size()), MPI_UINT32_T, rank, 0, MPI_COMM_WORLD);
    given[static_cast<std::size_t>(rank)].push_back(std::move(item));
    ++under_way;
  };
  for (int i = 0; i < 2 * workers; ++i) give(1 + i % workers);
  for (; under_way > 0; --under_way) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    auto& of_this = given[static_cast<std::size_t>(status.MPI_SOURCE)];
    auto item = std::move(of_this.front());
    of_this.pop_front();
    std::vector<std::uint8_t> primes(item.size());
    MPI_Recv(primes.data(), static_cast<int>(primes.size()), MPI_UINT8_T, status.MPI_SOURCE, 0,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    give(status.MPI_SOURCE);
    auto prime = primes.begin();
    for (auto& one : item) one.prime = *prime++ != 0;
    spb::Sink::op(item);
  }
  for (int rank = 1; rank <= workers; ++rank) MPI_Send(nullptr, 0, MPI_UINT32_T, rank, 0, MPI_COMM_WORLD);
}

void test_what_comes() {
  std::vector<std::uint8_t> primes;
  MPI_Request answer = MPI_REQUEST_NULL;  // it may be that rank 0 waits until the next numbers are received
  while (true) {
    MPI_Status status;
    MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_UINT32_T, &count);
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(count));
    MPI_Recv(numbers.data(), count, MPI_UINT32_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (count == 0) break;
    spb::Item item;
    for (const auto number : numbers) item.append({number});
    spb::Primality::op(item);
    MPI_Wait(&answer, MPI_STATUS_IGNORE);
    primes.clear();
    for (const auto& one : item) primes.push_back(one.prime ? 1 : 0);
    MPI_Isend(primes.data(), count, MPI_UINT8_T, 0, 0, MPI_COMM_WORLD, &answer);
  }
  MPI_Wait(&answer, MPI_STATUS_IGNORE);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  spb::Metrics::init();
  if (ranks == 1)
    test_alone();
  else if (rank == 0)
    give_and_take(ranks - 1);
  else
    test_what_comes();
  spb::Metrics::stop();
  spb::end_bench();
}
