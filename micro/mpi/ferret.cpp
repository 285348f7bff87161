// Lines of a few stages of unlike work, as Ferret's are: segmentation, extraction, vectorisation, ranking.
// Each stage is on a rank of its own, and the sink on the source's or on one of its own, too.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support/program.hpp"
#include "plain.hpp"
#include "session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr std::size_t bytes = 32 << 10U;  // of a small picture

using line = tw::any_pipeline<frame, frame>;

std::string name_of_stage(std::size_t i) {
  return "stage-" + std::to_string(i);
}

line stage(const even_work& work, std::size_t i) {
  return tw::map(
      [work](frame picture) {
        picture.front() = work(picture.front());
        return picture;
      },
      {.name = name_of_stage(i)});
}

std::uint64_t by_thalweg(std::uint64_t items, const std::vector<even_work>& works,
                         const tw::any_policy& how) {
  line stages = stage(works[0], 1);
  for (std::size_t i = 1; i < works.size(); ++i) stages = std::move(stages) | stage(works[i], i + 1);
  checksum sum;
  const auto job = tw::source([from = camera(items, bytes)]() mutable { return from(); }) |
                   std::move(stages) | tw::sink([&](const frame& x) { sum(x.front()); }, {.name = "sink"});
  tw::run(job, how);
  return sum.value();
}

tw::mpi each_on_its_own(std::size_t stages, int sink) {
  tw::mpi_options how;
  for (std::size_t i = 1; i <= stages; ++i) how.place.push_back({name_of_stage(i), {static_cast<int>(i)}});
  how.place.push_back({"sink", {sink}});
  return tw::mpi(how);
}

void compare(mpi_session& s, const std::vector<double>& shares) {
  constexpr double all = 400e3;  // ns an item
  std::vector<even_work> works;
  for (const double share : shares) works.push_back({s.steps(share * all)});
  const auto items = s.items(all);
  const auto n = works.size();
  auto e = s.compare("mpi_ferret", std::to_string(n) + (n == 1 ? " stage" : " stages"), items);
  const contender sequential{"loop", "one thread", true, [&] {
                               checksum sum;
                               camera source(items, bytes);
                               while (auto item = source()) {
                                 for (const auto& work : works) item->front() = work(item->front());
                                 sum(item->front());
                               }
                               return sum.value();
                             }};
  const auto expected = s.all.told(s.all.first() ? sequential.run() : 0);
  const auto reference = e.reference(on_first(s.all, sequential), expected);
  for (const bool shared : {true, false}) {
    const std::string name = shared ? "source and sink share a rank" : "each alone";
    const int sink = shared ? 0 : static_cast<int>(n) + 1;
    e.add(on_all(
              s.all, "thalweg", name,
              [items, works, how = each_on_its_own(n, sink)] { return by_thalweg(items, works, how); }, sink),
          expected, reference);
    e.add(on_all(
              s.all, "plain MPI", name,
              [&s, items, works, shared] { return plain_line(s.all, items, bytes, works, shared); }, sink),
          expected, reference);
  }
  e.run(s.repeats, s.out, s.random);
}

}  // namespace

void run_mpi_ferret(mpi_session& s) {
  tw::let_travel<frame>();
  compare(s, {1});
  compare(s, {0.25, 0.25, 0.5});
  compare(s, {0.15, 0.1, 0.25, 0.5});
}

}  // namespace micro
