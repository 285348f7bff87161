// A pipe from one thread to one other: nanoseconds per item, against every such pipe found here.
#include <algorithm>
#include <exception>
#include <optional>

#include "../session.hpp"
#include "../support/statistics.hpp"
#include "transfer.hpp"

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace micro {

void stay_on_core(int which) {
#if defined(__linux__)
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  if (CPU_COUNT(&allowed) < 2) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || which-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
#else
  (void)which;
#endif
}

namespace {

struct item_size {
  const char* name;
  double limit;  ///< Nanoseconds per item that the library is held to.
  std::vector<std::vector<pipe_setting>> peers;
};

/// All that the bare ring is compared with: a pipeline of ours, which is held to no bar, and the peers.
template <class Item> std::vector<std::vector<pipe_setting>> peers_found() {
  std::vector<std::vector<pipe_setting>> all{pipeline_pipes<Item>(), mutex_pipes<Item>()};
#ifdef MICRO_HAS_RIGTORP
  all.push_back(rigtorp_pipes<Item>());
#endif
#ifdef MICRO_HAS_ATOMIC_QUEUE
  all.push_back(atomic_queue_pipes<Item>());
#endif
#ifdef MICRO_HAS_MOODYCAMEL
  all.push_back(moodycamel_pipes<Item>());
#endif
#ifdef MICRO_HAS_FASTFLOW
  all.push_back(fastflow_pipes<Item>());
#endif
  return all;
}

void report_missing(reporter& out) {
#ifndef MICRO_HAS_RIGTORP
  out.unavailable("rigtorp", "clone rigtorp/SPSCQueue and give --peer-path RIGTORP=<its include folder>");
#endif
#ifndef MICRO_HAS_ATOMIC_QUEUE
  out.unavailable("atomic_queue",
                  "clone max0x7ba/atomic_queue and give --peer-path ATOMIC_QUEUE=<its include folder>");
#endif
#ifndef MICRO_HAS_MOODYCAMEL
  out.unavailable("readerwriterqueue", "install libreaderwriterqueue-dev");
#endif
  (void)out;
}

/// A pipe that is measured: the default of a peer, or its fastest setting.
struct runner {
  const pipe_setting* pipe = nullptr;
  std::string role;
  std::uint64_t items = 0;
  std::vector<double> times;   ///< Nanoseconds per item.
  std::vector<double> ratios;  ///< To the run of ours just before.
  std::vector<double> used;    ///< Cores.
  bool failed = false;
};

/// The pipes of one size of item, in one session.
class comparison {
 public:
  comparison(session& s, const item_size& size, const std::vector<pipe_setting>& ours) : s_(s), size_(size) {
    enter(ours);
    ours_ = runners_.size();
    for (const auto& peer : size.peers) enter(peer);
  }

  void run() {
    std::vector<std::size_t> order(runners_.size() - 1);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i + 1;
    for (int repeat = 0; repeat < s_.repeats; ++repeat) {
      s_.out.progress("pipes", repeat, s_.repeats, size_.name);
      std::shuffle(order.begin(), order.end(), s_.random);
      for (const std::size_t i : order) {
        const auto own = measure(runners_.front());
        const auto other = measure(runners_[i]);
        if (own && other) runners_[i].ratios.push_back(*other / *own);
      }
    }
    s_.out.progress("pipes", s_.repeats, s_.repeats, size_.name);
    for (std::size_t i = 0; i < runners_.size(); ++i) report(runners_[i], i == 0, i < ours_);
  }

 private:
  std::optional<double> measure(runner& who) {
    if (who.failed) return {};
    try {
      const auto began = now();
      const auto processor = processor_time();
      who.times.push_back(who.pipe->run(who.items));
      who.used.push_back(static_cast<double>(processor_time() - processor) /
                         static_cast<double>(now() - began));
      return who.times.back();
    } catch (const std::exception& error) {
      who.failed = true;
      s_.out.wrong("pipes", size_.name, who.pipe->peer + ", " + who.pipe->setting, error.what());
      return {};
    }
  }

  /// Enters the default of a peer, and its fastest setting where that is another one. Some settings are a
  /// hundred times slower than others: the second round is longer, and takes only those that the first has
  /// left.
  void enter(const std::vector<pipe_setting>& settings) {
    struct trial {
      const pipe_setting* pipe;
      double time;
    };
    const auto try_out = [&](const pipe_setting& setting, std::uint64_t items) {
      s_.out.progress("pipes", 0, s_.repeats,
                      std::string(size_.name) + ": trying " + setting.peer + ", " + setting.setting);
      std::vector<double> times;
      for (int i = 0; i < 3; ++i) times.push_back(setting.run(items));
      return median_of(std::move(times));
    };
    std::vector<trial> left;
    for (const auto& setting : settings) {
      try {
        left.push_back({&setting, try_out(setting, 20'000)});
        if (setting.is_default)
          runners_.push_back({&setting, "default", items_for(left.back().time), {}, {}, {}});
      } catch (const std::exception& error) {
        s_.out.wrong("pipes", size_.name, setting.peer + ", " + setting.setting, error.what());
      }
    }
    const auto by_time = [](const trial& one, const trial& other) { return one.time < other.time; };
    const auto best = std::min_element(left.begin(), left.end(), by_time);
    if (best == left.end()) return;
    constexpr double hopeless = 3;
    const double most = hopeless * best->time;
    std::erase_if(left, [&](const trial& one) { return one.time > most; });
    for (auto& one : left) one.time = try_out(*one.pipe, s_.quick ? 100'000 : 500'000);
    const auto fastest = *std::min_element(left.begin(), left.end(), by_time);
    if (!fastest.pipe->is_default) {
      runners_.push_back({fastest.pipe, "tuned", items_for(fastest.time), {}, {}, {}});
    }
  }

  std::uint64_t items_for(double nanoseconds) const {
    const double run = s_.quick ? 5e6 : 30e6;
    return std::max<std::uint64_t>(20'000, static_cast<std::uint64_t>(run / nanoseconds));
  }

  void report(const runner& who, bool first, bool ours) const {
    if (who.failed) return;
    row r;
    r.bench = "pipes";
    r.variant = size_.name;
    r.peer = who.pipe->peer;
    r.setting = who.pipe->setting;
    r.role = who.role;
    r.samples = who.times;
    r.items = who.items;
    r.repeats = static_cast<int>(who.times.size());
    r.parallelism = who.used;
    if (ours && who.pipe->is_default) r.limit = bar{size_.limit, bar_on::value};
    if (!first) {
      r.against = "thalweg, " + runners_.front().pipe->setting;
      r.ratios = who.ratios;
    }
    s_.out.result(r);
  }

  session& s_;
  const item_size& size_;
  std::vector<runner> runners_;
  std::size_t ours_ = 0;
};

}  // namespace

void run_pipes(session& s) {
  report_missing(s.out);
  const std::vector<pipe_setting> ours[] = {thalweg_pipes<word>(), thalweg_pipes<line>()};
  const item_size sizes[] = {{"8 bytes", 4, peers_found<word>()}, {"64 bytes", 9, peers_found<line>()}};
  for (std::size_t i = 0; i < std::size(sizes); ++i) comparison(s, sizes[i], ours[i]).run();
}

}  // namespace micro
