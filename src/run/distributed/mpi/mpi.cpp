#include <thalweg/observe/text.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <mpi.h>

#include "../../parts.hpp"
#include "../../run_sampler.hpp"
#include "../graph/spread.hpp"
#include "absent.hpp"
#include "clocks.hpp"
#include "collective.hpp"
#include "communicator.hpp"
#include "environment.hpp"
#include "heartbeat.hpp"
#include "joiner.hpp"
#include "joining.hpp"
#include "local_policy.hpp"
#include "malloc_tuning.hpp"
#include "mapping.hpp"
#include "message.hpp"
#include "plan.hpp"
#include "rendezvous.hpp"
#include "stage_edges.hpp"
#include "valid_options.hpp"

namespace THALWEG_NAMESPACE {

namespace run_detail::distributed {

namespace {

// The first to need MPI initialises it. If that is the library it also finalises it.
void initialise(int* argc, char*** argv, const mpi_options& how) {
  static std::mutex one_by_one;
  const std::lock_guard hold(one_by_one);
  int is = 0;
  MPI_Finalized(&is);
  if (is != 0) throw error("mpi: MPI has been finalised, so no job can run with it any more");
  MPI_Initialized(&is);
  if (is != 0) {
    (void)joiner::here();
    return begin_rendezvous(false);
  }
  int given = 0;
  // One thread at a time is what runs need. The program may want more, but Open MPI 4 then has no windows
  // over TCP.
  const bool one_at_a_time = how.comm == thalweg::one_sided && how.spawn == 0;
  MPI_Init_thread(argc, argv, one_at_a_time ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &given);
  (void)joiner::here();  // before, since what is made first is left last
  begin_rendezvous(true);
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) return;
    require_no_run();
    MPI_Finalize();
  });
}

// All ranks get what rank 0 has.
void take_from_root(bytes& what, MPI_Comm comm) {
  auto n = static_cast<int>(what.size());
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  what.resize(read_or_end(comm, [&] { return checked_length(0, static_cast<std::uint64_t>(n)); }));
  MPI_Bcast(what.data(), n, MPI_BYTE, 0, comm);
}

constexpr const char* costs_variable = "THALWEG_COSTS";

// The costs that rank 0 knows hold for all: a file may be on its host alone. Returns where they are from.
std::string agree_on_costs(mpi_options& how, MPI_Comm comm) {
  const int rank = rank_in(comm);
  bytes text;
  std::string problem, from_where = ".costs";
  std::vector<std::tuple<std::string, double, double>> costs;
  if (rank == 0) {
    try {
      if (const char* const file = std::getenv(costs_variable)) {
        how.costs = saved_costs(file);
        from_where = costs_variable;
      }
    } catch (const error& e) {
      problem = e.what();
    }
    for (const auto& c : how.costs) costs.emplace_back(c.stage, c.each.count(), c.items);
    byte_writer to(text);
    to(problem, from_where, costs);
  }
  take_from_root(text, comm);
  byte_reader from(text);
  from(problem, from_where, costs);
  if (!problem.empty()) throw error(problem);
  how.costs.clear();
  for (auto& [stage, each, items] : costs)
    how.costs.push_back({std::move(stage), std::chrono::duration<double>(each), items});
  return from_where;
}

