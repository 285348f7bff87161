#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "description.hpp"
#include "oracle.hpp"

namespace random_graphs {

/// Makes a description small enough: `most` items in all, over all nodes.
inline description settled(description d, std::uint64_t most) {
  for (;;) {
    const layout l(d);
    oracle o(l, all_of(l), most);
    if (!o.too_much()) return d;
    for (auto& s : d.sources) s.items /= 2;
  }
}

template <class T> rc::Gen<T> one_of(std::vector<std::pair<std::size_t, T>> weighted) {
  std::vector<T> all;
  for (const auto& [weight, value] : weighted) all.insert(all.end(), weight, value);
  return rc::gen::elementOf(std::move(all));
}

inline rc::Gen<step> any_step() {
  using rc::gen::inRange;
  using rc::gen::set;
  std::vector<verb> what;
  for (int v = 0; v < verbs; ++v) what.push_back(static_cast<verb>(v));
  for (const auto often : {verb::split, verb::tee, verb::ports, verb::merge_ordered, verb::merge_ordered,
                           verb::merge_ordered, verb::merge_in_turn, verb::merge, verb::farm, verb::split})
    what.push_back(often);
  return rc::gen::build<step>(
      set(&step::what, rc::gen::elementOf(std::move(what))), set(&step::pick, inRange(0U, 100U)),
      set(&step::width, inRange(2, 5)), set(&step::seed, inRange(0U, 1'000U)),
      set(&step::amount, inRange(0, 100)), set(&step::replicas, inRange(1, 5)),
      set(&step::unordered, one_of<bool>({{3, false}, {1, true}})),
      set(&step::schedule, one_of<int>({{4, 0}, {2, 1}, {2, 2}})),
      set(&step::capacity, one_of<int>({{8, 0}, {2, 1}, {1, 2}, {1, 3}, {1, 7}, {1, 16}})),
      set(&step::spin_us, one_of<int>({{12, 0}, {2, 1}, {1, 10}, {1, 30}})));
}

inline rc::Gen<beginning> any_beginning() {
  using rc::gen::inRange;
  using rc::gen::set;
  return rc::gen::build<beginning>(
      set(&beginning::from,
          one_of<origin>({{1, origin::range}, {1, origin::pull}, {1, origin::emitting}, {1, origin::stage}})),
      set(&beginning::items,
          rc::gen::oneOf(inRange(0L, 8L), inRange(0L, 200L), inRange(0L, 2'000L), inRange(0L, 8'000L))),
      set(&beginning::seed, inRange(0U, 1'000U)));
}

inline rc::Gen<description> any_description(std::uint64_t most = 60'000) {
  using rc::gen::set;
  auto made = rc::gen::build<description>(
      set(&description::sources, rc::gen::mapcat(one_of<int>({{4, 1}, {2, 2}, {1, 3}}),
                                                 [](int n) {
                                                   return rc::gen::container<std::vector<beginning>>(
                                                       static_cast<std::size_t>(n), any_beginning());
                                                 })),
      set(&description::steps,
          rc::gen::resize(18, rc::gen::container<std::vector<step>>(rc::gen::resize(100, any_step())))));
  return rc::gen::map(rc::gen::resize(100, std::move(made)),
                      [most](description d) { return settled(std::move(d), most); });
}

}  // namespace random_graphs
