#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// Random graphs are described by data: a list of steps, each of which does something with streams that are
/// open still. Any list is a graph, so whatever is left out when a failing one is made smaller leaves a graph
/// again.
namespace random_graphs {

/// What flows: a value, the way it came (so that order by path can be checked), and rounds of a loop to go.
struct item {
  std::int64_t value = 0;
  std::int64_t path = 0;
  std::int64_t left = 0;
  auto operator<=>(const item&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const item& x) {
  return out << '{' << x.value << " on " << x.path << '}';
}

enum class verb : std::uint8_t {
  map,
  filter,
  expand,
  line,          ///< map, filter and expand as one
  farm,          ///< of a map, a filter or an expand
  farm_line,     ///< of all three
  batch,         ///< and unbatch, with groups in the pipe between them
  key_state,     ///< a running sum for each path
  count_window,  ///< for each path, serial or in a farm
  time_window,   ///< by event time, with disorder and late items; of one key, or of several in a farm
  reduce,
  loop,  ///< items go round until their counter is used up
  fan,   ///< an on-demand split, alike branches, a merge
  split,
  tee,
  ports,  ///< a stage that sends to several ports
  merge,
  merge_in_turn,
  merge_by,
  merge_ordered,
  sort,    ///< a stage that chooses: merges by value
  pair,    ///< a stage that chooses: joins one item of each, and ends when one input has ended
  gather,  ///< a stage that takes from several ports as items come
  half,    ///< takes from one port as items come, and chooses when to read the others
  // Not steps of their own:
  source,
  stamp,  ///< says where an item came along
  sink,
};
inline constexpr int steps_of_one = static_cast<int>(verb::split);
inline constexpr int verbs = static_cast<int>(verb::source);

inline const char* name_of(verb v) {
  static constexpr const char* names[] = {
      "map",       "filter",       "expand",      "line",          "farm",     "farm_line",     "batch",
      "key_state", "count_window", "time_window", "reduce",        "loop",     "fan",           "split",
      "tee",       "ports",        "merge",       "merge_in_turn", "merge_by", "merge_ordered", "sort",
      "pair",      "gather",       "half",        "source",        "stamp",    "sink"};
  return names[static_cast<std::size_t>(v)];
}

struct step {
  verb what = verb::map;
  unsigned pick = 0;  ///< which of the open streams
  int width = 2;      ///< how many branches or inputs
  unsigned seed = 0;
  int amount = 0;
  int replicas = 2;
  bool unordered = false;
  int schedule = 0;
  int capacity = 0;  ///< of the connections in front of it; 0: none given
  int spin_us = 0;   ///< work, for some items

  friend std::ostream& operator<<(std::ostream& out, const step& s) {
    return out << name_of(s.what) << "{pick " << s.pick << " width " << s.width << " seed " << s.seed
               << " amount " << s.amount << " replicas " << s.replicas << (s.unordered ? " unordered" : "")
               << " schedule " << s.schedule << " capacity " << s.capacity << " spin " << s.spin_us << '}';
  }
};

enum class origin : std::uint8_t { range, pull, emitting, stage };
inline constexpr int origins = 4;

struct beginning {
  origin from = origin::range;
  long items = 0;
  unsigned seed = 0;
  friend std::ostream& operator<<(std::ostream& out, const beginning& b) {
    static constexpr const char* names[] = {"range", "pull", "emitting", "stage"};
    return out << names[static_cast<std::size_t>(b.from)] << "{items " << b.items << " seed " << b.seed
               << '}';
  }
};

struct description {
  std::vector<beginning> sources;
  std::vector<step> steps;
};
inline std::ostream& operator<<(std::ostream& out, const description& d) {
  for (const auto& s : d.sources) out << s << ' ';
  for (const auto& s : d.steps) out << "\n  | " << s;
  return out;
}

/// What may be relied on in a stream.
enum class label : std::uint8_t { sequence, by_path, multiset };

struct node {
  verb what = verb::map;
  step how;
  std::vector<std::size_t> in, out;  // streams
  [[nodiscard]] std::string name(std::size_t number) const {
    return name_of(what) + std::string("-") + std::to_string(number);
  }
};

struct stream {
  label order = label::sequence;
  std::vector<std::size_t> splits = {};  ///< between which and an ordered merge it may lie, innermost last
  std::size_t from = 0, to = 0;
  std::size_t from_port = 0, to_port = 0;
};

/// A description made sense of: nodes in an order in which each comes behind those that feed it.
struct layout {
  std::vector<node> nodes;
  std::vector<stream> streams;
  std::vector<beginning> sources;  // of the first nodes