// What has to be the same on all ranks, a line for each thing.
std::string description(const run_state& run, const mpi_options& how,
                        const std::vector<std::string>& arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto one = arguments[i];
    std::replace(one.begin(), one.end(), '\n', ' ');
    text += "argument " + std::to_string(i + 1) + ": '" + one + "'\n";
  }
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const auto& s = *run.stages[i].info;
    text += "stage " + std::to_string(i + 1) + ": '" + s.name + "', " + s.pattern;
    if (s.farm >= 0) text += " in farm " + std::to_string(s.farm);
    if (s.replicas != automatic && s.farm >= 0) text += ", .replicas = " + std::to_string(s.replicas);
    if (s.unordered) text += ", unordered";
    if (s.opts.capacity != automatic) text += ", .capacity = " + std::to_string(s.opts.capacity);
    if (s.opts.blocking) text += ", .blocking";
    if (s.out != nullptr) {
      const auto* const wire = model::wire_of(*s.out);
      text += ", gives " + (wire == nullptr ? model::type_name(*s.out) : wire->tag());
    }
    if (keys_travel(run, i)) {
      const auto keys = run.plan.components[run.stages[i].component]->make_states(run.stages[i].stage);
      text += ", keeps " + model::wire_of(keys->item_type())->tag();
    }
    text += '\n';
  }
  const auto option = [&](std::string_view name, const std::string& value) {
    text.append(".").append(name).append(" = ").append(value) += '\n';
  };
  option("grouping", std::to_string(how.grouping));
  option("credits", std::to_string(how.credits));
  option("batch_bytes", std::to_string(how.batch_bytes));
  option("comm", how.comm == thalweg::two_sided   ? "two_sided"
                 : how.comm == thalweg::one_sided ? "one_sided"
                                                  : "automatic");
  option("share_memory", how.share_memory ? "true" : "false");
  option("apart", how.apart ? "true" : "false");
  option("reserve", std::to_string(how.reserve));
  option("spawn", std::to_string(how.spawn));
  option("patience", std::to_string(how.patience.count()) + " ms");
  for (const auto& p : how.place) {
    auto where = "'" + p.stage + "' on";
    for (const int r : p.ranks) where += " " + std::to_string(r);
    for (const auto& h : p.hosts) where += " " + h;
    option("place", where);
  }
  // Last, so that a rank with other stages hears of its stages first.
  for (const auto& c : run.plan.connections()) {
    const auto end = [&](std::size_t component, std::size_t stage, std::size_t port) {
      return "'" + run.stages[run.first_of_component[component] + stage].info->name + "' (" +
             std::to_string(port) + ")";
    };
    text += "connection of " + end(c.from, run.plan.components[c.from]->stages().size() - 1, c.from_port) +
            " to " + end(c.to, 0, c.to_port);
    if (c.opts.capacity != automatic) text += ", .capacity = " + std::to_string(c.opts.capacity);
    if (c.opts.bytes != automatic) text += ", .bytes = " + std::to_string(c.opts.bytes);
    if (c.opts.loop_limit != automatic) text += ", .loop_limit = " + std::to_string(c.opts.loop_limit);
    if (c.opts.when_full != when_full::block)
      text += c.opts.when_full == when_full::drop_new ? ", .when_full = drop_new" : ", .when_full = drop_old";
    if (c.opts.pipe) text += ", a custom .pipe";
    text += '\n';
  }
  return text;
}

// The first line of two descriptions that is not the same, in words.
std::string difference(std::string_view mine, std::string_view others) {
  const auto next = [](std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
  };
  for (;;) {
    const auto a = next(mine), b = next(others);
    if (a == b) continue;
    const auto shown = [](std::string_view line) {
      return line.empty() ? std::string("nothing like it") : "[" + std::string(line) + "]";
    };
    return "it has " + shown(a) + ", but rank 0 has " + shown(b);
  }
}

// Empty if there is none; else what becomes of it if it cannot be written, which rank 0 does at the end.
std::string trace_problem(const run_state& run) {
  if (run.options.trace.empty()) return {};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> there(std::fopen(run.options.trace.c_str(), "ab"),
                                                              std::fclose);
  if (there) return {};
  return " cannot write the trace to '" + run.options.trace + "': " + std::generic_category().message(errno);
}

// It may listen at an address: what fails there has to be known before all ranks begin.
void begin_planner(std::optional<adapt>& how) {
  if (!how) return;
  const auto begun = how->planner.begin();
  how->planner = adaptation::planner(how->planner.name(), [begun] { return begun; });
}

// Of what rank 0 does for all: files that it writes, and its planner. Empty if there is none; the file of the
// samples is open from now on, and the planner has begun.
std::string problem_of_root(run_state& run, int rank) {
  if (rank != 0) return {};
  try {
    if (run_sampler::asked_for(run.options)) run.sampler = std::make_unique<run_sampler>(run);
    begin_planner(run.options.adapt);
  } catch (const std::exception& e) {
    return std::string(" ") + e.what();
  }
  return trace_problem(run);
}

// Throws on all ranks if one of them has a problem, or is to run something else than rank 0.
void require_same(const std::string& mine, const std::string& own_problem, MPI_Comm comm) {
  const auto* const begin = reinterpret_cast<const std::byte*>(mine.data());
  bytes first(begin, begin + mine.size());
  take_from_root(first, comm);
  const std::string_view root(reinterpret_cast<const char*>(first.data()), first.size());
  constexpr const char* another =
      " runs another job than rank 0, or the same with other options or arguments: ";
  const auto other_job = mine == root ? std::string()
                                      : another + difference(mine, root) +
                                            "; all ranks must start the same program and build the same job";
  const auto problem = first_of(own_problem.empty() ? other_job : own_problem, comm);
  if (!problem.empty()) throw error("mpi: " + problem);
}

