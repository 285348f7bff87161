#include <thalweg/model/errors.hpp>
#include <thalweg/model/plan.hpp>

#include <algorithm>
#include <limits>
#include <string_view>

namespace THALWEG_NAMESPACE::model {

namespace {

constexpr int most_at_once = 4096;  // at once, of one farm and those around it

// Why a stage cannot have this error policy; empty: it can.
std::string refusal(const stage_info& s, const error_policy& policy) {
  if (policy.plain()) return {};
  constexpr const char* only_stop = ", so .on_error can only be tw::stop";
  if (!s.only_stops.empty()) return s.only_stops + only_stop;
  if (s.in != nullptr && !s.copyable)
    return "its items (" + type_name(*s.in) + ") cannot be copied" + only_stop;
  if (s.source.pushes)
    return std::string("is a source that emits all its items in one call, which cannot be repeated") +
           only_stop;
  if (policy.last() != error_policy::action::dead_letter) return {};
  if (s.in == nullptr) return "is a source: when it fails there is no item to give to tw::dead_letter";
  if (s.gives_up == nullptr)
    return "reads its ports itself, or has items of several types: when it fails there is no item of one "
           "type to give to tw::dead_letter, but tw::decide is possible";
  if (*policy.handled_type() != *s.gives_up)
    return "the handler of tw::dead_letter takes " + type_name(*policy.handled_type()) +
           ", but its items are " + type_name(*s.gives_up);
  return {};
}

void check_stage(const stage_info& s, std::vector<std::string>& problems) {
  const auto bad = [&](const std::string& what) { problems.push_back("stage '" + s.name + "': " + what); };
  const auto& o = s.opts;
  for (const auto& problem : s.problems) bad(problem);
  const bool given = o.replicas != automatic || o.replicas.adaptive();
  if (o.replicas.adaptive() && s.farm < 0)
    bad("is serial, so tw::adaptive does nothing: put it into a tw::farm");
  else if (given && !o.replicas.adaptive() && o.replicas <= 0)
    bad(".replicas must be at least 1, not " + std::to_string(o.replicas));
  else if (given && s.farm >= 0)
    bad("is inside a farm, so .replicas does nothing: give it to the tw::farm");
  else if (o.replicas > 1)
    bad("is serial, so .replicas = " + std::to_string(o.replicas) + " does nothing: put it into a tw::farm");
  if (o.unordered)
    bad(std::string("is ") + (s.farm < 0 ? "serial" : "inside a farm") +
        ", so .unordered does nothing: it is an option of tw::farm");
  if (o.capacity != automatic && o.capacity <= 0)
    bad(".capacity must be at least 1, not " + std::to_string(o.capacity));
  if (s.order.groups && s.farm >= 0 && !s.unordered)
    bad("is a " + s.pattern +
        " in a farm: its results depend on which items follow each other, and that would depend on "
        "the replicas; put it outside, or set .unordered");
  const bool keyless = s.state.scope == state_scope::keyless;
  if (s.farm >= 0 && (keyless || s.state.scope == state_scope::stream))
    bad("is a " + s.pattern +
        " in a farm: its state must see all items, but each replica would have its own; put it outside" +
        (keyless ? ", or a tw::key_by in front of the farm" : ""));
  if (s.in == nullptr && o.capacity != automatic)
    bad("is a source: nothing waits in front of it, so .capacity does nothing");
  if (const auto problem = o.on_error.problem(); !problem.empty()) {
    bad(problem);
  } else if (auto why = refusal(s, o.on_error); !why.empty()) {
    bad(why);
  }
  if (s.farm >= 0 && s.state.keyed() && o.schedule.how() != schedule::kind::on_demand)
    bad("has state for each key: its items go where their key belongs, so .schedule does nothing");
  if (s.farm < 0 && o.schedule.how() != schedule::kind::on_demand)
    bad("is serial, so .schedule does nothing: it is an option of tw::farm");
  if (s.farm >= 0 && o.schedule.how() == schedule::kind::next_with_room)
    bad("is a farm, where tw::next_with_room is no different from tw::on_demand: it is for tw::split");
  if (o.schedule.how() == schedule::kind::route && s.farm >= 0) {
    if (o.schedule.null()) {
      bad("the function of tw::route is null: there is nothing to call");
    } else if (*o.schedule.routed_type() != *s.in) {
      bad("the function of tw::route takes " + type_name(*o.schedule.routed_type()) + ", but its items are " +
          type_name(*s.in));
    }
  }
  if (s.farm >= 0 && o.on == placement::caller_thread && s.replicas != 1)
    bad("tw::caller_thread is one thread, so a farm can only be on it with .replicas = 1");
  if (s.replicas > most_at_once)
    bad("allows " + std::to_string(s.replicas) + " replicas at once, counting the farms around it; at most " +
        std::to_string(most_at_once) + " are possible");
  if (!o.spin && !s.source.paced)
    bad("follows no schedule, so .spin does nothing: it is an option of tw::paced");
  if (o.blocking && o.on == placement::caller_thread)
    bad(".blocking asks for a separate thread and tw::caller_thread for the caller's: choose one");
}

// A later stage of the farm that begins with `first`: the replicas of a farm are executed as a whole.
void check_together(const stage_info& first, const stage_info& s, std::vector<std::string>& problems) {
  const auto bad = [&](const std::string& what) { problems.push_back("stage '" + s.name + "': " + what); };
  if (s.state.keyed())
    bad("has state for each key, so in a farm it must be the first stage: a farm divides the keys where its "
        "items enter");
  if (s.opts.schedule.how() != schedule::kind::on_demand)
    bad("is not the first of its farm ('" + first.name +
        "' is), where the items are given to the replicas, so .schedule does nothing");
  if (s.opts.capacity != automatic)
    bad("is not the first of its farm ('" + first.name +
        "' is), and nothing waits between two stages of a replica, so .capacity does nothing");
  const auto alike = [&](const char* option, bool same) {
    if (!same)
      bad(std::string(option) + " is not that of '" + first.name +
          "' in the same farm, whose replicas are executed as a whole: give it to the tw::farm");
  };
  alike(".pin", s.opts.pin == first.opts.pin);
  alike(".on", s.opts.on == first.opts.on);
}

// Stages on the caller's thread share it, and with it its processors.
void check_callers(const std::vector<std::unique_ptr<component>>& components,
                   std::vector<std::string>& problems) {
  const stage_info* first = nullptr;
  for (const auto& c : components) {
    for (const auto& s : c->stages()) {
      if (s.opts.on != placement::caller_thread || s.opts.pin.empty()) continue;
      if (first == nullptr) first = &s;
      if (s.opts.pin != first->opts.pin)
        problems.push_back("stage '" + s.name + "': .pin is not that of '" + first->name +
                           "', with which it shares the caller's thread");
    }
  }
}

// What counts items, or looks at the clock, as they come: behind an unordered farm that must be meant.
void check_arrival(const plan& p, std::vector<std::string>& problems) {
  const auto through = [&](const component& c, const stage_info* mixed, bool report) {
    for (const auto& s : c.stages()) {
      if (s.order.reorders) mixed = nullptr;
      if (report && s.order.by_arrival && mixed != nullptr)
        problems.push_back("stage '" + s.name +
                           "': its results depend on the order in which items come, but '" + mixed->name +
                           "' before it is .unordered: set .any_order = true if that is meant");
      if (s.farm >= 0 && s.unordered) mixed = &s;
    }
    return mixed;
  };
  // Who has given up the order of what comes in, carried along the connections as far as it goes.
  std::vector<const stage_info*> in(p.components.size(), nullptr);
  const auto connections = p.connections();
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& e : connections) {
      if (in[e.to] != nullptr) continue;
      in[e.to] = through(*p.components[e.from], in[e.from], false);
      changed = changed || in[e.to] != nullptr;
    }
  }
  for (std::size_t c = 0; c < p.components.size(); ++c) (void)through(*p.components[c], in[c], true);
}

}  // namespace

