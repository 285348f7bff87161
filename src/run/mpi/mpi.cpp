#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "clocks.hpp"
#include "kept_memory.hpp"
#include "mapping.hpp"
#include "plan.hpp"
#include "post.hpp"
#include "pulse.hpp"
#include "ways.hpp"

namespace thalweg {

namespace run_detail::across {

namespace {

// MPI is initialised once by whoever needs it first; who has done it ends it.
void initialise(int* argc, char*** argv, const mpi_options& how) {
  int is = 0;
  MPI_Finalized(&is);
  if (is != 0) throw error("mpi: MPI has been finalised, after which nothing can be run with it");
  MPI_Initialized(&is);
  if (is != 0) return;
  int given = 0;
  // One thread at a time is what runs need. The program may want more, but Open MPI 4 then has no windows
  // over TCP.
  MPI_Init_thread(argc, argv, how.comm == one_sided ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &given);
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) MPI_Finalize();
  });
}

// The ranks, where they are, and what they have.
struct surroundings {
  machine all;
  std::vector<int> node_of;  // of each rank the first one that shares its memory and its clock
  bool crowded = false;      // there are more ranks on this machine than cores for them
};

// The cores of a machine that this rank may use, divided by those that may use them, too: a launcher may have
// bound each rank to cores of its own.
struct share_of_cores {
  int ranks = 1, cores = 1;
  double mine = 1;
};

share_of_cores share_among(MPI_Comm machine) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
  share_of_cores found;
  MPI_Comm_size(machine, &found.ranks);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(found.ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
  found.cores = 0;
  found.mine = 0;
  for (int c = 0; c < CPU_SETSIZE; ++c) {
    const auto users =
        std::count_if(all.begin(), all.end(), [c](const auto& set) { return CPU_ISSET(c, &set); });
    if (users == 0) continue;
    ++found.cores;
    if (CPU_ISSET(c, &own)) found.mine += 1.0 / static_cast<double>(users);
  }
  return found;
}

surroundings look_around(MPI_Comm comm) {
  struct told {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    int workers = 1;
    int first = 0;
  } mine;
  surroundings found;
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  const auto share = share_among(here);
  found.crowded = share.ranks > share.cores;
  MPI_Comm_rank(comm, &mine.first);
  MPI_Bcast(&mine.first, 1, MPI_INT, 0, here);
  MPI_Comm_free(&here);
  int n = 0, ranks = 1;
  MPI_Get_processor_name(mine.host, &n);
  mine.workers = std::max(1, static_cast<int>(share.mine + 1e-6));
  MPI_Comm_size(comm, &ranks);
  std::vector<told> of_all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, of_all.data(), sizeof mine, MPI_BYTE, comm);
  for (const auto& t : of_all) {
    found.all.ranks.push_back({t.host, t.workers});
    // Containers on one machine may share memory, and have times and names of their own.
    const auto same = std::find_if(of_all.begin(), of_all.end(), [&](const told& other) {
      return other.first == t.first && std::string_view(other.host) == t.host;
    });
    found.node_of.push_back(static_cast<int>(same - of_all.begin()));
  }
  return found;
}

// Everybody gets what rank 0 has.
void take_from_root(bytes& what, MPI_Comm comm) {
  auto n = static_cast<int>(what.size());
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  what.resize(static_cast<std::size_t>(n));
  MPI_Bcast(what.data(), n, MPI_BYTE, 0, comm);
}

// The costs that rank 0 knows hold for all: a file may be on its host alone.
void agree_on_costs(mpi_options& how, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  bytes text;
  std::string problem;
  std::vector<std::string> names;
  std::vector<double> numbers;
  if (rank == 0) {
    try {
      if (const char* const file = std::getenv("THALWEG_COSTS")) how.costs = saved_costs(file);
    } catch (const error& e) {
      problem = e.what();
    }
    for (const auto& c : how.costs) {
      names.push_back(c.stage);
      numbers.insert(numbers.end(), {c.each.count(), c.items});
    }
    byte_writer to(text);
    to(problem, names, numbers);
  }
  take_from_root(text, comm);
  byte_reader from(text);
  from(problem, names, numbers);
  if (!problem.empty()) throw error(problem);
  how.costs.clear();
  for (std::size_t i = 0; i < names.size(); ++i)
    how.costs.push_back({names[i], std::chrono::duration<double>(numbers[2 * i]), numbers[2 * i + 1]});
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
          ", bytes " + std::to_string(how.batch_bytes) + ", comm " +
          (how.comm == two_sided   ? "two"
           : how.comm == one_sided ? "one"
                                   : "any") +
          (how.share_memory ? "" : " without sharing") + (how.apart ? ", apart" : "") + ", reserve " +
          std::to_string(how.reserve) + ", patience " + std::to_string(how.patience.count());
  for (const auto& p : how.place) {
    text += ", " + p.stage;
    for (const int r : p.ranks) text += " " + std::to_string(r);
    for (const auto& h : p.hosts) text += " " + h;
  }
  return text;
}

