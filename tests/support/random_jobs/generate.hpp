#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "description.hpp"
#include "oracle.hpp"

namespace random_jobs {

/// How much a job may cost: items over all its stages, and the time they take.
struct budget {
  std::uint64_t items = 30'000;
  long work_ns = 3'000'000;
};

// --- making sense of what was made up ---

inline void settle(op& o, verb what, bool in_farm) {
  using enum verb;
  o.what = what;
  if (what == filter) o.amount %= 6;
  if (what == expand) o.amount %= 4;
  if (what == copies) o.amount = o.amount % 3 == 2 ? 9'000 : o.amount % 3 + 1;
  if (what == batch) o.amount = o.amount % 16 + 1;
  if (what != expand) o.large = 0;
  if (what != batch) o.timed = false;
  if (what == batch || what == unbatch || what == source) o.capacity = 0;
  if (what == batch || what == unbatch) o.spin = 0;
  // What partial sums there are is up to the policy, so nothing may depend on one of them.
  if (what == batch || what == unbatch || what == copies || what == gather) {
    o.fails_one_in = o.retries = 0;
    o.then = verdict::stop;
  }
  if (in_farm) o.own_thread = 0;
  // What fails shall not end the run, unless that is what the job is for.
  if (o.fails_one_in > 0 && o.then == verdict::stop) o.retries = std::max(o.retries, o.fails_times);
}

/// Makes a consistent job of any values, small enough for `most`.
inline job settled(job j, const budget& most) {
  if (j.typed >= 0) {
    const auto& shapes = typed_jobs()[static_cast<std::size_t>(j.typed)];
    j.pieces.resize(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) j.pieces[i].shape = shapes[i];
    j.replicated_sink = j.typed == 3;
    const auto other = j.typed == 1 ? origin::emitting : origin::vector;
    j.from = j.typed >= 3 || j.from < origin::vector ? origin::pull : other;
  }

  settle(j.source, verb::source, false);
  const bool pulls = j.from == origin::pull || j.from == origin::pull_token || j.from == origin::paced;
  if (!pulls || j.source.then == verdict::dead_letter) {
    j.source.fails_one_in = j.source.retries = 0;
    j.source.then = verdict::stop;
    if (!pulls) j.stalls_one_in = 0;
  }

  bool disordered = false;
  for (auto& p : j.pieces) {
    if (p.ops.empty()) p.ops.emplace_back();
    auto single = p.ops.front().what;
    if (p.shape == form::single && single > verb::count) single = verb::map;
    const auto where = places(p.shape, single);
    p.ops.resize(where.size());
    for (std::size_t n = 0; n < where.size(); ++n) {
      settle(p.ops[n], where[n].what, where[n].farm >= 0);
      // What waits in front of a farm waits in front of its first stage.
      if (n > 0 && where[n].farm >= 0 && where[n].farm == where[n - 1].farm) p.ops[n].capacity = 0;
      p.ops[n].stateless = disordered && (where[n].what == verb::running || where[n].what == verb::triples);
      if (where[n].farm >= 0) disordered = disordered || (where[n].farm == 0 ? p.first : p.second).unordered;
    }
    if (p.shape == form::farm_deep) disordered = disordered || p.second.unordered;
    // Among other stages an inner farm is replicated with them: it has no replicas of its own.
    if (p.shape == form::farm_nested)
      p.second = {.forgiving = p.second.forgiving, .blocking = p.second.blocking};
  }
  settle(j.sink, verb::sink, j.replicated_sink);

  for (;;) {
    oracle o(j, j.items, most.items);
    const bool too_much = o.too_much();
    if (!too_much && std::move(o).result().work_ns <= most.work_ns) break;
    if (j.items > 0) {
      j.items /= 2;
    } else {
      // What end hooks send is expanded too.
      for (auto& p : j.pieces) {
        for (auto& o : p.ops) {
          o.large = o.spin = 0;
          if (o.what == verb::copies || o.what == verb::expand) o.amount = 1;
        }
      }
    }
  }
  return j;
}

// --- making up ---

template <class T> rc::Gen<T> one_of(std::vector<std::pair<std::size_t, T>> weighted) {
  std::vector<T> all;
  for (const auto& [weight, value] : weighted) all.insert(all.end(), weight, value);
  return rc::gen::elementOf(std::move(all));
}
inline rc::Gen<int> up_to(int most) {
  return rc::gen::inRange(0, most + 1);
}
inline rc::Gen<bool> once_in(std::size_t n) {
  return one_of<bool>({{n - 1, false}, {1, true}});
}

inline rc::Gen<op> any_op() {
  using rc::gen::set;
  return rc::gen::build<op>(
      set(&op::what, one_of<verb>({{2, verb::map},
                                   {1, verb::filter},
                                   {2, verb::expand},
                                   {2, verb::running},
                                   {1, verb::triples},
                                   {1, verb::count}})),
      set(&op::seed, rc::gen::inRange(0U, 1'000U)), set(&op::amount, up_to(100)),
      set(&op::large, one_of<int>({{12, 0}, {1, 300}, {1, 3'000}, {1, 20'000}})),
      set(&op::spin, one_of<int>({{8, 0}, {2, 1}, {2, 2}, {2, 3}, {1, 4}, {1, 5}})),
      set(&op::capacity, one_of<int>({{6, 0}, {1, 100}, {1, 10}, {1, 2}, {1, 1}})),
      set(&op::fails_one_in, one_of<int>({{8, 0}, {1, 50}, {1, 7}, {1, 2}})),
      set(&op::fails_times, rc::gen::inRange(1, 5)),
      set(&op::retries, one_of<int>({{3, 0}, {1, 1}, {1, 2}, {1, 3}})),
      set(&op::then, one_of<verdict>({{1, verdict::stop}, {1, verdict::skip}, {1, verdict::dead_letter}})),
      set(&op::own_thread, one_of<int>({{24, 0}, {1, 1}, {1, 2}})), set(&op::timed, once_in(8)));
}

inline rc::Gen<replication> any_replication() {
  using rc::gen::set;
  return rc::gen::build<replication>(
      set(&replication::replicas, one_of<int>({{2, 0}, {1, 1}, {2, 2}, {2, 3}, {2, 4}, {1, 5}, {1, 8}})),
      set(&replication::unordered, once_in(10)),
      set(&replication::capacity, one_of<int>({{6, 0}, {1, 100}, {1, 10}, {1, 1}})),
      set(&replication::schedule, one_of<int>({{4, 0}, {1, 1}, {1, 2}})),
      set(&replication::forgiving, once_in(8)), set(&replication::blocking, once_in(16)));
}

inline rc::Gen<piece> any_piece() {
  using rc::gen::set;
  std::vector<form> all;
  for (int f = 0; f < forms; ++f) {
    // Stages of one's own are what most lines are made of.
    all.insert(all.end(), f == 0 ? 6 : 1, static_cast<form>(f));
  }
  return rc::gen::build<piece>(set(&piece::shape, rc::gen::elementOf(all)),
                               set(&piece::ops, rc::gen::container<std::vector<op>>(4, any_op())),
                               set(&piece::first, any_replication()), set(&piece::second, any_replication()));
}

enum class joins { at_run_time, typed, either };

inline rc::Gen<job> any_job(joins how, budget most = {}) {
  using rc::gen::set;
  std::vector<int> typed;
  if (how != joins::typed) typed.insert(typed.end(), how == joins::either ? 6 : 1, -1);
  if (how != joins::at_run_time) {
    for (int t = 0; t < static_cast<int>(typed_jobs().size()); ++t) typed.push_back(t);
  }
  std::vector<origin> from;
  for (int o = 0; o < origins; ++o) from.insert(from.end(), o == 0 ? 3 : 1, static_cast<origin>(o));
  const auto length = rc::gen::oneOf(rc::gen::inRange(0L, 20L), rc::gen::inRange(0L, 300L),
                                     rc::gen::inRange(0L, 300L), rc::gen::inRange(0L, 30'000L));
  auto made = rc::gen::build<job>(
      set(&job::typed, rc::gen::elementOf(typed)), set(&job::from, rc::gen::elementOf(from)),
      set(&job::items, length), set(&job::seed, rc::gen::inRange(0U, 1'000U)),
      set(&job::stalls_one_in, one_of<int>({{6, 0}, {1, 100}, {1, 10}})), set(&job::source, any_op()),
      // At most so many pieces, each as large as any.
      set(&job::pieces,
          rc::gen::resize(6, rc::gen::container<std::vector<piece>>(rc::gen::resize(100, any_piece())))),
      set(&job::sink, any_op()), set(&job::replicated_sink, once_in(8)), set(&job::sinks, any_replication()));
  return rc::gen::map(rc::gen::resize(100, std::move(made)),
                      [most](job j) { return settled(std::move(j), most); });
}

}  // namespace random_jobs
