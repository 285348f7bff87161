/// The command line of `thalweg-spar`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace thalweg::spar {

struct options {
  std::string input;
  std::string output;                        ///< empty: the standard output
  std::string policy = "pool";               ///< what the program uses unless its environment says otherwise
  std::string database;                      ///< the folder of compile_commands.json; empty: `compiler`
  std::vector<std::string> compiler;         ///< options of the compiler, behind `--`
  enum class what { program, picture, dot, suggestions } gives = what::program;
  bool blocking = false;                     ///< all stages wait for the outside
  bool print = false;                        ///< the program goes to the standard error stream, too
  bool file = false;                         ///< the program goes into a file beside the source
  std::optional<int> on_demand;              ///< how many items wait for each replica at most
  [[nodiscard]] bool mpi() const { return policy == "mpi" || policy.starts_with("mpi:"); }
};

/// Throws std::invalid_argument, which says what is wrong.
[[nodiscard]] options options_from(int argc, const char* const* argv);

[[nodiscard]] std::string usage();

}  // namespace thalweg::spar
