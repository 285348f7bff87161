/// `mpi`: one job executed by several processes, which speak MPI. Not part of <thalweg/thalweg.hpp>; link
/// thalweg::mpi.
#pragma once

#include <thalweg/model/errors.hpp>
#include <thalweg/model/options.hpp>
#include <thalweg/model/wire.hpp>
#include <thalweg/pattern/travelling.hpp>
#include <thalweg/run/back_end.hpp>
#include <thalweg/run/run.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// A stage and the ranks that execute it, or the hosts: see `mpi_options::place`.
struct stage_place {
  std::string stage;  ///< its name; of a farm or a composite, that of the whole
  /// Of a serial stage one; of a farm one for each replica: a rank may have several.
  std::vector<int> ranks = {};
  /// In place of ranks: names as MPI gives them (`MPI_Get_processor_name`), with or without what is behind
  /// the first dot. A serial stage is executed by one rank there; of a farm all ranks have replicas, as many
  /// as they have cores, or their share of `.replicas`.
  std::vector<std::string> hosts = {};
};

/// What a stage costs: see `mpi_options::costs`.
struct stage_cost {
  std::string stage;                        ///< its name
  std::chrono::duration<double> each = {};  ///< time in its operator for an item
  double items = 1;                         ///< how many it is given for each item of the source
};

/// How items travel from one rank to another: see `mpi_options::comm`.
class mpi_comm {
 public:
  enum class way : std::uint8_t { automatic, two_sided, one_sided };
  constexpr mpi_comm(way w) noexcept : way_(w) {}  // NOLINT(google-explicit-constructor)
  /// Takes nothing but `automatic`.
  constexpr mpi_comm(int asked)  // NOLINT(google-explicit-constructor)
      : way_(asked == automatic
                 ? way::automatic
                 : throw error("mpi: .comm is one_sided, two_sided or automatic, not a number")) {}
  friend constexpr bool operator==(mpi_comm, mpi_comm) = default;

 private:
  way way_;
};
/// Messages of MPI, which the sender sends and the receiver receives.
inline constexpr mpi_comm two_sided = mpi_comm::way::two_sided;
/// Memory from which the receiver fetches what the sender has put there.
inline constexpr mpi_comm one_sided = mpi_comm::way::one_sided;

