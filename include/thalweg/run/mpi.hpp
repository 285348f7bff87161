/// `mpi`: one job executed by several processes, over MPI. Not part of <thalweg/thalweg.hpp>; link
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
  /// One for a serial stage; for a farm one for each replica: a rank may have several.
  std::vector<int> ranks = {};
  /// Instead of ranks: names as MPI gives them (`MPI_Get_processor_name`), with or without the part after the
  /// first dot. One rank there executes a serial stage; all ranks there have replicas of a farm, as many as
  /// they have cores, or their share of `.replicas`.
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
  enum class way : std::uint8_t { by_machine, two_sided, one_sided };
  constexpr mpi_comm(way w) noexcept : way_(w) {}  // NOLINT(google-explicit-constructor)
  /// Accepts only `automatic`.
  constexpr mpi_comm(int asked)  // NOLINT(google-explicit-constructor)
      : way_(asked == automatic
                 ? way::by_machine
                 : throw error("mpi: .comm is one_sided, two_sided or automatic, not a number")) {}
  friend constexpr bool operator==(mpi_comm, mpi_comm) = default;

 private:
  way way_;
};
/// Messages of MPI, which the sender sends and the receiver receives.
inline constexpr mpi_comm two_sided = mpi_comm::way::two_sided;
/// Memory from which the receiver fetches what the sender has put there.
inline constexpr mpi_comm one_sided = mpi_comm::way::one_sided;

