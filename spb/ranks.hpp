/// Benchmark programs of several processes, which speak MPI.
///
/// ```cpp
/// #include <mandelbrot.hpp>
/// #include <ranks.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_ranks(argc, argv, spb::rank_threads::one);
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   // rank 0 calls Source::op and Sink::op, the others call operators
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
#pragma once

namespace spb {

/// How many threads of a rank work on the stream: one, or as many as `-nthreads` says.
enum class rank_threads { one, as_asked };

/// Which ranks have source and sink.
struct ends {
  int source = 0;
  int sink = 0;
};

/// To be called on all ranks, before `init_bench`. Initialises MPI, unless the program has done so, for calls
/// by this thread; MPI is finalised at the end of the process.
///
/// From then on all ranks make one run. The rank with the sink writes output and results, and tells of the
/// run. The others read the same options and open the same input, for what operators need of it, and write
/// nothing. `Metrics::init` and `Metrics::stop` wait for all ranks: processor time and memory are those
/// of all. An error on any rank ends all of them with exit code 1. One of those that have one tells it:
/// the sink's rank last, as it may only see what others have not done.
/// `threads`: where it is `one`, an `-nthreads` of more is such an error. `at`: both are on rank 0 unless the
/// program says something else; where they are not on one rank, latencies are right if both read one clock.
void init_ranks(int& argc, char**& argv, rank_threads threads, ends at = {});

/// How many replicas a farm needs to have one for each thread of the ranks that only work: all but the first,
/// or that alone. Behind `init_bench`.
int replicas();

}  // namespace spb