  explicit layout(const description& d) : sources(d.sources) {
    if (sources.empty()) sources.emplace_back();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      step s;
      s.seed = sources[i].seed;
      s.amount = static_cast<int>(i);
      open_.push_back(put(verb::source, s, {}, {{}}).front());
    }
    for (const auto& s : d.steps) apply(s);
    for (const auto s : std::exchange(open_, {}))
      put(verb::sink, {.seed = static_cast<unsigned>(s)}, {s}, {});
  }

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& n = nodes[i];
      out << n.name(i);
      if (n.what == verb::source) out << " " << sources[i];
      for (const auto s : n.in) out << " <-" << streams[s].from << "." << streams[s].from_port;
      if (n.what != verb::source && n.what != verb::sink) out << "   " << n.how;
      out << '\n';
    }
    return out.str();
  }

 private:
  static constexpr std::size_t most_open = 9;

  std::vector<std::size_t> put(verb what, const step& how, std::vector<std::size_t> in,
                               std::vector<stream> out) {
    const auto number = nodes.size();
    node n{what, how, std::move(in), {}};
    n.how.what = what;
    for (std::size_t i = 0; i < n.in.size(); ++i) {
      streams[n.in[i]].to = number;
      streams[n.in[i]].to_port = i;
    }
    for (auto& s : out) {
      s.from = number;
      s.from_port = n.out.size();
      n.out.push_back(streams.size());
      streams.push_back(std::move(s));
    }
    nodes.push_back(n);
    return n.out;
  }

  std::size_t take(std::size_t pick) {
    const auto at = open_.begin() + static_cast<std::ptrdiff_t>(pick % open_.size());
    const auto s = *at;
    open_.erase(at);
    return s;
  }

  void apply(step s) {
    if (static_cast<int>(s.what) >= steps_of_one && static_cast<int>(s.what) > static_cast<int>(verb::ports))
      return join(s);
    const auto in = take(s.pick);
    const auto from = streams[in];
    stream to{from.order, from.splits};
    std::size_t width = 1;
    switch (s.what) {
      case verb::farm:
      case verb::farm_line:
        if (s.unordered) to.order = label::multiset;
        break;
      case verb::batch:
        // What is known of the place of an item in the order of a split is that of the last of its group.
        if (to.order != label::sequence) to.splits.clear();
        break;
      case verb::key_state:
        if (to.order == label::multiset) s.what = verb::map;
        break;
      case verb::count_window:
        if (to.order == label::multiset) s.what = verb::map;
        break;
      case verb::time_window:
        if (to.order != label::sequence) s.what = verb::map;
        break;
      case verb::reduce:
        to.order = label::sequence;
        break;
      case verb::loop:
        to = {label::multiset};
        break;
      case verb::fan:
        if (s.amount % 2 == 0) to = {label::multiset};
        break;
      case verb::split:
      case verb::tee:
      case verb::ports: {
        if (open_.size() >= most_open) {
          s.what = verb::map;
          break;
        }
        width = static_cast<std::size_t>(s.width);
        if (s.what == verb::split) {
          // In turn: which branch an item comes to depends on the order.
          s.schedule %= 3;
          if (s.schedule == 0 && to.order != label::sequence) s.schedule = 1;
          if (s.schedule == 2) width = 2;
        }
        if (s.what != verb::ports) to.splits.push_back(nodes.size());
        break;
      }
      default:
        break;
    }
    s.width = static_cast<int>(width > 1 ? width : static_cast<std::size_t>(s.width));
    const auto made = put(s.what, s, {in}, std::vector<stream>(width, to));
    open_.insert(open_.end(), made.begin(), made.end());
  }

  void join(step s) {
    std::vector<std::size_t> in{take(s.pick)};
    stream to;
    if (s.what == verb::merge_ordered && streams[in[0]].splits.empty()) s.what = verb::merge;
    if (s.what == verb::merge_ordered) {
      to.splits = streams[in[0]].splits;
      for (std::size_t i = 0; i < open_.size();) {
        if (streams[open_[i]].splits == to.splits) {
          in.push_back(take(i));
        } else {
          ++i;
        }
      }
      to.splits.pop_back();
    } else {
      const auto most = s.what == verb::sort || s.what == verb::pair ? 2 : s.width;
      while (!open_.empty() && static_cast<int>(in.size()) < most) in.push_back(take(s.pick / 7));
    }
    for (const auto i : in) to.order = std::max(to.order, streams[i].order);
    const bool two_only = s.what == verb::sort || s.what == verb::pair;
    const bool needs_order = two_only || s.what == verb::merge_by || s.what == verb::merge_in_turn;
    if ((needs_order && to.order != label::sequence) || (two_only && in.size() != 2)) s.what = verb::gather;
    if (s.what == verb::merge || s.what == verb::gather || s.what == verb::half) {
      if (s.what == verb::merge) {
        for (std::size_t i = 0; i < in.size(); ++i) {
          const auto& before = streams[in[i]];
          in[i] = put(verb::stamp, {.amount = static_cast<int>(i)}, {in[i]}, {stream{before.order}}).front();
        }
      }
      to.order = std::max(to.order, label::by_path);
    }
    open_.push_back(put(s.what, s, in, {to}).front());
  }

  std::vector<std::size_t> open_;
};