// What is known before anything runs: all that cannot travel although it would have to.
void require_wires(const run_state& run, const dataflow::mapping& places) {
  std::vector<std::string> problems;
  for (const auto& w : stage_channels_of(run)) {
    const auto& a = places[w.from];
    const auto& b = places[w.to];
    if (a == b && a.size() == 1) continue;
    if (model::wire_of(*w.items) == nullptr)
      problems.push_back("mpi: items of type " + model::type_name(*w.items) + " travel from stage '" +
                         run.stages[w.from].info->name + "' to stage '" + run.stages[w.to].info->name +
                         "' on another rank, but have no codec here: call thalweg::let_travel<" +
                         model::type_name(*w.items) + ">() before the run" +
                         (run.plan.is_line ? ", or name the policy thalweg::mpi in it" : "") +
                         " (a type with pointers or of several parts also needs a thalweg::codec)");
  }
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

struct own_comm {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit own_comm(MPI_Comm c) : comm(c) {}
  own_comm(const own_comm&) = delete;
  own_comm& operator=(const own_comm&) = delete;
  ~own_comm() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  MPI_Comm give_up() noexcept { return std::exchange(comm, MPI_COMM_NULL); }
};

// How many replicas of each stage the ranks have room for that begin the run: a worker for each, unless more
// were asked for.
std::vector<int> room_for(const dataflow::mapping& places, const machine& on, const any_policy& local) {
  const bool alone = local.name() == "sequential";
  std::vector<int> all;
  for (const auto& at : places) {
    auto& room = all.emplace_back(0);
    for (const auto& p : at) {
      // Rank 0 gets replicas later only as `set_ranks` says, and then nobody joins.
      if (p.rank < on.size() && dataflow::may_have_replicas(p, 0))
        room += std::max(p.replicas, alone ? 1 : on.workers(p.rank));
    }
  }
  return all;
}

// What keeps processes from joining, if anything does; the same on all ranks.
std::string obstacle(const dataflow::mapping& places, int ranks, MPI_Comm comm) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  int least = 0;
  MPI_Allreduce(&level, &least, 1, MPI_INT, MPI_MIN, comm);
  if (least < MPI_THREAD_MULTIPLE)
    return "mpi: .spawn needs MPI_THREAD_MULTIPLE, but MPI was not initialised with it or does not provide "
           "it: "
           "no process can join the run";
  const bool any = std::any_of(places.begin(), places.end(),
                               [&](const auto& at) { return !at.empty() && at.back().rank >= ranks; });
  return any ? std::string()
             : "mpi: .spawn: no stage can have replicas in processes that join (a farm can, unless its "
               "items are divided or it is in a loop)";
}

// Which of the program's runs is the next one: the same on all ranks, and in those that join.
std::int64_t next_run() {
  static std::atomic<std::int64_t> runs{0};
  return ++runs;
}

// Of a process that was started to join a run. It executes no other run.
std::shared_ptr<engine> make_joiner(joiner& self, std::unique_ptr<run_state> state, const mpi_options& how,
                                    const std::vector<std::string>& arguments, std::int64_t number) {
  const auto& to = self.request();
  if (number != to.run) return std::make_shared<absent>(std::move(state));
  if (!self.meets(description(*state, how, arguments), state->stages.size(), workers_asked_for(how)))
    return std::make_shared<absent>(std::move(state));
  tune_malloc(how.keep_memory);
  const auto& all = self.all();
  auto others = std::make_shared<communicator>(all, to.first, to.places, how);
  std::shared_ptr<engine> made;
  try {
    state->others = others;
    made = make_local(local_policy(how, all.env.all.workers(self.rank())), std::move(state));
  } catch (...) {
    (void)all.all_agree(false);
    self.part();
    throw;
  }
  if (all.all_agree(true)) {
    others->members().take_part(std::make_unique<heartbeat>(all.comm, all.env, how.patience));
  } else {
    others->members().stay_apart();
    self.part();
  }
  return made;
}

// A program that was asked for something else than its run has done what it was asked for.
[[noreturn]] void leave() {
  std::exit(EXIT_SUCCESS);
}

// The program may not catch what it does not expect of a run.
void give_answer(const std::string& file, const std::string& text) {
  try {
    write_whole(file, text);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "thalweg: the plan cannot be written: %s\n", observe::printable(e.what()).c_str());
    std::exit(EXIT_FAILURE);
  }
}

// Each run has a communication thread.
void require_threads_for_another() {
  int level = MPI_THREAD_SINGLE, is = 0;
  MPI_Initialized(&is);
  if (is == 0 || !is_in_run()) return;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    throw error(
        "mpi: another run of this process goes on, and for several at once MPI must be initialised with "
        "MPI_THREAD_MULTIPLE");
}