// Throws on all ranks if one of them is to run something else than rank 0.
void require_same(const std::string& mine, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto* const begin = reinterpret_cast<const std::byte*>(mine.data());
  bytes first(begin, begin + mine.size());
  take_from_root(first, comm);
  int other = std::equal(first.begin(), first.end(), begin, begin + mine.size()) ? ranks : rank;
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
  for (const auto& w : ways_of(run)) {
    const auto& a = places[w.from];
    const auto& b = places[w.to];
    if (a == b && a.size() == 1) continue;
    if (model::wire_of(*w.items) == nullptr)
      problems.push_back("mpi: items of type " + model::type_name(*w.items) + " travel from stage '" +
                         run.stages[w.from].info->name + "' to stage '" + run.stages[w.to].info->name +
                         "', which are on different ranks, but nobody has said how: call "
                         "thalweg::let_travel<T>() before the run, or name the policy thalweg::mpi in it");
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

void require_valid(const mpi_options& how) {
  std::vector<std::string> problems;
  if (how.grouping != automatic && how.grouping < 1)
    problems.push_back("mpi: .grouping must be at least 1, not " + std::to_string(how.grouping));
  if (how.credits != automatic && (how.credits < 1 || how.credits > 1024))
    problems.push_back("mpi: .credits must be between 1 and 1024, not " + std::to_string(how.credits));
  if (how.reserve < 0)
    problems.push_back("mpi: .reserve must be at least 0, not " + std::to_string(how.reserve));
  if (how.patience.count() < 0) problems.emplace_back("mpi: .patience must not be negative");
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

// A program that was asked for something else than its run has done what it was asked for.
[[noreturn]] void leave() {
  std::exit(EXIT_SUCCESS);
}

std::shared_ptr<engine> make_mpi(std::unique_ptr<run_state> state, const void* policy) {
  auto how = static_cast<const mpi*>(policy)->options();
  require_valid(how);
  int is = 0;
  MPI_Finalized(&is);
  if (is != 0) throw error("mpi: MPI has been finalised, after which nothing can be run with it");
  own_comm mine;
  const auto [on, node_of, crowded] = look_around(mine.comm);
  int rank = 0;
  MPI_Comm_rank(mine.comm, &rank);
  const any_policy local = how.local ? *how.local : any_policy(pool{.workers = on.workers(rank)});
  if (profiled(state, rank)) leave();
  const auto plan = requested_plan();
  if (on.size() == 1 && !plan) return local.make(std::move(state));
  agree_on_costs(how, mine.comm);
  if (plan) {
    const auto& where = plan->for_machine ? *plan->for_machine : on;
    const auto places = with_reserves(*state, how, where, map_stages(*state, how, where));
    if (rank == 0) write_whole(plan->file, plan_as_json(*state, how, where, places));
    leave();
  }
  require_same(description(*state, how), mine.comm);
  auto places = with_reserves(*state, how, on, map_stages(*state, how, on));
  require_wires(*state, places);
  keep_memory(how.keep_memory);
  auto times = clocks::measured(mine.comm, node_of);
  auto beat = std::make_unique<pulse>(mine.comm, on.host((rank + on.size() - 1) % on.size()), how.patience);
  auto others = std::make_shared<post>(mine.give_up(), std::move(places), std::move(times), std::move(beat),
                                       how, crowded);
  state->notes = others->notes();
  state->others = std::move(others);
  return local.make(std::move(state));
}

}  // namespace
}  // namespace run_detail::across

mpi::mpi(int& argc, char**& argv, mpi_options options) : options_(std::move(options)) {
  run_detail::across::initialise(&argc, &argv, options_);
  count();
}

mpi::mpi(mpi_options options) : options_(std::move(options)) {
  run_detail::across::initialise(nullptr, nullptr, options_);
  count();
}

void mpi::count() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  const auto plan = run_detail::across::requested_plan();
  if (plan && plan->for_machine) ranks_ = plan->for_machine->size();
}

mpi::operator any_policy() const {
  return {"mpi:" + std::to_string(ranks_), std::make_shared<mpi>(*this), run_detail::across::make_mpi};
}

}  // namespace thalweg