// --- what operators do, for those of thalweg and for the oracle ---

inline std::int64_t mixed(std::int64_t x, std::uint64_t seed) {
  auto h = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15ULL + seed * 0xBF58476D1CE4E5B9ULL + 1;
  h ^= h >> 29;
  h *= 0x94D049BB133111EBULL;
  h ^= h >> 32;
  return static_cast<std::int64_t>(h % 1'000'003);
}
inline item item_of(const beginning& b, long n) {
  return {mixed(n, b.seed + 7), 0, 0};
}
inline item mapped(const step& s, item x) {
  x.value = mixed(x.value, s.seed);
  return x;
}
inline bool kept(const step& s, const item& x) {
  const auto n = s.amount % 5;  // 0: none
  return n == 0 ? s.amount % 2 == 1 : n == 1 || mixed(x.value, s.seed + 1) % n != 0;
}
inline long children(const step& s, const item& x) {
  return mixed(x.value, s.seed + 2) % (1 + s.amount % 4);
}
inline item child(const step& s, const item& x, long n) {
  return {mixed(x.value + n, s.seed + 3), x.path, 0};
}
inline item stamped(item x, std::size_t port) {
  x.path = mixed(x.path, port + 100);
  return x;
}
inline std::size_t chosen(const step& s, const item& x) {
  return static_cast<std::size_t>(mixed(x.value, s.seed + 4));
}
inline long rounds(const step& s, const item& x) {
  return mixed(x.value, s.seed + 5) % (1 + s.amount % 6);
}
/// Whether an item of the loop becomes two.
inline bool divides(const step& s, const item& x) {
  return s.seed % 3 == 0 && mixed(x.value, s.seed + 6) % 4 == 0;
}
inline bool before(const item& a, const item& b) {
  return a.value % 16 < b.value % 16;
}

struct timed {
  std::int64_t at = 0;
  std::int64_t value = 0;
};
inline constexpr std::int64_t time_step = 10;
inline timed timed_item(const step& s, const item& x, long n) {
  return {n * time_step - mixed(x.value, s.seed + 8) % (1 + 20 * (s.amount % 7)), x.value};
}
inline item window_result(std::int64_t path, std::int64_t begin, std::int64_t sum) {
  return {mixed(begin, static_cast<std::uint64_t>(sum)), path, 0};
}
inline std::int64_t window_size(const step& s) {
  return 1 + s.amount % 90;
}
/// Windows by time of several keys are in a farm.
inline std::int64_t window_keys(const step& s) {
  return s.seed % 2 == 0 ? 1 : 2 + s.seed % 11;
}
inline std::int64_t window_key(const step& s, const timed& x) {
  return mixed(x.value, s.seed + 3) % window_keys(s);
}
inline std::int64_t disorder(const step& s) {
  return s.seed % 80;
}

}  // namespace random_graphs