/// What may be asked of `mpi`.
struct mpi_options {
  /// What executes the stages of one rank. Not given: a pool with this rank's share of the machine's cores.
  std::optional<any_policy> local = {};
  /// How many operators (serial stages and replicas) a rank executes: they are counted along the stream, and
  /// those that follow each other stay together. `automatic`: the source, the sink and what is serial is on
  /// rank 0, and farms are spread over all ranks, unless rank 0 has an eighth of the others' workers or less,
  /// or shares its cores with more ranks than there are.
  int grouping = automatic;
  /// Stages that are to be on certain ranks; the others go where they would be without it.
  std::vector<stage_place> place = {};
  /// What the stages cost; those that are not named cost nothing. Given it, a farm without `.replicas` gets
  /// so many that none is the slowest for long: they are in proportion to its cost. Serial stages that rank 0
  /// has no time for go to ranks of their own. Those of rank 0 hold for all. The environment variable
  /// `THALWEG_COSTS` names a saved report to take in place of it.
  std::vector<stage_cost> costs = {};
  /// Sources and sinks do not share rank 0: each gets a rank of its own, on another host if there are enough,
  /// and farms go to the ranks that are left. Then results are on the rank that executes the sink.
  bool apart = false;
  /// So many ranks, the last ones, execute nothing at first: they wait until `execution::set_replicas` gives
  /// replicas to them. Rank 0 always takes part: there have to be more ranks than these.
  int reserve = 0;
  /// So many more processes of this program may join the run while it goes on. They are started
  /// (`MPI_Comm_spawn`), all at once, when `execution::set_replicas` first asks for more replicas of a farm
  /// than those that are there have workers, and are ranks in reserve from then on; the stream does not wait
  /// for them. They have the same arguments, and execute of all runs of the program this one alone: the
  /// others are over at once. See docs/distributed.md. If they cannot be started the run goes on without
  /// them, and the report has a note. MPI has to be initialised with `MPI_THREAD_MULTIPLE`.
  int spawn = 0;
  /// How many runs of items are sent to a replica in advance, by each rank that sends to it. `automatic`: 3
  /// at first, and 8 to a serial stage; then between 1 and 8, more where a worker had nothing to do while
  /// items waited for it, fewer where that has not happened for long. Where the round trip to the farthest
  /// rank, measured as the run begins, takes longer than the 0.8 ms of work that a run is meant to be, so
  /// many more as are worked on meanwhile (64 MiB from each sender at most).
  int credits = automatic;
  /// How many bytes of items are put into one message at most, unless a single item is larger.
  std::size_t batch_bytes = std::size_t{256} << 10;
  /// How items travel. `two_sided`: by messages of MPI. `one_sided`: between ranks of one machine through
  /// memory that they share, and between machines the receiver fetches blocks from a window of the sender's
  /// memory; it is an error if such memory cannot be had. `automatic`: between ranks of one machine through
  /// memory that they share, if it can be had, and otherwise by messages.
  /// A program that is told so when it first makes a policy, and has not initialised MPI itself, gets
  /// `MPI_THREAD_SERIALIZED` with `one_sided`, otherwise `MPI_THREAD_MULTIPLE`.
  mpi_comm comm = automatic;
  /// The thread of this rank that speaks to the others looks for messages without pause in place of going to
  /// sleep, and makes way for others of its core. To wake a core that sleeps takes some 40 µs, which each hop
  /// to this rank then saves. The rank uses a core all the time for that, as a program does that waits inside
  /// MPI. Ranks may differ in it.
  bool spin = false;
  /// Whether ranks of one machine share memory. If not they are treated as if they were on different
  /// machines.
  bool share_memory = true;
  /// How many bytes that are free each heap of the process keeps, once a run on several ranks has begun, in
  /// place of returning them to the system, which would clear them for the next item again: that can take
  /// longer than it travels. With glibc this is `mallopt`, with others nothing. 0: as the process has it; so
  /// also where the environment has settings of glibc's own (`MALLOC_TRIM_THRESHOLD_` and the like).
  std::size_t keep_memory = std::size_t{64} << 20;
  /// A rank that does not answer for so long while the stream runs is given up: the program is ended on all
  /// ranks, with a line on stderr that names it and its host. 0: they wait for ever, as in a debugger.
  std::chrono::milliseconds patience{3'000};
};

/// What the stages of a run have cost: of one in this process, for a short stream, or of an earlier one on
/// all ranks.
///
/// ```c++
/// const tw::report sample = tw::run(job_over(first_images), tw::sequential{});
/// tw::run(job_over(all_images), tw::mpi({.costs = tw::costs_of(sample)}));
/// ```
[[nodiscard]] std::vector<stage_cost> costs_of(const report& r);
/// The same of a report whose `to_json` was written into a file. \throws error  if it is not one; its text
/// names the file
[[nodiscard]] std::vector<stage_cost> saved_costs(const std::string& file);

/// Executes a job on all processes of an MPI program: `mpirun -n 8 ./program`. Every process builds the same
/// job and runs it; each executes some of its stages. The source and the sink are on rank 0 unless they are
/// placed elsewhere, so there the results are. `run` returns on every rank when the whole stream has ended,
/// with the report of all of them on rank 0 (`report::is_root`). With one rank the job is executed by the
/// local policy alone.
///
/// MPI is initialised if the program has not done so, and finalised at its end by who has initialised it. A
/// program that initialises it has to ask for `MPI_THREAD_FUNNELED` at least, and to call `run` from the
/// thread that did; with `launch`, or with stages on `tw::caller_thread`, for `MPI_THREAD_SERIALIZED`, and
/// must not call MPI itself before `wait` has returned unless it has asked for `MPI_THREAD_MULTIPLE`.
///
/// What travels between ranks needs a `tw::codec`; a type without one is an error: of the compiler if the
/// policy is named in the call of `run`, before the run if it comes as an `any_policy`.
///
/// Order, errors and the end are as under every policy. An exception on any rank ends the run on all; it
/// comes out of `run` everywhere, with its stage, rank and host (`stage_error::rank`).
///
/// Asked by `./thalweg plan` (the environment variable `THALWEG_PLAN`), `run` and `launch` write who would
/// execute what, and end the program; `ranks` is then the number of ranks of the plan.
///
/// What has to stay on one rank: the serial stages of a loop. Farms whose keys are divided up, with a
/// `.schedule`, with timers or in a loop are spread as others are; of such a farm one rank divides up the
/// items.
///
/// `execution::set_replicas` on any rank gives the farms of a run that was launched more replicas, or fewer,
/// over all ranks together, without stopping the stream: where there are fewest they are added, where there
/// are most they are taken away. A farm can have them on all ranks but rank 0 (and there if it began there);
/// one with a `.place` on those that this names, and on the `.reserve`. Called on several ranks at the same
/// time, one of the calls is the last for all. A replica that is taken away works on what is under way to it.
/// Where one rank divides up the items it gives them to other ranks between two runs of items. Keys go there
/// with their states, those of a `key_by` with an update and of a `reduce`, if `tw::keyed<Key, State>` can
/// travel, which nobody but the program can know where types have been erased (`let_travel`); those of other
/// stages stay on the ranks where they are, and the report has a note that says so.
///
/// ```c++
/// int main(int argc, char** argv) {
///   long sum = 0;
///   auto job = tw::source(std::views::iota(0, 1000)) | tw::farm(slow) | tw::sink([&](int x) { sum += x; });
///   tw::report r = tw::run(job, tw::mpi{argc, argv});
///   if (r.is_root()) std::cout << sum << '\n';
/// }
/// ```
class mpi {
 public:
  /// The arguments of the program have to be the same on all ranks, or runs throw: with others it is another
  /// program, most often. Where they may differ (a rank's own log file, say) this is made without them.
  mpi(int& argc, char**& argv, mpi_options options = {});
  explicit mpi(mpi_options options = {});

