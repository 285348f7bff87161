#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "description.hpp"

namespace random_graphs {

/// An item, and its places in the order of the splits that it has come through, innermost last.
struct placed {
  item x;
  std::vector<std::int64_t> ranks = {};
};

/// What a graph must do: each node maps whole vectors to whole vectors.
struct prediction {
  std::vector<std::vector<placed>> streams;
  struct counts {
    std::uint64_t in = 0, out = 0;
    std::uint64_t calls = 0;  ///< of its operator
  };
  std::vector<counts> nodes;
  std::uint64_t items = 0;

  [[nodiscard]] std::vector<item> seen(std::size_t stream) const {
    std::vector<item> all;
    for (const auto& p : streams[stream]) all.push_back(p.x);
    return all;
  }
};

class oracle {
 public:
  /// Predicts what comes of the first `given[i]` items of source `i`. Gives up beyond `most` items in all.
  oracle(const layout& l, const std::vector<long>& given, std::uint64_t most) : l_(l), most_(most) {
    made_.streams.resize(l.streams.size());
    made_.nodes.resize(l.nodes.size());
    for (std::size_t i = 0; i < l.nodes.size() && !too_much(); ++i) evaluate(i, given);
  }
  [[nodiscard]] bool too_much() const { return made_.items > most_; }
  [[nodiscard]] prediction result() && { return std::move(made_); }

 private:
  using items = std::vector<placed>;
  // What is sent at the end of the stream comes behind all else.
  static constexpr auto at_the_end = std::numeric_limits<std::int64_t>::max();

  static placed like(const placed& p, item x) { return {x, p.ranks}; }
  [[nodiscard]] std::vector<std::int64_t> end_ranks(std::size_t stream) const {
    return std::vector<std::int64_t>(l_.streams[stream].splits.size(), at_the_end);
  }

