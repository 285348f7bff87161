#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "description.hpp"

namespace random_jobs {

/// What a job must do, computed stage after stage over plain vectors.
struct prediction {
  struct counts {
    std::uint64_t in = 0, out = 0, errors = 0, retries = 0, skipped = 0, buried = 0;
  };
  std::vector<long> seen;                 ///< what the sink gets
  std::vector<counts> stages;             ///< in the order of `stages_of`
  std::vector<std::vector<long>> buried;  ///< dead letters, by stage
  /// The stage that ends the run, if one does; `seen` is then all that the sink can have seen before.
  int died = -1;
  std::uint64_t items = 0;  ///< over all stages
  long work_ns = 0;
};

class oracle {
 public:
  /// Predicts what comes of the first `given` items of the source. Gives up beyond `most` items over all
  /// stages.
  oracle(const job& j, long given, std::uint64_t most) : job_(j), stages_(stages_of(j)), most_(most) {
    made_.stages.resize(stages_.size());
    made_.buried.resize(stages_.size());
    std::vector<long> items;
    for (long i = 0; i < given; ++i) items.push_back(item_of(j, i));
    made_.stages[0].out = items.size();
    source_failures(items);
    for (std::size_t s = 1; s < stages_.size(); ++s) items = through(s, std::move(items));
    made_.seen = std::move(items);
  }

  [[nodiscard]] prediction result() && { return std::move(made_); }
  [[nodiscard]] bool too_much() const { return made_.items > most_; }

 private:
  // A call of the source that fails is made again, or skipped, which comes to the same.
  void source_failures(const std::vector<long>& items) {
    auto& c = made_.stages[0];
    const auto& o = job_.source;
    for (const long x : items) {
      made_.work_ns += work_ns(o, x, 1);
      const auto n = static_cast<std::uint64_t>(failures(o, x));
      c.errors += n;
      // Every (retries + 1)-th attempt in a row is the last of a call.
      const auto calls = n / (static_cast<std::uint64_t>(o.retries) + 1);
      c.skipped += calls;
      c.retries += n - calls;
    }
  }

  std::vector<long> through(std::size_t s, std::vector<long> items) {
    const auto& o = *stages_[s].what;
    auto& c = made_.stages[s];
    std::vector<long> out;
    std::vector<long> held;  // triples
    long state = 0;
    const auto in_order = [&](const op& p) { return !p.stateless; };
    for (const long x : items) {
      if (made_.items > most_) return {};
      ++made_.items;
      made_.work_ns += work_ns(o, x, 1);
      ++c.in;
      const int fails = failures(o, x);
      const bool gives_up = fails > o.retries;
      c.errors += static_cast<std::uint64_t>(gives_up ? o.retries + 1 : fails);
      c.retries += static_cast<std::uint64_t>(gives_up ? o.retries : fails);
      if (gives_up) {
        if (o.then == verdict::skip) ++c.skipped;
        if (o.then == verdict::dead_letter) {
          ++c.buried;
          made_.buried[s].push_back(x);
        }
        if (o.then != verdict::stop) continue;
        // What the operator sent before it threw may have gone on.
        if (o.what == verb::expand) {
          for (long i = 0; i < children(o, x) / 2; ++i) out.push_back(child(o, x, i));
        }
        made_.died = static_cast<int>(s);
        if (is_ordered(job_)) break;
        continue;
      }
      switch (o.what) {
        case verb::map:
          out.push_back(mixed(x, o.seed));
          break;
        case verb::filter:
          if (keeps(o, x)) out.push_back(x);
          break;
        case verb::expand:
        case verb::copies:
          for (long i = 0, n = children(o, x); i < n; ++i) out.push_back(child(o, x, i));
          made_.items += static_cast<std::uint64_t>(children(o, x));
          break;
        case verb::running:
          state = in_order(o) ? mixed(state ^ x, o.seed) : mixed(x, o.seed);
          out.push_back(state);
          break;
        case verb::triples:
          held.push_back(x);
          if (held.size() == 3 || !in_order(o)) {
            for (std::size_t i = 1; i < held.size(); ++i) held[0] = sum(held[0], held[i]);
            out.push_back(held[0]);
            held.clear();
          }
          break;
        case verb::partial:
        case verb::gather:
          state = sum(state, x);
          break;
        case verb::count:
          ++state;
          out.push_back(x);
          break;
        case verb::batch:
        case verb::unbatch:
          out.push_back(x);
          break;
        case verb::source:
        case verb::sink:
          out.push_back(x);
          break;
      }
    }
    if (made_.died < 0) {
      if (o.what == verb::triples && !held.empty()) {
        for (std::size_t i = 1; i < held.size(); ++i) held[0] = sum(held[0], held[i]);
        out.push_back(held[0]);
      }
      if (o.what == verb::count || o.what == verb::partial || o.what == verb::gather) out.push_back(state);
    }
    c.out = out.size();
    if (o.what == verb::batch) c.out = groups(o, c.in);
    if (o.what == verb::unbatch) c.in = groups(*stages_[s - 1].what, c.in);
    if (o.what == verb::sink) c.out = 0;
    return out;
  }

  static std::uint64_t groups(const op& batch, std::uint64_t items) {
    const auto n = static_cast<std::uint64_t>(batch.amount);
    return (items + n - 1) / n;
  }

  const job& job_;
  const std::vector<stage> stages_;
  const std::uint64_t most_;
  prediction made_;
};

inline prediction predict(const job& j, long given) {
  return oracle(j, given, ~std::uint64_t{0}).result();
}
inline prediction predict(const job& j) {
  return predict(j, j.items);
}

}  // namespace random_jobs
