#include <thalweg/pattern/farm.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE::model {

namespace {

// Among other stages an inner farm is replicated with them: what it says of its own replicas does nothing.
void refuse_inner_options(naming& names, const options& opts, std::span<const stage_info> inside) {
  int seen = -1;
  for (const auto& info : inside) {
    if (info.farm < 0 || std::exchange(seen, info.farm) == info.farm) continue;
    const auto bad = [&](const char* option) {
      names.problem("the farm of '" + info.name +
                    "' is inside a farm with other stages and is replicated with them, so " + option +
                    " does nothing: give it to the tw::farm around it");
    };
    if (info.replicas != automatic || info.most_replicas != 0) bad(".replicas");
    if (info.unordered && !opts.unordered) bad(".unordered");
    if (info.opts.schedule.how() != schedule::kind::on_demand) bad(".schedule");
  }
}

int combined(int outer, int inner) {
  if (outer == automatic) return inner;
  if (inner == automatic) return outer;
  return static_cast<int>(
      std::min<std::int64_t>(std::int64_t{outer} * inner, std::numeric_limits<int>::max()));
}

}  // namespace

void enter_farm(naming& names, const options& opts, std::size_t length) {
  if (length > 1) {
    names.enter(opts.name);
  } else {
    names.suggest(opts.name);
  }
}

void leave_farm(naming& names, const options& opts, std::size_t length, std::span<stage_info> inside,
                int farm) {
  if (length > 1) names.leave();
  auto& first = inside.front();
  if (opts.replicas != automatic && opts.replicas <= 0) {
    names.problem("the farm of '" + first.name + "': .replicas must be at least 1, not " +
                  std::to_string(opts.replicas));
  }
  if (opts.replicas.adaptive() && (opts.replicas.least < 1 || opts.replicas.most < opts.replicas.least)) {
    names.problem("the farm of '" + first.name + "': tw::adaptive(" + std::to_string(opts.replicas.least) +
                  ", " + std::to_string(opts.replicas.most) +
                  ") is no range of replicas: it begins with 1 or more, and ends with that or more");
  }
  // A farm of nothing but a farm: the numbers of replicas multiply.
  const bool only = first.farm >= 0 && std::all_of(inside.begin(), inside.end(),
                                                   [&](const auto& info) { return info.farm == first.farm; });
  if (only && first.most_replicas != 0)
    names.problem("the farm of '" + first.name +
                  "' is inside another farm, so tw::adaptive does nothing: give it to the farm around it");
  if (!only) refuse_inner_options(names, opts, inside);
  for (auto& info : inside) {
    info.replicas = combined(opts.replicas, only ? info.replicas : automatic);
    info.farm = farm;
    if (opts.replicas.adaptive() || only) {
      info.least_replicas = opts.replicas.least;
      info.most_replicas = opts.replicas.most;
    }
    info.unordered = opts.unordered || (only && info.unordered);
    if (!info.opts.on_error.given()) info.opts.on_error = opts.on_error;
    if (info.opts.pin.empty()) info.opts.pin = opts.pin;
    info.opts.blocking = info.opts.blocking || opts.blocking;
    if (opts.on != placement::anywhere) info.opts.on = opts.on;
  }
  // What concerns the items that come in concerns the first stage.
  if (first.opts.schedule.how() == schedule::kind::on_demand) first.opts.schedule = opts.schedule;
  if (opts.capacity != automatic) first.opts.capacity = opts.capacity;
}

}  // namespace THALWEG_NAMESPACE::model