  void evaluate(std::size_t number, const std::vector<long>& given) {
    const auto& n = l_.nodes[number];
    const auto& s = n.how;
    auto& c = made_.nodes[number];
    static const items none;
    const auto& in = n.in.empty() ? none : made_.streams[n.in[0]];
    std::vector<items> out(std::max<std::size_t>(1, n.out.size()));
    auto& to = out[0];
    c.calls = in.size();
    switch (n.what) {
      case verb::source:
        for (long i = 0; i < given[number]; ++i) to.push_back({item_of(l_.sources[number], i)});
        c.calls = to.size();
        break;
      case verb::map:
        for (const auto& p : in) to.push_back(like(p, mapped(s, p.x)));
        break;
      case verb::filter:
        keep(s, in, to);
        break;
      case verb::expand:
        expand(s, in, to);
        break;
      case verb::farm:
        if (s.seed % 3 == 0) keep(s, in, to);
        if (s.seed % 3 == 1) expand(s, in, to);
        if (s.seed % 3 == 2) {
          for (const auto& p : in) to.push_back(like(p, mapped(s, p.x)));
        }
        break;
      case verb::line:
      case verb::farm_line: {
        items a, b;
        for (const auto& p : in) a.push_back(like(p, mapped(s, p.x)));
        keep(s, a, b);
        expand(s, b, to);
        break;
      }
      case verb::batch: {
        const auto size = static_cast<std::size_t>(1 + s.amount % 9);
        for (std::size_t i = 0; i < in.size(); i += size) {
          const bool full = i + size <= in.size();
          for (std::size_t k = i; k < std::min(in.size(), i + size); ++k)
            to.push_back({in[k].x, full ? in[i + size - 1].ranks : end_ranks(n.in[0])});
        }
        break;
      }
      case verb::key_state: {
        std::map<std::int64_t, std::int64_t> sums;
        std::vector<std::int64_t> keys;
        for (const auto& p : in) {
          const auto [at, added] = sums.try_emplace(p.x.path, 0);
          if (added) keys.push_back(p.x.path);
          at->second = mixed(at->second + p.x.value, s.seed);
          to.push_back(like(p, {at->second, p.x.path, 0}));
        }
        if (s.amount % 2 == 1) {
          for (const auto k : keys) to.push_back({{sums[k], k, 0}, end_ranks(n.in[0])});
        }
        break;
      }
      case verb::count_window:
        count_windows(s, in, to, end_ranks(n.in[0]));
        break;
      case verb::time_window:
        time_windows(s, in, to, end_ranks(n.in[0]));
        break;
      case verb::reduce: {
        std::int64_t sum = 0;
        for (const auto& p : in) sum += p.x.value;
        to.push_back({{sum, 0, 0}, end_ranks(n.in[0])});
        break;
      }
      case verb::loop: {
        c.calls = 0;
        items open;
        for (const auto& p : in) open.push_back({{p.x.value, p.x.path, rounds(s, p.x)}});
        for (std::size_t i = 0; i < open.size(); ++i) {
          const auto x = open[i].x;
          ++c.calls;
          if (x.left <= 0) {
            to.push_back({{x.value, x.path, 0}});
          } else {
            open.push_back({{mixed(x.value, s.seed), x.path, x.left - 1}});
            if (divides(s, x)) open.push_back({{mixed(x.value, s.seed + 9), x.path, x.left - 1}});
          }
          if (open.size() > most_) break;
        }
        made_.items += c.calls;
        break;
      }
      case verb::fan:
        for (const auto& p : in) to.push_back(like(p, mapped(s, p.x)));
        break;
      case verb::split:
      case verb::tee:
        for (std::size_t i = 0; i < in.size(); ++i) {
          auto p = in[i];
          p.ranks.push_back(static_cast<std::int64_t>(i));
          if (n.what == verb::tee) {
            for (auto& o : out) o.push_back(p);
          } else if (s.schedule == 0) {
            out[i % out.size()].push_back(p);
          } else if (s.schedule == 1) {
            // Where a key goes is the library's affair: the oracle asks how it spreads them.
            const auto spread =
                (std::hash<std::int64_t>{}(p.x.value % 50) * std::size_t{0x9E3779B97F4A7C15} >> 32) %
                out.size();
            out[spread].push_back(p);
          } else {
            out[kept(s, p.x) ? 0 : 1].push_back(p);
          }
        }
        break;
      case verb::ports:
        for (const auto& p : in) {
          const auto k = chosen(s, p.x);
          out[k % out.size()].push_back(like(p, mapped(s, p.x)));
          if (k % 5 == 0) out[k / 5 % out.size()].push_back(p);
        }
        break;
      case verb::stamp:
        for (const auto& p : in) to.push_back({stamped(p.x, static_cast<std::size_t>(s.amount))});
        break;
      case verb::merge:
      case verb::gather:
      case verb::half:
        c.calls = 0;
        for (std::size_t i = 0; i < n.in.size(); ++i) {
          for (const auto& p : made_.streams[n.in[i]]) {
            to.push_back({n.what == verb::merge ? p.x : stamped(mapped(s, p.x), i)});
            ++c.calls;
          }
        }
        break;
      case verb::merge_in_turn:
        for (std::size_t k = 0, before = 1; to.size() != before || k == 0; ++k) {
          before = to.size();
          for (const auto i : n.in) {
            if (k < made_.streams[i].size()) to.push_back({made_.streams[i][k].x});
          }
        }
        break;
      case verb::merge_by:
      case verb::sort: {
        std::vector<std::size_t> at(n.in.size(), 0);
        for (;;) {
          const item* least = nullptr;
          std::size_t from = 0;
          for (std::size_t i = 0; i < at.size(); ++i) {
            const auto& a = made_.streams[n.in[i]];
            if (at[i] == a.size()) continue;
            if (least == nullptr || before(a[at[i]].x, *least)) {
              least = &a[at[i]].x;
              from = i;
            }
          }
          if (least == nullptr) break;
          to.push_back({*least});
          ++at[from];
        }
        c.calls = to.size();
        break;
      }
      case verb::merge_ordered: {
        std::vector<std::tuple<std::int64_t, std::size_t, placed>> all;
        for (std::size_t i = 0; i < n.in.size(); ++i) {
          for (const auto& p : made_.streams[n.in[i]]) {
            auto outer = p.ranks;
            outer.pop_back();
            all.emplace_back(p.ranks.back(), i, placed{p.x, std::move(outer)});
          }
        }
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
          return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
        });
        for (auto& [rank, input, p] : all) to.push_back(std::move(p));
        break;
      }
      case verb::pair: {
        const auto& other = made_.streams[n.in[1]];
        for (std::size_t i = 0; i < std::min(in.size(), other.size()); ++i)
          to.push_back({{mixed(in[i].x.value, static_cast<std::uint64_t>(other[i].x.value)), 0, 0}});
        c.calls = to.size();
        break;
      }
      case verb::sink:
        break;
    }
    for (const auto i : n.in) c.in += made_.streams[i].size();
    if (n.what == verb::pair) c.in = 2 * to.size();
    for (std::size_t i = 0; i < n.out.size(); ++i) {
      c.out += out[i].size();
      made_.streams[n.out[i]] = std::move(out[i]);
    }
    made_.items += c.in + c.out;
  }

  static void keep(const step& s, const items& in, items& to) {
    for (const auto& p : in) {
      if (kept(s, p.x)) to.push_back(p);
    }
  }
  static void expand(const step& s, const items& in, items& to) {
    for (const auto& p : in) {
      for (long i = 0; i < children(s, p.x); ++i) to.push_back(like(p, child(s, p.x, i)));
    }
  }

  static void count_windows(const step& s, const items& in, items& to, const std::vector<std::int64_t>& end) {
    const auto size = 1 + s.amount % 7;
    struct state {
      std::int64_t key, first, sum = 0, n = 0;
    };
    std::vector<state> all;
    for (const auto& p : in) {
      const auto key = p.x.path;
      auto at = std::find_if(all.begin(), all.end(), [&](const state& x) { return x.key == key; });
      if (at == all.end()) at = all.insert(all.end(), state{key, 0});
      at->sum += p.x.value;
      if (++at->n == size) {
        to.push_back(like(p, window_result(key, at->first, at->sum)));
        at->first += size;
        at->n = at->sum = 0;
      }
    }
    for (const auto& x : all) {
      if (x.n > 0) to.push_back({window_result(x.key, x.first, x.sum), end});
    }
  }

  static void time_windows(const step& s, const items& in, items& to, const std::vector<std::int64_t>& end) {
    const auto size = window_size(s);
    struct window {
      std::int64_t key = 0, sum = 0;
    };
    // By its beginning and the place of its first item.
    std::map<std::pair<std::int64_t, std::size_t>, window> open;
    auto latest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto t = timed_item(s, in[i].x, static_cast<long>(i));
      latest = std::max(latest, t.at);
      const auto mark = latest - disorder(s);
      while (!open.empty() && open.begin()->first.first + size <= mark) {
        const auto& [place, w] = *open.begin();
        to.push_back(like(in[i], window_result(w.key, place.first, w.sum)));
        open.erase(open.begin());
      }
      auto begin = t.at / size * size;
      if (begin > t.at) begin -= size;
      if (begin + size <= mark) continue;
      const auto key = window_key(s, t);
      const auto at = std::find_if(open.begin(), open.end(), [&](const auto& w) {
        return w.first.first == begin && w.second.key == key;
      });
      (at != open.end() ? at->second : open[{begin, i}] = {key, 0}).sum += t.value;
    }
    for (const auto& [place, w] : open) to.push_back({window_result(w.key, place.first, w.sum), end});
  }

  const layout& l_;
  const std::uint64_t most_;
  prediction made_;
};

inline std::vector<long> all_of(const layout& l) {
  std::vector<long> given;
  for (const auto& s : l.sources) given.push_back(s.items);
  return given;
}
inline prediction predict(const layout& l, const std::vector<long>& given) {
  return oracle(l, given, ~std::uint64_t{0}).result();
}
inline prediction predict(const layout& l) {
  return predict(l, all_of(l));
}

}  // namespace random_graphs