/// The options of `mpi`.
struct mpi_options {
  /// The policy that executes the stages of one rank. By default a pool with this rank's share of the
  /// machine's cores.
  std::optional<any_policy> local = {};
  /// How many operators (serial stages and replicas) a rank executes: they are counted along the stream, and
  /// neighbours stay together. `automatic`: the source, the sink and all serial stages are on rank 0, and
  /// farms are spread over all ranks, unless rank 0 has an eighth of the others' workers or less, or shares
  /// its cores with more ranks than there are cores.
  int grouping = automatic;
  /// Stages that must be on certain ranks; the others go where they would be without it.
  std::vector<stage_place> place = {};
  /// What the stages cost; stages that are not named cost nothing. With it, a farm without `.replicas` gets
  /// replicas in proportion to its cost, so that no farm is the slowest for long. Serial stages that rank 0
  /// has no time for go to other ranks. What a `.blocking` stage takes keeps no worker busy. The costs given
  /// on rank 0 hold for all. The environment variable `THALWEG_COSTS` names a saved report to use instead.
  std::vector<stage_cost> costs = {};
  /// Sources and sinks do not share rank 0: each gets a separate rank, on another host if there are enough,
  /// and farms go to the remaining ranks. Then results are on the rank that executes the sink.
  bool apart = false;
  /// This many ranks, the last ones, execute nothing at first: they wait until `execution::set_replicas`
  /// gives replicas to them. Rank 0 always takes part: there must be more ranks than these.
  int reserve = 0;
  /// This many more processes of this program may join the run while it goes on. They are started
  /// (`MPI_Comm_spawn`), all at once, when `execution::set_replicas` first asks for more replicas of a farm
  /// than the present ranks have workers, and are ranks in reserve from then on; the stream does not wait for
  /// them. They have the same arguments, and take part in this run only: the program's other runs are over at
  /// once in them. See docs/distributed.md. If they cannot be started, the run goes on without them, and the
  /// report has a note. MPI must be initialised with `MPI_THREAD_MULTIPLE`.
  int spawn = 0;
  /// How many runs of items are sent to a replica in advance, by each rank that sends to it. `automatic`: 3
  /// at first, and 8 to a serial stage; then between 1 and 8, more if a worker had nothing to do while items
  /// waited for it, fewer if that has not happened for long. If the round trip to the farthest rank, measured
  /// as the run begins, takes longer than the 0.8 ms of work that a run should have, more runs are sent: as
  /// many as are worked on meanwhile (at most 64 MiB from each sender).
  int credits = automatic;
  /// How many bytes of items are put into one message at most, unless a single item is larger.
  std::size_t batch_bytes = std::size_t{256} << 10;
  /// How items travel. `two_sided`: by messages of MPI. `one_sided`: between ranks of one machine through
  /// memory that they share, and between machines the receiver fetches blocks from a window of the sender's
  /// memory; it is an error if there is no such memory. `automatic`: between ranks of one machine through
  /// memory that they share, if there is any, and otherwise by messages. A program that sets this when it
  /// first makes a policy, and has not initialised MPI itself, gets `MPI_THREAD_SERIALIZED` with `one_sided`,
  /// otherwise `MPI_THREAD_MULTIPLE`.
  mpi_comm comm = automatic;
  /// The communication thread of this rank looks for messages without pause instead of going to sleep, and
  /// yields to other threads of its core. Waking a sleeping core takes some 40 µs, which each hop to this
  /// rank then saves. In exchange the rank uses a core all the time, like a program that waits inside MPI.
  /// Ranks may differ in it.
  bool spin = false;
  /// Whether ranks of one machine share memory. If not, they are treated as if they were on different
  /// machines.
  bool share_memory = true;
  /// How many free bytes each heap of the process keeps after a run on several ranks has begun, instead of
  /// returning them to the system, which would clear them again for the next item: that can take longer than
  /// sending it. This is `mallopt` with glibc, and nothing with other libraries. 0: as the process has it;
  /// also if the environment has glibc's own settings (`MALLOC_TRIM_THRESHOLD_` and the like).
  std::size_t keep_memory = std::size_t{64} << 20;
  /// A rank that does not answer for this long while the stream runs is given up: the program ends on all
  /// ranks, with a line on stderr that names the rank and its host. 0: they wait forever, for example in a
  /// debugger.
  std::chrono::milliseconds patience{3'000};
};

/// What the stages of a run have cost: of a run in this process, over a short stream, or of an earlier one on
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
/// placed elsewhere, so the results are there. `run` returns on every rank when the whole stream has ended,
/// with the report of all of them on rank 0 (`report::is_root`). With one rank the job is executed by the
/// local policy alone.
///
/// The library initialises MPI if the program has not done so, and then also finalises it at the end. A
/// program that initialises it must ask for `MPI_THREAD_FUNNELED` at least, and call `run` from the same
/// thread; with `launch`, or with stages on `tw::caller_thread`, for `MPI_THREAD_SERIALIZED`, and must not
/// call MPI itself before `wait` has returned unless it has asked for `MPI_THREAD_MULTIPLE`.
///
/// Items that travel between ranks need a `tw::codec`; a type without one is an error: at compile time if the
/// policy is named in the call of `run`, before the run if it is an `any_policy`.
///
/// Order, errors and the end are as under every policy. An exception on any rank ends the run on all; it
/// comes out of `run` everywhere, with its stage, rank and host (`stage_error::rank`).
///
/// Under `./thalweg plan` (the environment variable `THALWEG_PLAN`), `run` and `launch` write which rank
/// would execute what, and end the program; `ranks` is then the number of ranks of the plan.
///
/// The serial stages of a loop must stay on one rank. Farms whose keys are divided, with a `.schedule`, with
/// timers or in a loop are spread like others; one rank divides the items of such a farm.
///
/// `execution::set_replicas` on any rank gives the farms of a run that was launched more replicas, or fewer,
/// over all ranks together, without stopping the stream: where there are fewest they are added, where there
/// are most they are taken away. A farm can have them on all ranks except rank 0 (and there if it began
/// there); a farm with a `.place` on the ranks that this names, and on the `.reserve`. Of calls on several
/// ranks at the same time, the same one is the last for all. A replica that is taken away still works on what
/// is under way to it. If one rank divides the items, it gives them to other ranks between two runs of items.
/// Keys go there with their states, those of a `key_by` with an update and of a `reduce`, if `tw::keyed<Key,
/// State>` can travel; where types have been erased, the program must say so (`let_travel`). Those of other
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
  /// The arguments of the program must be the same on all ranks, or runs throw: other arguments usually mean
  /// another program. If they may differ (for example in a rank's log file), construct this without them.
  mpi(int& argc, char**& argv, mpi_options options = {});
  explicit mpi(mpi_options options = {});

  operator any_policy() const;  // NOLINT(google-explicit-constructor): a policy is what it stands for

  /// The number of this process, from 0, and how many there are. Those that join a run later
  /// (`mpi_options::spawn`) have numbers from `ranks()` on, and are not counted.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] const mpi_options& options() const noexcept { return options_; }
  /// The arguments that the program was started with, without its name; none if this was made without them.
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
  // Keys and their states, which may move to other ranks.
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

inline any_policy mpi_of_all_ranks(int n) {
  mpi made;
  if (n != automatic && n != made.ranks())
    throw error("mpi:" + std::to_string(n) + ": the program was started with " +
                std::to_string(made.ranks()) + " processes");
  return made;
}
inline const registered_policy mpi_is_known{"mpi", mpi_of_all_ranks};

}  // namespace run_detail

/// Registers an item type that has a codec, for jobs whose types have been erased (`any_pipeline`, a graph)
/// or whose policy is an `any_policy`. Call it before `run`.
template <can_travel T> void let_travel() {
  model::add_wire<T>();
}

/// Like `run` and `launch` with any policy, with a check of all item types at compile time.
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
