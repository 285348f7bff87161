// What the program prints: one JSON object a line, so that progress, results and a crash half way can all be
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace micro {

/// What a row is held against: the lower end of the 95 % interval of its median must not be above it.
enum class bar_on {
  ratio,  ///< The ratio to the reference.
  value   ///< The value itself.
};

struct bar {
  double limit = 0;
  bar_on on = bar_on::ratio;
};

/// One measured thing.
struct row {
  std::string bench;    ///< The benchmark, such as `grain`.
  std::string variant;  ///< Which of its cases, such as `87 ns`.
  std::string peer;
  std::string setting;
  std::string role = "default";  ///< `default`, `tuned` (the best setting found) or `reference`.
  std::string metric = "time";   ///< What is sampled; several rows may give several metrics of one contender.
  std::string unit = "ns/item";
  std::vector<double> samples;  ///< What was measured, as a rule one a repeat.
  std::string against;          ///< The reference, run just before in the same repeat; empty without one.
  std::vector<double> ratios;   ///< Of samples to those of the reference: below 1 is better.
  std::optional<bar> limit;
  std::vector<double> parallelism;  ///< Processor time over wall time: the cores really used. May be empty.
  std::uint64_t items = 0;
  int repeats = 0;
};

/// Prints to standard output; every line is complete when the call returns.
class reporter {
 public:
  /// `mpi`: the MPI that is used, if any.
  void machine(const std::string& mpi = {});
  void unavailable(const std::string& peer, const std::string& what_to_do);
  void begin(const std::string& bench, const std::string& says);
  /// `done` of `steps` of the current benchmark; `doing` names what comes next.
  void progress(const std::string& bench, int done, int steps, const std::string& doing);
  void result(const row& row);
  /// A contender whose output was not that of the loop, or that failed: it is not compared.
  void wrong(const std::string& bench, const std::string& variant, const std::string& who,
             const std::string& why);
  void end(const std::string& bench, double seconds);
  bool anything_wrong() const { return wrong_; }

 private:
  void print(const nlohmann::json& line);
  bool wrong_ = false;
};

}  // namespace micro
