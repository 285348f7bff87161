// DS2, for comparison: Kalavri et al., "Three steps is all you need: fast, accurate, automatic scaling
// decisions for distributed streaming dataflows", OSDI 2018. From the time that replicas are inside their
// operator it knows what each can do, and from there, in the order of the stream, how many each farm needs
// for what its sources give. It knows nothing of what waits, nor of cores.
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "numbers.hpp"
#include "period.hpp"
#include "planners.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// Items a second: what paced sources give, and what others do for each unit of their own speed.
struct flow {
  double due = 0;
  double free = 0;

  [[nodiscard]] double at(double speed) const { return due + free * speed; }
  friend flow operator+(flow a, flow b) { return {a.due + b.due, a.free + b.free}; }
  friend flow operator*(flow a, double by) { return {a.due * by, a.free * by}; }
};

// The part of what `from` gives that goes to `to`: all of it, if it has no other way. Of several ways it is
// what was taken there, which may be less (a split) or all (a tee).
double share(const window& w, std::size_t from, std::size_t to, const std::vector<int>& ways) {
  if (ways[from] <= 1) return 1;
  double given = 0;
  for (const auto i : w.stages[to].inputs) given += static_cast<double>(w.stages[i].items_out);
  return given > 0 ? std::min(1.0, static_cast<double>(w.stages[to].items_in) / given) : 0.0;
}

// What flows into each stage, or out of a source; none where that is not known: behind a stage that had no
// items, and in a circle, which the text leaves out.
std::vector<std::optional<flow>> flows_in(const window& w) {
  const auto n = w.stages.size();
  std::vector<int> ways(n, 0);
  for (const auto& s : w.stages) {
    for (const auto i : s.inputs) ++ways[i];
  }
  std::vector<std::optional<flow>> in(n);
  std::vector<bool> done(n, false);
  const auto out_of = [&](std::size_t i) -> std::optional<flow> {
    const auto& s = w.stages[i];
    if (s.source || !in[i]) return in[i];
    if (s.items_in == 0) return std::nullopt;
    return *in[i] * (static_cast<double>(s.items_out) / static_cast<double>(s.items_in));
  };
  const auto visit = [&](std::size_t i) {
    const auto& s = w.stages[i];
    done[i] = true;
    if (s.source) {
      in[i] = s.due_rate ? flow{.due = *s.due_rate}
                         : flow{.free = per_second(static_cast<double>(s.items_out), w.length)};
      return;
    }
    flow sum;
    for (const auto from : s.inputs) {
      const auto its = out_of(from);
      if (!its) return;
      sum = sum + *its * share(w, from, i, ways);
    }
    in[i] = sum;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto& inputs = w.stages[i].inputs;
      if (done[i] || !std::all_of(inputs.begin(), inputs.end(), [&](auto from) { return done[from]; }))
        continue;
      visit(i);
      more = true;
    }
  }
  return in;
}

// How fast sources without a schedule can become: until the slowest serial stage is busy all the time. None:
// no serial stage was timed.
std::optional<double> speed_limit(const window& w, const std::vector<std::optional<flow>>& in) {
  auto limit = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto& s = w.stages[i];
    const auto can = s.true_rate();
    if (s.farm() || !in[i] || in[i]->free <= 0 || can <= 0) continue;
    limit = std::min(limit, std::max(0.0, (can - in[i]->due) / in[i]->free));
  }
  if (!std::isfinite(limit)) return std::nullopt;
  return limit;
}

// How far the source that is latest is behind what is due.
double lag_of(const window& w) {
  double most = 1;
  for (const auto& s : w.stages) {
    const auto given = per_second(static_cast<double>(s.items_out), w.length);
    if (s.source && s.due_rate && given > 0) most = std::max(most, *s.due_rate / given);
  }
  return most;
}

struct wish {
  std::string stage;
  int now = 0, wanted = 0;
  friend bool operator==(const wish&, const wish&) = default;
};