std::shared_ptr<engine> made(std::unique_ptr<run_state> state, mpi_options how,
                             const std::vector<std::string>& arguments) {
  // Threads that begin runs at once do so one after the other.
  static std::mutex beginning;
  const std::lock_guard hold(beginning);
  const auto number = next_run();
  require_valid(how);
  require_threads_for_another();
  int is = 0;
  MPI_Finalized(&is);
  if (is != 0) throw error("mpi: MPI has been finalised, so no job can run with it any more");
  if (auto* const self = joiner::here()) return make_joiner(*self, std::move(state), how, arguments, number);
  own_comm mine(rendezvous(number, how.patience));
  const auto watch = watch_before(how.patience);
  const auto env = look_around(mine.comm, workers_asked_for(how));
  const auto& on = env.all;
  const int rank = rank_in(mine.comm);
  const auto local = local_policy(how, on.workers(rank));
  if (profiled(state, rank)) leave();
  const auto plan = requested_plan();
  require_possible(how, plan && plan->for_machine ? plan->for_machine->size() : on.size());
  if (on.size() == 1 && how.spawn == 0 && !plan) {
    // For what is wrong with them.
    if (!how.place.empty() || !how.costs.empty()) (void)map_stages(*state, how, on);
    note_if_not_apart(*state, how, on.size());
    return local.make(std::move(state));
  }
  const auto costs_from = agree_on_costs(how, mine.comm);
  if (plan) {
    auto where = plan->for_machine ? *plan->for_machine : on;
    if (const int asked = workers_asked_for(how); plan->for_machine && asked != automatic) {
      for (auto& r : where.ranks) r.workers = asked;
    }
    const auto places = with_reserves(*state, how, where, map_stages(*state, how, where, costs_from));
    require_wires(*state, places);
    if (rank == 0) give_answer(plan->file, plan_as_json(*state, how, where, places));
    leave();
  }
  require_one_way_to_place(how, costs_from);
  const auto job = description(*state, how, arguments);
  require_same(job, problem_of_root(*state, rank), mine.comm);
  auto places = with_reserves(*state, how, on, map_stages(*state, how, on, costs_from));
  require_wires(*state, places);
  tune_malloc(how.keep_memory);
  auto times = clocks::measured(mine.comm, env.node_of);
  auto beat = std::make_unique<heartbeat>(mine.comm, env, how.patience);
  std::unique_ptr<joining> door;
  std::vector<int> room;
  std::string problem;
  if (how.spawn > 0) {
    problem = obstacle(places, on.size(), mine.comm);
    room = room_for(places, on, local);
    if (problem.empty())
      door = std::make_unique<joining>(mine.comm, join_request{on.size(), how.spawn, number, job, places},
                                       how.patience, workers_asked_for(how));
  }
  auto others = std::make_shared<communicator>(mine.give_up(), std::move(places), std::move(times),
                                               std::move(beat), how, env);
  state->statistics.notes = others->notes();
  if (rank == 0) note_if_not_apart(*state, how, on.size());
  if (!problem.empty() && rank == 0) state->statistics.notes.push_back(problem);
  if (door) others->members().can_be_joined(std::move(door), std::move(room));
  state->others = std::move(others);
  return make_local(local, std::move(state));
}

std::shared_ptr<engine> make_mpi(std::unique_ptr<run_state> state, const void* policy) {
  try {
    const auto& given = *static_cast<const mpi*>(policy);
    return made(std::move(state), given.options(), given.arguments());
  } catch (const error& e) {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (const auto plan = requested_plan(); plan && finalised == 0) {
      const int rank = rank_in(MPI_COMM_WORLD);
      if (rank == 0) give_answer(plan->file, problems_as_json(e));
    }
    throw;
  }
}

}  // namespace
}  // namespace run_detail::distributed

mpi::mpi(int& argc, char**& argv, mpi_options options) : options_(std::move(options)) {
  run_detail::distributed::initialise(&argc, &argv, options_);
  if (argc > 1) arguments_.assign(argv + 1, argv + argc);
  count();
}

mpi::mpi(mpi_options options) : options_(std::move(options)) {
  run_detail::distributed::initialise(nullptr, nullptr, options_);
  count();
}

void mpi::count() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  if (const auto* const self = run_detail::distributed::joiner::here()) {
    rank_ = self->rank();
    ranks_ = self->request().first;
  }
  const auto plan = run_detail::distributed::requested_plan();
  if (plan && plan->for_machine) ranks_ = plan->for_machine->size();
}

mpi::operator any_policy() const {
  return {"mpi:" + std::to_string(ranks_), std::make_shared<mpi>(*this), run_detail::distributed::make_mpi};
}

}  // namespace THALWEG_NAMESPACE
