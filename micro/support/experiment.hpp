// Interleaved, paired measurement: what makes a ratio mean something on a noisy machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../peers/peer.hpp"
#include "clock.hpp"
#include "raw.hpp"
#include "report.hpp"

namespace micro {

/// What one run took.
struct sample {
  double wall = 0;       ///< Nanoseconds.
  double processor = 0;  ///< Nanoseconds of all threads.
  double messages = 0;   ///< Sent from process to process.
};

/// What has been used so far.
struct usage {
  nanos processor = 0;
  std::uint64_t messages = 0;
};

/// That of this process, which sends no messages.
inline usage own_usage() {
  return {processor_time(), 0};
}

/// Runs once and measures, after threads that earlier runs left behind have come to rest. `used`: is read
/// before and behind the run. Throws `wrong_output` when the checksum is not `expected`.
sample measure_once(const contender& who, std::uint64_t expected,
                    const std::function<usage()>& used = own_usage);

/// Which of a peer's settings costs least in short trials, whatever it is that `cost` measures: all are tried
/// once, and the best of them once more. Nothing if that is the default. Settings that fail are reported and
/// left out.
std::optional<std::size_t> best_setting(const std::vector<contender>& settings,
                                        const std::function<double(const contender&)>& cost,
                                        const std::string& bench, const std::string& variant, reporter& out);

/// A group of contenders that are compared. Each repeat runs them in a new random order, and each of them
/// just after its reference; a ratio is always that of two neighbouring runs.
class experiment {
 public:
  /// `used`: what the contenders have used, where that is more than what this process has.
  experiment(std::string bench, std::string variant, std::uint64_t items,
             std::function<usage()> used = own_usage)
      : bench_(std::move(bench)), variant_(std::move(variant)), items_(items), used_(std::move(used)) {}

  using index = std::size_t;

  /// Something else that is to be shown of each contender: from what a run took and, unless it is a
  /// reference, its ratio to that; NaN where it has none.
  struct metric {
    std::string name;
    std::string unit;
    std::function<double(const sample&, double ratio)> of;
  };
  void also(metric m) { more_.push_back(std::move(m)); }

  /// A reference: runs before those that name it. `expected` is the checksum that the program must give.
  index reference(contender who, std::uint64_t expected);

  /// A contender, held to `limit` (as a ratio to the reference) if there is one.
  index add(contender who, std::uint64_t expected, index against, std::optional<double> limit = {},
            std::string role = "default");

  /// A peer with its default setting and, where another setting turns out faster in shorter trials, with that
  /// one too, as `tuned`. Settings whose output is wrong are reported and left out. A peer that has nothing
  /// for the program is not there.
  template <class Peer, class Program>
  void add_best_of(const Peer& p, const Program& program, index against, reporter& out) {
    const auto shorter = [&](std::uint64_t divisor) {
      Program result = program;
      result.items = std::max<std::uint64_t>(program.items / divisor, 100);
      return round{p.contenders(result), loop(result).run()};
    };
    add_best_of({p.contenders(program), loop(program).run()}, {shorter(64), shorter(4)}, against, out);
  }

  /// Measures and reports a row for each contender. `repeats` runs of each.
  void run(int repeats, reporter& out, std::mt19937_64& random);

 private:
  struct entrant {
    contender who;
    std::uint64_t expected;
    std::optional<index> against;
    std::optional<double> limit;
    std::string role;
    std::vector<sample> samples;
    std::vector<double> ratios;
    bool failed = false;
  };

  /// All settings of a peer with a program of one length.
  struct round {
    std::vector<contender> settings;
    std::uint64_t expected;
  };

  void add_best_of(const round& whole, const std::vector<round>& trials, index against, reporter& out);
  std::optional<sample> measure(entrant& e, reporter& out);
  void print(const entrant& e, reporter& out) const;

  std::string bench_;
  std::string variant_;
  std::uint64_t items_;
  std::function<usage()> used_;
  std::vector<metric> more_;
  std::vector<entrant> entrants_;
};

}  // namespace micro
