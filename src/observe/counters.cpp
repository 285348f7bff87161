#include <thalweg/observe/counters.hpp>

#include <algorithm>

namespace THALWEG_NAMESPACE::observe {

namespace {

// The counters that add up, in one place, so that sums and differences cannot forget one.
constexpr std::uint64_t stage_totals::*stage_sums[] = {
    &stage_totals::items_in,   &stage_totals::items_out,     &stage_totals::runs,
    &stage_totals::service_ns, &stage_totals::sampled_items, &stage_totals::probes,
    &stage_totals::probe_ns,   &stage_totals::clocked_ns,    &stage_totals::clocked_cpu_ns,
    &stage_totals::wait_in_ns, &stage_totals::wait_out_ns,   &stage_totals::errors,
    &stage_totals::retries,    &stage_totals::skipped,       &stage_totals::dead_lettered,
    &stage_totals::dropped,
};
constexpr level_totals stage_totals::*stage_levels[] = {
    &stage_totals::occupancy,
    &stage_totals::reorder,
    &stage_totals::displacement,
};
constexpr std::uint64_t worker_totals::*worker_sums[] = {
    &worker_totals::busy_ns,
    &worker_totals::idle_ns,
    &worker_totals::parks,
    &worker_totals::wakes,
};

// Counters of a live run are read one after the other, and replicas may come and go: never wrap below zero.
std::uint64_t difference(std::uint64_t now, std::uint64_t before) noexcept {
  return now > before ? now - before : 0;
}

}  // namespace

level_totals& level_totals::operator+=(const level_totals& other) noexcept {
  samples += other.samples;
  sum += other.sum;
  max = std::max(max, other.max);
  return *this;
}

level_totals level_totals::since(const level_totals& earlier) const noexcept {
  return {difference(samples, earlier.samples), difference(sum, earlier.sum), max};
}

stage_totals& stage_totals::operator+=(const stage_totals& other) noexcept {
  for (auto field : stage_sums) this->*field += other.*field;
  for (auto field : stage_levels) this->*field += other.*field;
  return *this;
}

stage_totals stage_totals::since(const stage_totals& earlier) const noexcept {
  stage_totals window;
  for (auto field : stage_sums) window.*field = difference(this->*field, earlier.*field);
  for (auto field : stage_levels) window.*field = (this->*field).since(earlier.*field);
  return window;
}

stage_totals stage_counters::snapshot() const noexcept {
  stage_totals t;
  t.items_in = items_in.value();
  t.items_out = items_out.value();
  t.runs = runs.value();
  t.service_ns = service_ns.value();
  t.sampled_items = sampled_items.value();
  t.probes = probes.value();
  t.probe_ns = probe_ns.value();
  t.clocked_ns = clocked_ns.value();
  t.clocked_cpu_ns = clocked_cpu_ns.value();
  t.wait_in_ns = wait_in_ns.value();
  t.wait_out_ns = wait_out_ns.value();
  t.errors = errors.value();
  t.retries = retries.value();
  t.skipped = skipped.value();
  t.dead_lettered = dead_lettered.value();
  t.dropped = dropped.value();
  t.occupancy = occupancy.snapshot();
  t.reorder = reorder.snapshot();
  t.displacement = displacement.snapshot();
  return t;
}

void share_time(std::span<stage_counters> fused, std::span<const std::uint64_t> items,
                std::int64_t busy_ns) noexcept {
  // A stage whose probes were too short for the clock still takes some of the time.
  constexpr double shortest = 0.25;
  const auto probed = [&](std::size_t i) { return fused[i].probes.value() != 0; };
  const auto cost = [&](std::size_t i) {
    return std::max(shortest, static_cast<double>(fused[i].probe_ns.value()) /
                                  static_cast<double>(std::max<std::uint64_t>(1, fused[i].probes.value())));
  };
  // What the stages with probes do not explain is the work of the one without, where there is one only, and
  // where it is more than noise. Otherwise nobody can say whose it is: then those have not been timed.
  double explained = 0;
  std::uint64_t others = 0;
  int without = 0;
  for (std::size_t i = 0; i != fused.size(); ++i) {
    if (probed(i)) {
      explained += static_cast<double>(items[i]) * cost(i);
    } else if (items[i] != 0) {
      others += items[i];
      ++without;
    }
  }
  const double unexplained = static_cast<double>(busy_ns) - explained;
  const bool much = unexplained > 0.1 * static_cast<double>(busy_ns);
  const bool told = explained == 0 || (without == 1 && much);
  const double rest = told && others != 0 ? std::max(shortest, unexplained / static_cast<double>(others)) : 0;
  // Then the others' share is what their probes say, not all of the time.
  if (!told && without > 1 && much) busy_ns = std::min(busy_ns, static_cast<std::int64_t>(explained));
  const auto weight = [&](std::size_t i) {
    return static_cast<double>(items[i]) * (probed(i) ? cost(i) : rest);
  };
  double all = 0;
  for (std::size_t i = 0; i != fused.size(); ++i) all += weight(i);
  if (all <= 0) return;
  // Rounding happens on the running sum, so that nothing of the time is lost.
  double before = 0;
  std::int64_t given = 0;
  for (std::size_t i = 0; i != fused.size(); ++i) {
    before += weight(i);
    const auto until = static_cast<std::int64_t>(before / all * static_cast<double>(busy_ns));
    fused[i].service_ns.add_ns(until - given);
    if (told || probed(i)) fused[i].sampled_items.add(items[i]);
    given = until;
  }
}

worker_totals& worker_totals::operator+=(const worker_totals& other) noexcept {
  for (auto field : worker_sums) this->*field += other.*field;
  return *this;
}

worker_totals worker_totals::since(const worker_totals& earlier) const noexcept {
  worker_totals window;
  for (auto field : worker_sums) window.*field = difference(this->*field, earlier.*field);
  return window;
}

worker_totals worker_counters::snapshot() const noexcept {
  return {busy_ns.value(), idle_ns.value(), parks.value(), wakes.value()};
}

}  // namespace THALWEG_NAMESPACE::observe
