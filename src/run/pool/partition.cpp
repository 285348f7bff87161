#include "partition.hpp"

#include <algorithm>

namespace thalweg::run_detail::pooled {

namespace {

// A serial stage that costs more is worth a hand-over, about a microsecond per run of items.
constexpr double worth_a_node_ns = 1'000;
// Lines of more stages of unknown cost are kept together: handing over so often would cost more than it could
// bring.
constexpr std::size_t longest_split_line = 16;

bool has_range(const std::vector<model::range>& all, model::range r) {
  return std::find(all.begin(), all.end(), r) != all.end();
}

}  // namespace

bool same_cut(const partition& a, const partition& b) {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const auto& m, const auto& n) { return m->parts == n->parts; });
}

bool wants_own_thread(const run_state& run, std::size_t first, std::size_t last) {
  const auto begin = run.stages.begin();
  return std::any_of(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
                     [](const auto& s) { return wants_own_thread(*s.info); });
}

std::unique_ptr<partition> cut(const run_state& run, const std::vector<double>& cost_ns,
                               const std::vector<std::unique_ptr<farm_slots>>& farms) {
  auto made = std::make_unique<partition>();
  const auto& stages = run.stages;

  // Parts of [first, last) of the plan: the longest compiled ranges, single stages where an error policy
  // needs them.
  const auto parts_of = [&](std::size_t first, std::size_t last) {
    std::vector<part> parts;
    while (first < last) {
      const auto c = stages[first].component;
      const auto base = run.first_of_component[c];
      const auto size = run.plan.components[c]->stages().size();
      const auto compiled = run.plan.components[c]->compiled();
      std::size_t end = std::min(last, base + size);
      const auto plain = [&](std::size_t i) { return stages[i].info->opts.on_error.plain(); };
      std::size_t longest = first + 1;
      for (auto e = end; e > first + 1; --e) {
        bool all_plain = true;
        for (auto i = first; i < e; ++i) all_plain = all_plain && plain(i);
        if (all_plain && has_range(compiled, {first - base, e - base})) {
          longest = e;
          break;
        }
      }
      parts.push_back({c, {first - base, longest - base}, first});
      first = longest;
    }
    return parts;
  };
  const auto add = [&](std::size_t first, std::size_t last, farm_slots* farm) {
    made->nodes.push_back(std::make_unique<node>(parts_of(first, last), farm, made->nodes.size()));
    return made->nodes.back().get();
  };

  const auto add_order = [&] {
    made->nodes.push_back(std::make_unique<node>(std::vector<part>{}, nullptr, made->nodes.size()));
    return made->nodes.back().get();
  };
  // The farm that the last node is, if it has threads of its own.
  node* own_farm = nullptr;

  std::size_t farm_number = 0;
  for (std::size_t i = 0; i < stages.size();) {
    std::size_t end = i + 1;
    if (stages[i].info->farm >= 0) {
      while (end < stages.size() && stages[end].component == stages[i].component &&
             stages[end].info->farm == stages[i].info->farm) {
        ++end;
      }
      const bool own = wants_own_thread(run, i, end);
      // Where items do not go to whoever is free, somebody deals them out in order. What a farm with threads
      // of its own sends or gets must not have to be carried by threads of another kind: it is alone between
      // two serial nodes.
      const bool dealt = stages[i].info->opts.schedule.how() != schedule::kind::on_demand;
      const bool apart = !made->nodes.back()->serial() && (own || own_farm != nullptr);
      if (dealt || apart) add_order()->own_farm = own_farm;
      auto* farm = add(i, end, farms[farm_number++].get());
      farm->dealt = dealt;
      own_farm = own ? farm : nullptr;
    } else {
      if (!made->nodes.empty() && !made->nodes.back()->serial() &&
          (own_farm != nullptr || wants_own_thread(*stages[i].info))) {
        add_order()->own_farm = own_farm;
      }
      own_farm = nullptr;
      while (end < stages.size() && stages[end].info->farm < 0) ++end;
      const bool many = end - i > longest_split_line;
      // Is the stage cheap enough to share a node with its neighbours?
      const auto light = [&](std::size_t s) {
        return !wants_own_thread(*stages[s].info) &&
               (many || (cost_ns[s] > 0 && cost_ns[s] < worth_a_node_ns));
      };
      for (std::size_t s = i; s < end;) {
        std::size_t e = s + 1;
        if (s == 0) {
          // What the source sends must be visible to others at once: its node is one loop.
          const auto line = parts_of(0, end).front();
          bool together = line.stages.last - line.stages.first > 1 && !wants_own_thread(*stages[0].info);
          for (std::size_t k = 1; k <= line.last(); ++k) together = together && light(k);
          if (together) e = line.last() + 1;
        } else if (light(s)) {
          while (e < end && light(e)) ++e;
        }
        add(s, e, nullptr);
        s = e;
      }
    }
    i = end;
  }
  // Behind a replicated sink there is nothing to put in order, but somebody has to see the end.
  if (!made->nodes.back()->serial() || made->nodes.size() == 1) {
    add_order()->own_farm = own_farm;
  }

  made->nodes.back()->last = true;
  node* end = nullptr;
  for (auto it = made->nodes.rbegin(); it != made->nodes.rend(); ++it) {
    auto& n = **it;
    if (it != made->nodes.rbegin()) n.next = std::prev(it)->get();
    n.region_end = end;
    if (end != nullptr) {
      for (const auto& p : n.parts) {
        for (auto s = p.first; s <= p.last(); ++s) {
          if (!n.serial() && stages[s].info->unordered) end->unordered = true;
          const auto capacity = stages[s].info->opts.capacity;
          if (!n.serial() && capacity != automatic) end->most_items = std::min(end->most_items, capacity);
        }
      }
    }
    if (n.deals() || n.only_orders()) n.most_items = std::min(n.most_items, end->most_items);
    if (n.serial()) {
      if (end != nullptr) end->region_begin = &n;
      end = &n;
      for (const auto& p : n.parts) {
        for (auto s = p.first; s <= p.last(); ++s) {
          const auto capacity = stages[s].info->opts.capacity;
          if (capacity != automatic) n.most_items = std::min(n.most_items, capacity);
        }
      }
    }
  }
  return made;
}

}  // namespace thalweg::run_detail::pooled