plan::plan() noexcept = default;
plan::plan(plan&& other) noexcept = default;
plan& plan::operator=(plan&& other) noexcept = default;
plan::~plan() {
  if (of_graph) of_graph->over();  // it has never been run
}

void plan::check(const naming& names) {
  problems = names.problems();
  check_options();
}

void plan::check_options() {
  for (const auto& c : components) {
    const stage_info* first = nullptr;
    for (const auto& s : c->stages()) {
      check_stage(s, problems);
      if (first == nullptr || s.farm < 0 || s.farm != first->farm) {
        first = &s;
      } else {
        check_together(*first, s, problems);
      }
    }
  }
  check_callers(components, problems);
  check_arrival(*this, problems);
}

void plan::use_by_default(const error_policy& policy) {
  if (const auto problem = policy.problem(); !problem.empty()) {
    problems.push_back("run_options.on_error: " + problem);
    return;
  }
  if (policy.plain()) return;
  for (const auto& c : components) {
    for (std::size_t i = 0; i < c->stages().size(); ++i) {
      const auto& s = c->stages()[i];
      if (!s.opts.on_error.given() && refusal(s, policy).empty()) c->info_at(i).opts.on_error = policy;
    }
  }
}

std::vector<edge> plan::connections() const {
  auto all = edges;
  for (std::size_t i = 1; is_line && i < components.size(); ++i) all.push_back({i - 1, 0, i, 0, {}});
  return all;
}

bool plan::divides_keys() const noexcept {
  return std::any_of(components.begin(), components.end(), [](const auto& c) {
    return std::any_of(c->stages().begin(), c->stages().end(),
                       [](const auto& s) { return s.state.keyed() && s.farm >= 0; });
  });
}

void plan::straighten() {
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> next(components.size(), none);
  std::vector<bool> entered(components.size(), false);
  for (const auto& e : edges) {
    if (next[e.from] != none || entered[e.to]) return;
    next[e.from] = e.to;
    entered[e.to] = true;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (!entered[i]) order.push_back(i);
  }
  if (order.size() != 1) return;
  while (next[order.back()] != none) order.push_back(next[order.back()]);
  if (order.size() != components.size()) return;
  std::vector<std::unique_ptr<component>> line;
  line.reserve(order.size());
  for (const auto i : order) line.push_back(std::move(components[i]));
  components = std::move(line);
  edges.clear();
  is_line = true;
}

void plan::require_valid() const {
  if (!problems.empty()) throw invalid_job(problems);
}

drawing plan::drawn() const {
  drawing d;
  for (const auto& c : components) d.parts.emplace_back().stages = c->stages();
  for (const auto& e : connections()) d.connections.push_back({e.from, e.from_port, e.to, e.to_port});
  return d;
}

}  // namespace THALWEG_NAMESPACE::model
