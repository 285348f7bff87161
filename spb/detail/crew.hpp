/// A run that several processes make together.
#pragma once

#include <string>
#include <vector>

namespace spb::detail {

/// The processes of a run. The first one has the sink, the output and the results, one of them the source;
/// the others have what operators need. All of them call the functions of the interface in the same order.
struct crew {
  int rank = 0;  ///< of this process, from 0: the place among those of the run
  int ranks = 1;
  bool one_thread = false;  ///< each has one that works on the stream
  bool has_source = true;   ///< this process
  /// Tells the others something, and gives what each has told, by rank. Waits for all of them.
  std::vector<std::string> (*exchange)(const std::string& mine) = nullptr;
  /// Ends what ties it to the others, before the process ends in another way than by `exit`. Waits for them.
  void (*leave)() = nullptr;

  [[nodiscard]] bool first() const { return rank == 0; }
};

/// This process is one of several, from `init_bench` on.
void join(const crew& of);

}  // namespace spb::detail
