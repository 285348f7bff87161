#include "parts.hpp"

#include <thalweg/model/wire.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>

namespace THALWEG_NAMESPACE::run_detail {

using stage_ref = run_state::stage_ref;

bool same_farm(const stage_ref& a, const stage_ref& b) {
  return a.info->farm >= 0 && a.component == b.component && a.info->farm == b.info->farm;
}

bool can_share_thread(const stage_ref& before, const stage_ref& s) {
  const auto& o = s.info->opts;
  return before.info->farm < 0 && s.info->farm < 0 && before.info->opts.on == o.on && o.pin.empty() &&
         before.info->opts.pin.empty() && !o.blocking && !before.info->opts.blocking &&
         o.capacity == automatic;
}

bool wants_own_thread(const model::stage_info& info) {
  return info.opts.blocking || info.timed || info.opts.on == placement::caller_thread ||
         !info.opts.pin.empty();
}

bool takes_no_worker(const run_state& run, std::size_t stage) {
  const auto& own = run.stages[stage];
  return own.info->opts.blocking || std::ranges::any_of(run.stages, [&](const stage_ref& s) {
           return s.info->opts.blocking && same_farm(s, own);
         });
}

void limit_replicas(std::span<std::size_t* const> farms, std::size_t most) {
  std::size_t sum = 0;
  for (const auto* n : farms) sum += *n;
  for (; sum > most; --sum) {
    auto& largest = **std::max_element(farms.begin(), farms.end(), [](auto* a, auto* b) { return *a < *b; });
    if (largest == 1) return;
    --largest;
  }
}

std::vector<part> parts_of(const run_state& run, std::size_t first, std::size_t last) {
  const auto alone = [&](std::size_t i) {
    return run.stages[i].info->timed || !run.stages[i].info->opts.on_error.plain();
  };
  std::vector<part> parts;
  while (first < last) {
    const auto c = run.stages[first].component;
    const auto base = run.first_of_component[c];
    const auto& component = *run.plan.components[c];
    const auto compiled = component.compiled();
    auto end = std::min(last, base + component.stages().size());
    for (auto i = first; i < end; ++i) {
      if (alone(i)) end = std::max(first + 1, i);
    }
    while (end > first + 1 && std::find(compiled.begin(), compiled.end(),
                                        model::range{first - base, end - base}) == compiled.end()) {
      --end;
    }
    parts.push_back({c, {first - base, end - base}, first});
    first = end;
  }
  return parts;
}

namespace {

// The stage behind it in the same farm that has something of each key's items, which stays where it is; null:
// there is none.
const model::stage_info* keeps_something(const run_state& run, std::size_t stage) {
  const int farm = run.stages[stage].info->farm;
  for (auto i = stage + 1; i < run.stages.size() && run.stages[i].component == run.stages[stage].component;
       ++i) {
    const auto& info = *run.stages[i].info;
    if (farm < 0 || info.farm != farm) break;
    if (info.order.groups || info.timed || info.state.per_replica) return &info;
  }
  return nullptr;
}

}  // namespace

bool keys_travel(const run_state& run, std::size_t stage) {
  const auto& s = run.stages[stage];
  if (!s.info->state.keyed() || keeps_something(run, stage) != nullptr) return false;
  const auto keys = run.plan.components[s.component]->make_states(s.stage);
  return keys != nullptr && model::wire_of(keys->item_type()) != nullptr;
}

std::string why_keys_stay(const run_state& run, std::size_t stage) {
  const auto& s = run.stages[stage];
  if (const auto* const behind = keeps_something(run, stage))
    return "what stage '" + behind->name + "' after it keeps of their items cannot be moved";
  const auto keys = run.plan.components[s.component]->make_states(s.stage);
  if (keys == nullptr) return "what a " + s.info->pattern + " keeps for them cannot be moved";
  const auto type = model::type_name(keys->item_type());
  return type + " has no codec here: call thalweg::let_travel<" + type + ">() before the run";
}

std::string meant_stage(const run_state& run, std::string_view wrong) {
  std::vector<std::string> names;
  names.reserve(run.stages.size());
  for (const auto& s : run.stages) names.push_back(s.info->name);
  const auto close = observe::closest_name(wrong, names);
  return close.empty() ? std::string() : observe::joined({"; did you mean '", close, "'?"});
}

std::size_t stage_named(const run_state& run, std::string_view who, std::string_view name) {
  const auto s =
      std::ranges::find(run.stages, name, [](const auto& x) { return std::string_view(x.info->name); });
  if (s == run.stages.end())
    throw error(std::string(who) + "there is no stage '" + std::string(name) + "'" + meant_stage(run, name));
  return static_cast<std::size_t>(s - run.stages.begin());
}

std::vector<bool> components_in_loops(const run_state& run) {
  const auto connections = run.plan.connections();
  std::vector<bool> looping(run.plan.components.size());
  for (std::size_t begin = 0; begin < looping.size(); ++begin) {
    std::vector<bool> seen(looping.size());
    std::vector<std::size_t> to_visit{begin};
    while (!to_visit.empty() && !looping[begin]) {
      const auto at = to_visit.back();
      to_visit.pop_back();
      for (const auto& e : connections) {
        if (e.from != at) continue;
        if (e.to == begin) looping[begin] = true;
        if (!seen[e.to]) to_visit.push_back(e.to);
        seen[e.to] = true;
      }
    }
  }
  return looping;
}

}  // namespace THALWEG_NAMESPACE::run_detail