  operator any_policy() const;  // NOLINT(google-explicit-constructor): a policy is what it stands for

  /// The number of this process, from 0, and how many there are. Those that join a run later
  /// (`mpi_options::spawn`) have numbers from `ranks()` on, and are not counted.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] const mpi_options& options() const noexcept { return options_; }
  /// Those that the program was started with, its name not among them; none if this was made without.
  [[nodiscard]] const std::vector<std::string>& arguments() const noexcept { return arguments_; }

 private:
  void count();

  mpi_options options_;
  std::vector<std::string> arguments_;
  int rank_ = 0;
  int ranks_ = 1;
};

namespace run_detail {

template <class T> void must_travel() {
  if constexpr (!std::is_same_v<T, model::nothing>) {
    static_assert(
        can_travel<T>,
        "thalweg::mpi: items of this type enter or leave a farm, so they travel from one process to "
        "another, but have no codec: specialise thalweg::codec for the type, for example "
        "with thalweg::codec_of_members (it also needs a default constructor)");
    model::add_wire<T>();
  }
}

template <class In, class... Stages> struct wires;
template <class In> struct wires<In> {
  static void add() {}
};
template <class In, class Stage, class... More> struct wires<In, Stage, More...> {
  using out = model::output_of<Stage, In>;
  static void add() {
    if constexpr (model::is_group<Stage>) {
      if constexpr (Stage::replicates) {
        must_travel<In>();
        must_travel<out>();
        add_states(static_cast<const typename Stage::inner_type*>(nullptr));
      }
      add_inner(static_cast<const typename Stage::inner_type*>(nullptr));
    } else if constexpr (!std::is_same_v<out, model::nothing>) {
      model::add_wire<out>();
    }
    wires<out, More...>::add();
  }

 private:
  template <class... Inner> static void add_inner(const pipeline<Inner...>*) { wires<In, Inner...>::add(); }
  // Keys and their states, which may have to go to other ranks.
  template <class First, class... Inner> static void add_states(const pipeline<First, Inner...>*) {
    if constexpr (requires { typename First::template kept<In>; }) {
      model::add_wire<typename First::template kept<In>>();
    } else if constexpr (model::is_group<First>) {
      add_states(static_cast<const typename First::inner_type*>(nullptr));
    }
  }
};

template <class... Stages> void add_wires(const pipeline<Stages...>*) {
  wires<model::nothing, Stages...>::add();
}
template <class Job> void add_wires(const Job*) {}  // types that have been erased

inline const bool mpi_is_known = register_policy("mpi", [](int n) -> any_policy {
  mpi made;
  if (n != automatic && n != made.ranks())
    throw error("mpi:" + std::to_string(n) + ": the program was started with " +
                std::to_string(made.ranks()) + " processes");
  return made;
});

}  // namespace run_detail

/// Makes an item type known that has a codec, for jobs whose types have been erased (`any_pipeline`, a graph)
/// or whose policy is an `any_policy`. Call it before `run`.
template <can_travel T> void let_travel() {
  model::add_wire<T>();
}

/// As `run` and `launch` with any policy, with a check of all item types when it is compiled.
template <runnable Job> report run(Job&& job, const mpi& policy, const run_options& options = {}) {
  run_detail::add_wires(static_cast<const std::remove_cvref_t<Job>*>(nullptr));
  return run(std::forward<Job>(job), any_policy(policy), options);
}
template <runnable Job>
[[nodiscard]] execution launch(Job&& job, const mpi& policy, const run_options& options = {}) {
  run_detail::add_wires(static_cast<const std::remove_cvref_t<Job>*>(nullptr));
  return launch(std::forward<Job>(job), any_policy(policy), options);
}

}  // namespace THALWEG_NAMESPACE
