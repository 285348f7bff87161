#pragma once

#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "description.hpp"

namespace random_jobs {

/// What the operators of one run leave behind, and what they found wrong.
class witness {
 public:
  struct of_stage {
    std::atomic<int> made{0}, started{0}, ended{0};
    std::mutex mutex;
    std::map<std::thread::id, int> attempts;  // at the item in hand, by thread
    std::vector<long> buried;                 // written by one dead-letter handler at a time
  };

  witness(const job& j, bool works)
      : described(j), stages(stages_of(described)), counted(stages.size()), works(works) {}
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;

  const job described;
  const std::vector<stage> stages;
  std::vector<of_stage> counted;
  const bool works;  ///< whether operators take the time they are said to take

  std::atomic<long> given{0};    ///< items that the source made
  std::atomic<long> arrived{0};  ///< items that came to the sink
  std::vector<long> seen;        ///< the sink's; under `sharing` if it is replicated
  std::mutex sharing;
  std::atomic<bool> burying{false};
  /// The thread that `.on = caller_thread` names.
  std::atomic<std::thread::id> caller{};

  void complain(const std::string& what) {
    const std::lock_guard hold(sharing);
    if (complaints_.size() < 10) complaints_.push_back(what);
  }
  [[nodiscard]] std::string complaints() {
    const std::lock_guard hold(sharing);
    std::string all;
    for (const auto& c : complaints_) all += c + "\n";
    return all;
  }

 private:
  std::vector<std::string> complaints_;
};

/// What a stage's operator throws.
struct refusal : std::runtime_error {
  explicit refusal(std::size_t at) : std::runtime_error("refused"), stage(at) {}
  std::size_t stage;
};

/// Ties an operator to its stage.
struct probe {
  std::shared_ptr<witness> run;
  std::size_t number;

  [[nodiscard]] const op& what() const { return *run->stages[number].what; }
  [[nodiscard]] witness::of_stage& counted() const { return run->counted[number]; }

  /// Takes the time that an item takes, and looks whether this attempt at it fails.
  [[nodiscard]] bool fails(long x) const {
    const auto& o = what();
    if (run->works) work(o, x);
    if (o.own_thread == 2 && run->works && std::this_thread::get_id() != run->caller.load())
      run->complain("not on the caller's thread: " + run->stages[number].path);
    const int times = failures(o, x);
    if (times == 0) return false;
    const std::lock_guard hold(counted().mutex);
    auto& attempt = counted().attempts[std::this_thread::get_id()];
    ++attempt;
    const bool failed = attempt <= times;
    if (!failed || attempt > o.retries) attempt = 0;
    return failed;
  }
  void check(long x) const {
    if (fails(x)) throw refusal(number);
  }
  [[noreturn]] void refuse() const { throw refusal(number); }

  void make() const {
    ++counted().made;
    if (what().dies == fatal::factory) throw refusal(number);
  }
  void start() const {
    ++counted().started;
    if (what().dies == fatal::on_start) throw refusal(number);
  }
  void end() const {
    ++counted().ended;
    if (what().dies == fatal::on_end) throw refusal(number);
  }

 private:
  void work(const op& o, long x) const {
    const auto ns = work_ns(o, x, run->given.load(std::memory_order_relaxed) / 4096 + 1);
    if (ns == 0) return;
    if (o.spin == 4) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
      return;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
};

/// For operators that must never be in use twice at once: notices it if they are, and if they are used after
/// their end.
class sole {
 public:
  class use {
   public:
    use(sole& s, const probe& p) : in_use_(*s.in_use_) {
      if (in_use_.exchange(true)) p.run->complain("used twice at once: " + p.run->stages[p.number].path);
      if (s.ended_) p.run->complain("used after its end: " + p.run->stages[p.number].path);
      ++s.uses_;
    }
    use(const use&) = delete;
    use& operator=(const use&) = delete;
    ~use() { in_use_ = false; }

   private:
    std::atomic<bool>& in_use_;
  };
  sole() = default;
  sole(const sole&) : sole() {}
  sole& operator=(const sole&) = delete;

  void end() { ended_ = true; }

