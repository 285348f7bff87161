/// `mpi`: one job executed by several processes, which speak MPI. Not part of <thalweg/thalweg.hpp>; link
/// thalweg::mpi.
#pragma once

#include <thalweg/model/wire.hpp>
#include <thalweg/run/back_end.hpp>
#include <thalweg/run/run.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

/// A stage and the ranks that execute it: see `mpi_options::place`.
struct stage_place {
  std::string stage;       ///< its name; of a farm or a composite, that of the whole
  std::vector<int> ranks;  ///< of a serial stage one; of a farm one for each replica: a rank may have several
};

/// What may be asked of `mpi`.
struct mpi_options {
  /// What executes the stages of one rank. Not given: a pool with this rank's share of the machine's cores.
  std::optional<any_policy> local = {};
  /// How many operators (serial stages and replicas) a rank executes: they are counted along the stream, and
  /// those that follow each other stay together. `automatic`: the source, the sink and what is serial is on
  /// rank 0, and farms are spread over all the others.
  int grouping = automatic;
  /// Stages that are to be on certain ranks; the others go where they would be without it.
  std::vector<stage_place> place = {};
  /// How many runs of items are sent to a replica in advance, by each rank that sends to it. `automatic`: 2,
  /// and 8 to a serial stage.
  int credits = automatic;
  /// How many bytes of items are put into one message at most, unless a single item is larger.
  std::size_t batch_bytes = std::size_t{256} << 10;
};

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
/// What has to stay on one rank: loops of a graph, farms whose keys are divided up, with a `.schedule` or
/// with timers. The number of replicas cannot be changed while it runs.
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
  mpi(int& argc, char**& argv, mpi_options options = {});
  explicit mpi(mpi_options options = {});

  operator any_policy() const;  // NOLINT(google-explicit-constructor): a policy is what it stands for

  /// The number of this process, from 0, and how many there are.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] const mpi_options& options() const noexcept { return options_; }

 private:
  mpi_options options_;
  int rank_ = 0;
  int ranks_ = 1;
};

namespace run_detail {

template <class T> void must_travel() {
  if constexpr (!std::is_same_v<T, model::nothing>) {
    static_assert(
        can_travel<T>,
        "thalweg::mpi: items of this type come to a farm or from it, and so travel from one process "
        "to another, but have no codec: specialise thalweg::codec for it, by "
        "thalweg::codec_of_members, say (and it needs a default constructor)");
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
      }
      add_inner(static_cast<const typename Stage::inner_type*>(nullptr));
    } else if constexpr (!std::is_same_v<out, model::nothing>) {
      model::add_wire<out>();
    }
    wires<out, More...>::add();
  }

 private:
  template <class... Inner> static void add_inner(const pipeline<Inner...>*) { wires<In, Inner...>::add(); }
};

template <class... Stages> void add_wires(const pipeline<Stages...>*) {
  wires<model::nothing, Stages...>::add();
}
template <class Job> void add_wires(const Job*) {}  // types that have been erased

inline const bool mpi_is_known = register_policy("mpi", [](int n) -> any_policy {
  mpi made;
  if (n != automatic && n != made.ranks())
    throw error("mpi:" + std::to_string(n) + ": the program has been started with " +
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

}  // namespace thalweg
