#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <mpi.h>

#include "mapping.hpp"
#include "post.hpp"

namespace thalweg {

namespace run_detail::across {

namespace {

// MPI is initialised once by whoever needs it first; who has done it ends it.
void initialise(int* argc, char*** argv) {
  int is = 0;
  MPI_Finalized(&is);
  if (is != 0) throw error("mpi: MPI has been finalised, after which nothing can be run with it");
  MPI_Initialized(&is);
  if (is != 0) return;
  int given = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &given);
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) MPI_Finalize();
  });
}

int neighbours(MPI_Comm comm) {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int n = 1;
  MPI_Comm_size(here, &n);
  MPI_Comm_free(&here);
  return n;
}

// What has to be the same on all ranks, as text.
std::string description(const run_state& run, const mpi_options& how) {
  std::string text = run.plan.drawn().to_json();
  for (const auto& s : run.stages) {
    text += "\n" + s.info->name + " " + s.info->pattern + " " + std::to_string(s.info->farm) + " " +
            std::to_string(s.info->replicas) + (s.info->unordered ? " unordered" : "");
    if (s.info->out != nullptr) {
      const auto* const wire = model::wire_of(*s.info->out);
      text += " " + (wire == nullptr ? "-" : wire->tag());
    }
  }
  text += "\ngrouping " + std::to_string(how.grouping) + ", credits " + std::to_string(how.credits) +
          ", bytes " + std::to_string(how.batch_bytes);
  for (const auto& p : how.place) {
    text += ", " + p.stage;
    for (const int r : p.ranks) text += " " + std::to_string(r);
  }
  return text;
}

// Throws on all ranks if one of them is to run something else than rank 0.
void require_same(const std::string& mine, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  auto n = static_cast<int>(mine.size());
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  std::string first = mine;
  first.resize(static_cast<std::size_t>(n));
  MPI_Bcast(first.data(), n, MPI_CHAR, 0, comm);
  int other = first == mine ? ranks : rank;
  int least = 0;
  MPI_Allreduce(&other, &least, 1, MPI_INT, MPI_MIN, comm);
  if (least < ranks)
    throw error("mpi: rank " + std::to_string(least) +
                " runs another job than rank 0, or the same with other options: all ranks have to start the "
                "same program and to build the same job");
}

// What is known before anything runs: all that cannot travel although it would have to.
void require_wires(const run_state& run, const network::mapping& places) {
  std::vector<std::string> problems;
  const auto look = [&](std::size_t from, std::size_t to, const std::type_info& type) {
    const auto& a = places[from];
    const auto& b = places[to];
    if (a == b && a.size() == 1) return;
    if (model::wire_of(type) == nullptr)
      problems.push_back("mpi: items of type " + model::type_name(type) + " travel from stage '" +
                         run.stages[from].info->name + "' to stage '" + run.stages[to].info->name +
                         "', which are on different ranks, but nobody has said how: call "
                         "thalweg::let_travel<T>() before the run, or name the policy thalweg::mpi in it");
  };
  for (std::size_t i = 0; i + 1 < run.stages.size(); ++i) {
    if (run.stages[i].component == run.stages[i + 1].component && run.stages[i].info->out != nullptr)
      look(i, i + 1, *run.stages[i].info->out);
  }
  for (const auto& e : run.plan.connections()) {
    auto& from = *run.plan.components[e.from];
    const auto last = from.stages().size() - 1;
    const auto chunk = from.make_chunk(from.ports() != nullptr ? e.from_port : last);
    look(run.first_of_component[e.from] + last, run.first_of_component[e.to], chunk->item_type());
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

void require_valid(const mpi_options& how) {
  std::vector<std::string> problems;
  if (how.grouping != automatic && how.grouping < 1)
    problems.push_back("mpi: .grouping must be at least 1, not " + std::to_string(how.grouping));
  if (how.credits != automatic && (how.credits < 1 || how.credits > 1024))
    problems.push_back("mpi: .credits must be between 1 and 1024, not " + std::to_string(how.credits));
  if (how.batch_bytes < 1) problems.emplace_back("mpi: .batch_bytes must be at least 1");
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

struct own_comm {
  MPI_Comm comm = MPI_COMM_NULL;
  own_comm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
  own_comm(const own_comm&) = delete;
  own_comm& operator=(const own_comm&) = delete;
  ~own_comm() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  MPI_Comm give_up() noexcept { return std::exchange(comm, MPI_COMM_NULL); }
};

std::shared_ptr<engine> make_mpi(std::unique_ptr<run_state> state, const void* policy) {
  const auto& how = static_cast<const mpi*>(policy)->options();
  require_valid(how);
  int is = 0;
  MPI_Finalized(&is);
  if (is != 0) throw error("mpi: MPI has been finalised, after which nothing can be run with it");
  own_comm mine;
  const int near = neighbours(mine.comm);
  const auto workers = std::max(1, cores() / near);
  const any_policy local = how.local ? *how.local : any_policy(pool{.workers = workers});
  int ranks = 1;
  MPI_Comm_size(mine.comm, &ranks);
  if (ranks == 1) return local.make(std::move(state));
  require_same(description(*state, how), mine.comm);
  auto places = map_stages(*state, how, ranks, workers);
  require_wires(*state, places);
  state->others =
      std::make_shared<post>(mine.give_up(), std::move(places), how.credits == automatic ? 0 : how.credits,
                             how.batch_bytes, near > cores());
  return local.make(std::move(state));
}

}  // namespace
}  // namespace run_detail::across

mpi::mpi(int& argc, char**& argv, mpi_options options) : options_(std::move(options)) {
  run_detail::across::initialise(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

mpi::mpi(mpi_options options) : options_(std::move(options)) {
  run_detail::across::initialise(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

mpi::operator any_policy() const {
  return {"mpi:" + std::to_string(ranks_), std::make_shared<mpi>(*this), run_detail::across::make_mpi};
}

}  // namespace thalweg