class ds2 {
 public:
  explicit ds2(const settings& with)
      : measured_(with.of("period")),
        warm_up_(with.whole("warm_up")),
        activation_(with.whole("activation")),
        ratio_(with.of("ratio")),
        factor_(with.of("factor")),
        slack_(with.whole("slack")) {}

  changes operator()(const window& w) {
    if (!measured_.ends_with(w)) return {};
    const auto& seen = measured_.whole();
    if (seen.changed) resting_ = std::max(resting_, warm_up_);
    if (resting_ > 0) {
      --resting_;
      agreed_ = 0;
      return {};
    }
    auto wishes = wishes_for(seen);
    agreed_ = agreed_ > 0 && wishes == last_ ? agreed_ + 1 : 1;
    last_ = std::move(wishes);
    if (agreed_ < activation_ || !worth_it()) return {};
    agreed_ = 0;
    resting_ = warm_up_;
    return asked();
  }

 private:
  std::vector<wish> wishes_for(const window& w) {
    const auto in = flows_in(w);
    const auto limit = speed_limit(w, in);
    const auto known = [&](std::size_t i) { return in[i] && (limit || in[i]->free <= 0); };

    std::vector<wish> all;
    std::vector<std::optional<double>> needs;
    bool grows = false;
    double possible = 1;  // of what is due, with no more replicas than may be
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto& f = w.stages[i];
      if (!f.farm()) continue;
      std::optional<double> need;
      if (const auto each = f.seconds_per_item(); known(i) && each > 0) {
        const auto busy = in[i]->at(limit.value_or(0)) * each;
        if (busy > f.most) possible = std::min(possible, f.most / busy);
        // What rounding makes of a whole number is no reason for one more.
        need = std::ceil(busy * (1 + factor_) * (1 - 1e-9));
      }
      needs.push_back(need);
      all.push_back({f.name, f.replicas, need ? within_bounds(f, *need) : f.replicas});
      grows = grows || all.back().wanted > f.replicas;
    }
    // The last correction: it believes to have enough, but the source is still too slow.
    const auto lag = lag_of(w);
    if (!grows && lag > ratio_) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (needs[i])
          all[i].wanted = within_bounds(*w.find(all[i].stage), std::ceil(*needs[i] * lag * (1 - 1e-9)));
      }
    }
    predicted_ = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (w.stages[i].sink && known(i)) predicted_ += possible * in[i]->at(limit.value_or(0));
    }
    return all;
  }

  [[nodiscard]] bool worth_it() const {
    return std::any_of(last_.begin(), last_.end(), [&](const wish& one) {
      return one.wanted > one.now || one.wanted < one.now - slack_;
    });
  }

  [[nodiscard]] changes asked() const {
    changes asked;
    asked.predicted = predicted_;
    for (const auto& one : last_) {
      if (one.wanted == one.now) continue;
      asked.replicas.push_back({one.stage, one.wanted});
      add_reason(asked, "by its true rate " + one.stage + " needs " + std::to_string(one.wanted));
    }
    return asked;
  }

  period measured_;
  int warm_up_, activation_;
  double ratio_, factor_;
  int slack_;
  int resting_ = 0;  // periods in which nothing is decided
  int agreed_ = 0;   // periods in a row that came to the same
  std::vector<wish> last_;
  double predicted_ = 0;
};

}  // namespace

named_planner ds2_planner() {
  return {"ds2",
          {{"period", 0.25, 0.001, 3600},
           {"warm_up", 1, 0, 1000, true},
           {"activation", 2, 1, 1000, true},
           {"ratio", 1.1, 1, 1e6},
           {"factor", 0, 0, 100},
           {"slack", 0, 0, 1000, true}},
          [](const settings& with) { return planner::function(ds2(with)); }};
}

}  // namespace THALWEG_NAMESPACE::adaptation