 private:
  std::unique_ptr<std::atomic<bool>> in_use_ = std::make_unique<std::atomic<bool>>(false);
  long uses_ = 0;  // plain, so that the thread sanitizer sees who shares it
  bool ended_ = false;
};

/// The hooks of operators that have nothing to say at the end.
struct hooked : probe {
  void on_start() const { start(); }
  void on_end() const { end(); }
};
/// The hooks of operators that belong to one replica or to a serial stage.
struct sole_hooked : probe {
  sole mine{};
  void on_start() { start(); }
  void on_end() {
    const sole::use now(mine, *this);
    mine.end();
    end();
  }
};

// --- operators that replicas share ---

struct mapper : hooked {
  long operator()(long x) const {
    check(x);
    return mixed(x, what().seed);
  }
};

struct keeper : probe {  // without hooks
  bool operator()(const long& x) const {
    check(x);
    return keeps(what(), x);
  }
};

// Sends half of its children before it throws: an error policy must take them back.
inline void expand(const probe& p, long x, thalweg::emitter<long>& out) {
  const auto n = children(p.what(), x);
  if (p.fails(x)) {
    for (long i = 0; i < n / 2; ++i) out(child(p.what(), x, i));
    p.refuse();
  }
  for (long i = 0; i < n; ++i) out(child(p.what(), x, i));
}

struct expander : hooked {
  void operator()(long x, thalweg::emitter<long>& out) const { expand(*this, x, out); }
};

// --- operators with state: serial stages', or one for each replica ---

struct own_mapper : sole_hooked {
  long operator()(long x) {
    const sole::use now(mine, *this);
    check(x);
    return mixed(x, what().seed);
  }
};

struct own_expander : sole_hooked {
  void operator()(long x, thalweg::emitter<long>& out) {
    const sole::use now(mine, *this);
    expand(*this, x, out);
  }
};

struct runner : sole_hooked {
  long state = 0;
  long operator()(long x) {
    const sole::use now(mine, *this);
    check(x);
    return state = what().stateless ? mixed(x, what().seed) : mixed(state ^ x, what().seed);
  }
};

struct tripler : sole_hooked {
  std::vector<long> held{};
  void operator()(long x, thalweg::emitter<long>& out) {
    const sole::use now(mine, *this);
    check(x);
    held.push_back(x);
    if (held.size() == 3 || what().stateless) tell(out);
  }
  void on_end(thalweg::emitter<long>& out) {
    if (!held.empty()) tell(out);
    sole_hooked::on_end();
  }

 private:
  void tell(thalweg::emitter<long>& out) {
    long all = 0;
    for (const long x : held) all = sum(all, x);
    held.clear();
    out(all);
  }
};

struct counter : sole_hooked {
  long n = 0;
  long operator()(long x) {
    const sole::use now(mine, *this);
    check(x);
    ++n;
    return x;
  }
  void on_end(thalweg::emitter<long>& out) {
    out(n);
    sole_hooked::on_end();
  }
};

struct adder : sole_hooked {
  long all = 0;
  void operator()(long x, thalweg::emitter<long>&) {
    const sole::use now(mine, *this);
    check(x);
    all = sum(all, x);
  }
  void on_end(thalweg::emitter<long>& out) {
    out(all);
    sole_hooked::on_end();
  }
};

// --- sources ---

struct giver : sole_hooked {
  long given = 0;
  int failed = 0;

  std::optional<long> operator()() {
    const sole::use now(mine, *this);
    const auto& j = run->described;
    if (given == j.items) return std::nullopt;
    const auto x = item_of(j, given);
    if (failed < failures(what(), x)) {
      ++failed;
      throw refusal(number);
    }
    failed = 0;
    pass(j);
    return x;
  }

  void emit(thalweg::emitter<long>& out) {
    const sole::use now(mine, *this);
    const auto& j = run->described;
    while (given < j.items) {
      const auto x = item_of(j, given);
      if (failures(what(), x) > 0) throw refusal(number);
      pass(j);
      out(x);
    }
  }

 private:
  void pass(const job& j) {
    if (run->works && j.stalls_one_in > 0 &&
        hash(given, j.seed + 1) % static_cast<std::uint64_t>(j.stalls_one_in) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    ++given;
    run->given.store(given, std::memory_order_relaxed);
  }
};

struct patient_giver : giver {
  std::optional<long> operator()(std::stop_token) { return giver::operator()(); }
};

struct eager_giver : giver {
  void operator()(thalweg::emitter<long>& out) { emit(out); }
};

// --- sinks ---

struct taker : sole_hooked {
  void operator()(long x) {
    const sole::use now(mine, *this);
    check(x);
    run->seen.push_back(x);
    run->arrived.fetch_add(1, std::memory_order_relaxed);
  }
};

struct shared_taker : hooked {
  void operator()(long x) const {
    check(x);
    const std::lock_guard hold(run->sharing);
    run->seen.push_back(x);
    run->arrived.fetch_add(1, std::memory_order_relaxed);
  }
};

}  // namespace random_jobs
