#include "spb/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "spb/api.hpp"
#include "spb/detail/crew.hpp"

namespace spb {
namespace {

// What ranks tell each other of the run stays apart from the messages of the program. The rank with the sink
// is the first here.
MPI_Comm of_run = MPI_COMM_NULL;

int rank_in(MPI_Comm which) {
  int rank = 0;
  MPI_Comm_rank(which, &rank);
  return rank;
}

int number_of_ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

std::vector<std::string> exchange(const std::string& mine) {
  const auto ranks = static_cast<std::size_t>(number_of_ranks());
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks), begins(ranks);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, of_run);
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string together(static_cast<std::size_t>(begins.back() + lengths.back()), '\0');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, together.data(), lengths.data(), begins.data(), MPI_CHAR,
                 of_run);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < ranks; ++i)
    all.push_back(together.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  return all;
}

bool initialised_here = false;

void leave() {
  int over = 0;
  MPI_Finalized(&over);
  if (initialised_here && over == 0) MPI_Finalize();
}

}  // namespace

void init_ranks(int& argc, char**& argv, rank_threads threads, ends at) {
  int is = 0;
  MPI_Initialized(&is);
  if (is == 0) {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    initialised_here = true;
    std::atexit(leave);
  }
  const int rank = rank_in(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank == at.sink ? -1 : rank, &of_run);
  detail::join(
      {rank_in(of_run), number_of_ranks(), threads == rank_threads::one, rank == at.source, exchange, leave});
}

int replicas() {
  return nthreads * std::max(1, number_of_ranks() - 1);
}

}  // namespace spb
