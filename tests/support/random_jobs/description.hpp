#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

/// Random jobs: plain data that says what a job shall be. `build.hpp` makes a thalweg job of it, `oracle.hpp`
/// computes what must come out of it without thalweg, `generate.hpp` has RapidCheck make them up.
namespace random_jobs {

/// What a stage does with the items, which are longs.
enum class verb {
  map,
  filter,
  expand,   // flat_map: some children for each item, sometimes thousands
  running,  // map with state: a chain of hashes
  triples,  // flat_map with state and a last word: the sum of every three items, and of what is left
  count,    // map that sends, at the end, how many items there were
  batch,    // followed by unbatch
  unbatch,  //
  partial,  // one operator per replica adds up its items and sends the sum at the end
  copies,   // flat_map: each item so many times
  gather,   // adds up all items and sends the sum at the end
  source,   //
  sink,
};

/// What a stage does with an item that failed for good.
enum class verdict { stop, skip, dead_letter };

/// Where a stage throws what no error policy can mend.
enum class fatal { never, factory, on_start, item, on_end };

/// One stage: its function, how long it takes, and how it fails.
struct op {
  verb what = verb::map;
  unsigned seed = 0;
  int amount =
      1;          ///< filter: drops one in so many; expand: at most so many children; batch: items in a group
  int large = 0;  ///< expand: so many children for one item in 32
  int spin = 0;   ///< kind of work: none, even, coarse, uneven, sleepy, in phases
  int capacity = 0;
  int fails_one_in = 0;  ///< items; 0: never
  int fails_times = 1;   ///< attempts at such an item that fail
  int retries = 0;
  verdict then = verdict::stop;
  fatal dies = fatal::never;
  int own_thread = 0;      ///< 1: .blocking, 2: .on = caller_thread
  bool timed = false;      ///< batch: with an interval
  bool stateless = false;  ///< behind an unordered farm: does what it does without regard to order
};

/// The options of a farm.
struct replication {
  int replicas = 0;  ///< 0: the policy decides
  bool unordered = false;
  int capacity = 0;
  int schedule = 0;        ///< on demand, round robin, routed
  bool forgiving = false;  ///< .on_error = skip for the whole farm
  bool blocking = false;
};

/// The pieces that jobs are put together from. Each has a type of its own, known at compile time.
enum class form {
  single,
  batches,
  fused,
  named,
  farm_map,
  farm_filter,
  farm_expand,
  farm_line,
  farm_expansions,
  farm_nested,
  farm_deep,
  farm_named,
  farms_adjacent,
  farms_apart,
  farm_own,
  farm_own_line,
  farm_partial,
  farm_partial_line,
};
inline constexpr int forms = 18;

/// A stage's place: serial, or in the first or second farm of its piece.
struct place {
  verb what;
  int farm;
};

inline std::vector<place> places(form f, verb single) {
  using enum verb;
  switch (f) {
    case form::single:
      return {{single, -1}};
    case form::batches:
      return {{batch, -1}, {unbatch, -1}};
    case form::fused:
      return {{map, -1}, {filter, -1}, {running, -1}, {expand, -1}};
    case form::named:
      return {{map, -1}, {filter, -1}, {count, -1}};
    case form::farm_map:
    case form::farm_deep:
    case form::farm_own:
      return {{map, 0}};
    case form::farm_filter:
      return {{filter, 0}};
    case form::farm_expand:
      return {{expand, 0}};
    case form::farm_line:
      return {{map, 0}, {filter, 0}, {expand, 0}};
    case form::farm_expansions:
      return {{expand, 0}, {map, 0}, {expand, 0}};
    case form::farm_nested:
    case form::farm_named:
      return {{map, 0}, {expand, 0}, {filter, 0}};
    case form::farms_adjacent:
      return {{map, 0}, {expand, 1}};
    case form::farms_apart:
      return {{map, 0}, {running, -1}, {expand, 1}};
    case form::farm_own_line:
      return {{map, 0}, {expand, 0}};
    case form::farm_partial:
      return {{partial, 0}, {gather, -1}};
    case form::farm_partial_line:
      return {{partial, 0}, {copies, 0}, {copies, 1}, {gather, -1}};
  }
  return {};
}

struct piece {
  form shape = form::single;
  std::vector<op> ops;
  replication first, second;
};

enum class origin { pull, pull_token, vector, list, emitting, paced };
inline constexpr int origins = 6;

/// Jobs whose stages are one typed pipeline, so that a policy may run them as one loop. The others are joined
/// from pieces whose types have been erased.
inline const std::vector<std::vector<form>>& typed_jobs() {
  using enum form;
  static const std::vector<std::vector<form>> all{
      {farm_map}, {named, farm_line}, {farms_apart}, {farm_nested}, {farm_partial_line},
  };
  return all;
}

struct job {
  int typed = -1;  ///< which of the typed jobs; -1: joined at run time
  origin from = origin::pull;
  long items = 0;
  unsigned seed = 0;
  int stalls_one_in = 0;  ///< items before which the source sleeps
  op source;
  std::vector<piece> pieces;
  op sink;
  bool replicated_sink = false;
  replication sinks;
};

/// A stage of a job, with its name.
struct stage {
  const op* what;
  std::string path;
  int piece;  ///< -1: source or sink
  int farm;   ///< -1: serial
  /// Whether the numbers of items in and out are the same in every run.
  bool counted_in, counted_out;
};

/// The names: the n-th stage of piece p is `p.n`, within the scopes around it.
inline std::string name_of(int piece, std::size_t n) {
  return std::to_string(piece) + "." + std::to_string(n);
}
inline std::string scope_of(int piece, form shape, std::size_t n) {
  const auto number = std::to_string(piece);
  switch (shape) {
    case form::named:
      return "named" + number + "/";
    case form::farm_line:
    case form::farm_nested:
      return "farm" + number + "/";
    case form::farm_named:
      return n < 2 ? "farm" + number + "/named/" : "farm" + number + "/";
    default:
      return "";
  }
}

inline std::vector<stage> stages_of(const job& j) {
  std::vector<stage> all{{&j.source, "source", -1, -1, true, true}};
  for (int i = 0; i < static_cast<int>(j.pieces.size()); ++i) {
    const auto& p = j.pieces[static_cast<std::size_t>(i)];
    const auto where = places(p.shape, p.ops.front().what);
    for (std::size_t n = 0; n < where.size(); ++n) {
      stage s{&p.ops[n], scope_of(i, p.shape, n) + name_of(i, n), i, where[n].farm, true, true};
      using enum verb;
      // How many partial sums there are is up to the policy, and how items group in time up to the clock.
      const bool loose_in = s.what->what == copies || s.what->what == gather ||
                            (s.what->what == unbatch && p.ops.front().timed);
      const bool loose_out =
          s.what->what == partial || s.what->what == copies || (s.what->what == batch && s.what->timed);
      s.counted_in = !loose_in;
      s.counted_out = !loose_out;
      all.push_back(std::move(s));
    }
  }
  all.push_back({&j.sink, "sink", -1, j.replicated_sink ? 0 : -1, true, true});
  return all;
}

/// Whether the sink must see the very sequence, or the same items in any order.
inline bool is_ordered(const job& j) {
  const auto disorders = [](const piece& p) { return p.first.unordered || p.second.unordered; };
  return !j.replicated_sink && std::none_of(j.pieces.begin(), j.pieces.end(), disorders);
}

// --- what the functions are ---

inline std::uint64_t hash(std::uint64_t x, std::uint64_t seed) {
  x += 0x9e3779b97f4a7c15ULL * (seed + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
inline std::uint64_t hash(long x, std::uint64_t seed) {
  return hash(static_cast<std::uint64_t>(x), seed);
}

inline constexpr long modulus = 1L << 40;
inline long mixed(long x, std::uint64_t seed) {
  return static_cast<long>(hash(x, seed) % static_cast<std::uint64_t>(modulus));
}
inline long sum(long a, long b) {
  return (a + b) % modulus;
}

inline long item_of(const job& j, long i) {
  return mixed(i, j.seed);
}
inline bool keeps(const op& o, long x) {
  return o.amount == 0 || hash(x, o.seed) % static_cast<std::uint64_t>(o.amount) != 0;
}
inline long children(const op& o, long x) {
  if (o.what == verb::copies) return o.amount;
  if (o.large > 0 && hash(x, o.seed + 1) % 32 == 0) return o.large;
  return static_cast<long>(hash(x, o.seed) % (static_cast<std::uint64_t>(o.amount) + 1));
}
inline long child(const op& o, long x, long i) {
  return o.what == verb::copies ? x : mixed(x + i, o.seed);
}

/// How many attempts at an item fail.
inline int failures(const op& o, long x) {
  const bool fails =
      o.fails_one_in > 0 && hash(x, o.seed + 2) % static_cast<std::uint64_t>(o.fails_one_in) == 0;
  return fails ? o.fails_times : 0;
}

/// How long an item's work takes, in nanoseconds; `phase` changes as the stream goes on.
inline long work_ns(const op& o, long x, long phase) {
  const auto h = hash(x, o.seed + 3);
  switch (o.spin) {
    case 1:
      return 200;
    case 2:
      return 3'000;
    case 3:
      return h % 256 == 0 ? 150'000 : h % 16 == 0 ? 15'000 : 100;
    case 4:
      return h % 64 == 0 ? 60'000 : 0;  // asleep
    case 5:
      return phase % 2 == 0 ? 5 : 5'000;
    default:
      return 0;
  }
}

// --- for people ---

inline const char* text_of(verb v) {
  static constexpr const char* names[]{"map",     "filter",  "expand", "running", "triples", "count", "batch",
                                       "unbatch", "partial", "copies", "gather",  "source",  "sink"};
  return names[static_cast<int>(v)];
}
inline const char* text_of(form f) {
  static constexpr const char* names[]{"single",          "batches",          "fused",       "named",
                                       "farm_map",        "farm_filter",      "farm_expand", "farm_line",
                                       "farm_expansions", "farm_nested",      "farm_deep",   "farm_named",
                                       "farms_adjacent",  "farms_apart",      "farm_own",    "farm_own_line",
                                       "farm_partial",    "farm_partial_line"};
  return names[static_cast<int>(f)];
}
inline const char* text_of(origin o) {
  static constexpr const char* names[]{"pull", "pull_token", "vector", "list", "emitting", "paced"};
  return names[static_cast<int>(o)];
}
inline const char* text_of(fatal f) {
  static constexpr const char* names[]{"never", "factory", "on_start", "item", "on_end"};
  return names[static_cast<int>(f)];
}

inline std::ostream& operator<<(std::ostream& out, fatal f) {
  return out << text_of(f);
}

inline std::ostream& operator<<(std::ostream& out, const op& o) {
  out << text_of(o.what) << "(seed " << o.seed << ", amount " << o.amount;
  if (o.large != 0) out << ", large " << o.large;
  if (o.spin != 0) out << ", spin " << o.spin;
  if (o.capacity != 0) out << ", capacity " << o.capacity;
  if (o.fails_one_in != 0) {
    static constexpr const char* verdicts[]{"stop", "skip", "dead letter"};
    out << ", 1 in " << o.fails_one_in << " fails " << o.fails_times << " times, " << o.retries
        << " retries then " << verdicts[static_cast<int>(o.then)];
  }
  if (o.dies != fatal::never) out << ", dies: " << text_of(o.dies);
  if (o.own_thread != 0) out << (o.own_thread == 1 ? ", blocking" : ", caller thread");
  if (o.timed) out << ", timed";
  if (o.stateless) out << ", stateless";
  return out << ")";
}

inline std::ostream& operator<<(std::ostream& out, const replication& r) {
  out << "x " << r.replicas;
  if (r.unordered) out << " unordered";
  if (r.capacity != 0) out << " capacity " << r.capacity;
  if (r.schedule != 0) out << (r.schedule == 1 ? " round robin" : " routed");
  if (r.forgiving) out << " skip";
  if (r.blocking) out << " blocking";
  return out;
}

inline std::ostream& operator<<(std::ostream& out, const piece& p) {
  out << text_of(p.shape);
  const auto where = places(p.shape, p.ops.empty() ? verb::map : p.ops.front().what);
  for (const int farm : {0, 1}) {
    const bool there =
        std::any_of(where.begin(), where.end(), [&](const place& s) { return s.farm == farm; }) ||
        (farm == 1 && (p.shape == form::farm_nested || p.shape == form::farm_deep));
    if (there) out << " [" << (farm == 0 ? p.first : p.second) << "]";
  }
  for (const auto& o : p.ops) out << " " << o;
  return out;
}

inline std::ostream& operator<<(std::ostream& out, const job& j) {
  out << (j.typed >= 0 ? "one typed pipeline" : "joined at run time") << "\n  " << text_of(j.from) << " "
      << j.items << " items, seed " << j.seed;
  if (j.stalls_one_in != 0) out << ", stalls before 1 in " << j.stalls_one_in;
  out << " " << j.source << "\n";
  for (const auto& p : j.pieces) out << "  " << p << "\n";
  if (j.replicated_sink) out << "  farm [" << j.sinks << "]";
  return out << "  " << j.sink << "\n";
}

inline std::string text_of(const job& j) {
  std::ostringstream out;
  out << j;
  return out.str();
}

}  // namespace random_jobs
