#include "valid_options.hpp"

#include <thalweg/model/errors.hpp>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr int most_spawned = 1024;
constexpr std::chrono::milliseconds least_patience{100};
constexpr std::chrono::hours most_patience{24 * 365};  // many of them can be counted in nanoseconds
constexpr std::size_t most_batch_bytes = std::size_t{1} << 30;

}  // namespace

void require_valid(const mpi_options& how) {
  std::vector<std::string> problems;
  if (how.grouping != automatic && how.grouping < 1)
    problems.push_back("mpi: .grouping must be at least 1, not " + std::to_string(how.grouping));
  if (how.credits != automatic && (how.credits < 1 || how.credits > 1024))
    problems.push_back("mpi: .credits must be between 1 and 1024, not " + std::to_string(how.credits));
  if (how.reserve < 0)
    problems.push_back("mpi: .reserve must be at least 0, not " + std::to_string(how.reserve));
  if (how.spawn < 0 || how.spawn > most_spawned)
    problems.push_back("mpi: .spawn must be between 0 and " + std::to_string(most_spawned) + ", not " +
                       std::to_string(how.spawn));
  if (how.spawn > 0 && how.comm == thalweg::one_sided)
    problems.emplace_back(
        "mpi: .spawn and .comm = one_sided: items travel to and from processes that join only as messages");
  if (how.patience.count() != 0 && how.patience < least_patience)
    problems.push_back("mpi: .patience must be at least " + std::to_string(least_patience.count()) +
                       " ms, since a busy machine may pause a rank that long, or 0 (no rank is ever " +
                       "given up), not " + std::to_string(how.patience.count()) + " ms");
  if (how.patience > most_patience)
    problems.push_back("mpi: .patience must be at most a year, or 0 (no rank is ever given up), not " +
                       std::to_string(how.patience.count()) + " ms");
  if (!how.costs.empty() && how.grouping != automatic)
    problems.emplace_back("mpi: .grouping and .costs: only one of them can say where stages go");
  if (how.apart && how.grouping != automatic)
    problems.emplace_back("mpi: .grouping and .apart: only one of them can say where source and sink go");
  if (how.batch_bytes < 1 || how.batch_bytes > most_batch_bytes)
    problems.push_back("mpi: .batch_bytes must be between 1 and " + std::to_string(most_batch_bytes) +
                       ", not " + std::to_string(static_cast<std::ptrdiff_t>(how.batch_bytes)));
  if (!problems.empty()) throw invalid_job(std::move(problems));
}

void require_possible(const mpi_options& how, int ranks) {
  if (how.reserve < ranks) return;
  throw invalid_job({"mpi: .reserve = " + std::to_string(how.reserve) + ", but there " +
                     (ranks == 1 ? "is one rank" : "are " + std::to_string(ranks) + " ranks") +
                     ", and rank 0 always takes part: " +
                     (ranks == 1 ? "none" : "at most " + std::to_string(ranks - 1)) + " can wait"});
}

void require_one_way_to_place(const mpi_options& how, const std::string& costs_from) {
  if (how.costs.empty() || how.grouping == automatic) return;
  throw invalid_job({"mpi: .grouping and " + costs_from + ": only one of them can say where stages go"});
}

void note_if_not_apart(run_state& state, const mpi_options& how, int ranks) {
  const int left = ranks - how.reserve;
  if (!how.apart || left >= 3) return;
  state.statistics.notes.push_back(
      "mpi: .apart needs a rank for the source, one for the sink and others for farms, but " +
      std::to_string(left) + (left == 1 ? " takes" : " take") + " part at first");
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
