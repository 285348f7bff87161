#pragma once

#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "description.hpp"
#include "support/work.hpp"

namespace random_graphs {

namespace tw = thalweg;

/// What a stage throws that is told to.
struct refusal : std::runtime_error {
  explicit refusal(std::size_t at)
      : std::runtime_error("stage " + std::to_string(at) + " refuses an item"), number(at) {}
  std::size_t number;
};

/// What the operators of a run leave behind.
struct witness {
  explicit witness(layout l) : described(std::move(l)), nodes(described.nodes.size()) {}

  struct counted {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<bool> in_use{false};
    std::vector<item> seen;  // a sink's
  };
  const layout described;
  std::vector<counted> nodes;
  std::atomic<long> arrived{0};
  bool works = true;
  /// Which node throws, at which of its calls.
  std::size_t throws = static_cast<std::size_t>(-1);
  std::uint64_t at_call = 0;

  void complain(const std::string& what) {
    const std::lock_guard hold(mutex_);
    complaints_ += what + "\n";
  }
  std::string complaints() const {
    const std::lock_guard hold(mutex_);
    return complaints_;
  }
  /// Before another run.
  void forget() {
    for (auto& n : nodes) {
      n.calls = 0;
      n.in_use = false;
      n.seen.clear();
    }
    arrived = 0;
  }

 private:
  mutable std::mutex mutex_;
  std::string complaints_;
};

/// An operator's way to its description and its witness.
struct probe {
  std::shared_ptr<witness> run;
  std::size_t number = 0;

  [[nodiscard]] const step& what() const { return run->described.nodes[number].how; }
  [[nodiscard]] witness::counted& mine() const { return run->nodes[number]; }
  [[nodiscard]] std::string name() const { return run->described.nodes[number].name(number); }

  void touch(const item& x) const {
    if (mine().calls.fetch_add(1, std::memory_order_relaxed) + 1 == run->at_call && run->throws == number)
      throw refusal(number);
    const int spin = what().spin_us;
    if (spin > 0 && run->works && mixed(x.value, 77) % 8 == 0) spin_for(std::chrono::microseconds(spin));
  }
};

/// For what must never be in use twice at once.
class sole {
 public:
  explicit sole(const probe& p) : in_use_(p.mine().in_use) {
    if (in_use_.exchange(true)) p.run->complain("used twice at once: " + p.name());
  }
  sole(const sole&) = delete;
  sole& operator=(const sole&) = delete;
  ~sole() { in_use_ = false; }

 private:
  std::atomic<bool>& in_use_;
};

// --- that replicas may share ---

struct mapper : probe {
  item operator()(item x) const {
    touch(x);
    return mapped(what(), x);
  }
};
struct keeper : probe {
  bool operator()(const item& x) const {
    touch(x);
    return kept(what(), x);
  }
};
struct later_keeper : probe {
  bool operator()(const item& x) const { return kept(what(), x); }
};
struct expander : probe {
  void operator()(const item& x, tw::emitter<item>& out) const {
    touch(x);
    for (long i = 0; i < children(what(), x); ++i) out(child(what(), x, i));
  }
};
struct later_expander : probe {
  void operator()(const item& x, tw::emitter<item>& out) const {
    for (long i = 0; i < children(what(), x); ++i) out(child(what(), x, i));
  }
};

// --- serial ones ---

struct serial_mapper : mapper {
  long n = 0;
  item operator()(item x) {
    const sole now(*this);
    ++n;  // plain, so that the thread sanitizer sees who shares it
    return mapper::operator()(x);
  }
};
struct stamper : probe {
  item operator()(item x) const { return stamped(x, static_cast<std::size_t>(what().amount)); }
};

struct summer : probe {
  item operator()(std::int64_t& sum, const item& x) {
    const sole now(*this);
    touch(x);
    sum = mixed(sum + x.value, what().seed);
    return {sum, x.path, 0};
  }
};
struct telling_summer : probe {
  void operator()(std::int64_t& sum, const item& x, tw::emitter<item>& out) {
    const sole now(*this);
    touch(x);
    sum = mixed(sum + x.value, what().seed);
    out({sum, x.path, 0});
  }
  void on_end(const std::int64_t& path, std::int64_t& sum, tw::emitter<item>& out) { out({sum, path, 0}); }
};

struct timer : probe {
  long n = 0;
  timed operator()(const item& x) {
    const sole now(*this);
    touch(x);
    return timed_item(what(), x, n++);
  }
};

struct puller : probe {
  long n = 0;
  std::optional<item> operator()() {
    const sole now(*this);
    const auto& b = run->described.sources[number];
    if (n == b.items) return std::nullopt;
    const auto x = item_of(b, n);
    touch(x);
    ++n;
    return x;
  }
};
struct emitting : probe {
  void operator()(tw::emitter<item>& out) const {
    const sole now(*this);
    const auto& b = run->described.sources[number];
    for (long i = 0; i < b.items; ++i) {
      const auto x = item_of(b, i);
      touch(x);
      out(x);
    }
  }
};
struct taker : probe {
  void operator()(const item& x) {
    const sole now(*this);
    touch(x);
    mine().seen.push_back(x);
    run->arrived.fetch_add(1, std::memory_order_relaxed);
  }
};

// --- stages ---

struct sending_stage : tw::stage, probe {
  tw::out<item> out{this, "out"};
  long n = 0;
  explicit sending_stage(probe p) : probe(std::move(p)) {}
  void on_start() override { n = 0; }
  void on_run() override {
    const sole now(*this);
    const auto& b = run->described.sources[number];
    for (unsigned k = 0; k <= b.seed % 4 && n < b.items; ++k) {
      const auto x = item_of(b, n);
      touch(x);
      ++n;
      out.send(x);
    }
    if (n == b.items) end();
  }
};

struct ports_stage : tw::stage, probe {
  tw::in<item> in{this, "in"};
  std::vector<std::unique_ptr<tw::out<item>>> outs;
  long n = 0;
  ports_stage(probe p, std::size_t width) : probe(std::move(p)) {
    for (std::size_t i = 0; i < width; ++i)
      outs.push_back(std::make_unique<tw::out<item>>(this, "out-" + std::to_string(i)));
  }
  void on_item(tw::in<item>&, item x) {
    const sole now(*this);
    ++n;
    touch(x);
    const auto k = chosen(what(), x);
    outs[k % outs.size()]->send(mapped(what(), x));
    if (k % 5 == 0) outs[k / 5 % outs.size()]->send(x);
  }
};

struct gathering_stage : tw::stage, probe {
  tw::out<item> out{this, "out"};
  std::vector<std::unique_ptr<tw::in<item>>> ins;
  long n = 0;
  gathering_stage(probe p, std::size_t width) : probe(std::move(p)) {
    for (std::size_t i = 0; i < width; ++i)
      ins.push_back(std::make_unique<tw::in<item>>(this, "in-" + std::to_string(i)));
  }
  void on_item(tw::in<item>& port, item x) {
    const sole now(*this);
    ++n;
    touch(x);
    out.send(stamped(mapped(what(), x), port.index()));
  }
};

/// An item for a port whose items come by themselves, beside ports of the same stage that are read by choice:
/// which is which goes by the type.
struct arriving {
  item x;
};

struct half_stage : tw::stage, probe {
  tw::in<arriving> first{this, "in-0"};
  std::vector<std::unique_ptr<tw::in<item>>> others;
  tw::out<item> out{this, "out"};
  long n = 0;

  half_stage(probe p, std::size_t width) : probe(std::move(p)) {
    for (std::size_t i = 1; i < width; ++i)
      others.push_back(std::make_unique<tw::in<item>>(this, "in-" + std::to_string(i)));
  }
  void on_item(tw::in<arriving>& port, const arriving& a) {
    const sole now(*this);
    give(a.x, port.index());
  }
  void on_run() override {
    const sole now(*this);
    for (auto& p : others) {
      while (p->available()) give(p->take(), p->index());
    }
  }

 private:
  void give(const item& x, std::size_t port) {
    ++n;
    touch(x);
    out.send(stamped(mapped(what(), x), port));
  }
};

struct sorting_stage : tw::stage, probe {
  tw::in<item> a{this, "in-0"}, b{this, "in-1"};
  tw::out<item> out{this, "out"};
  explicit sorting_stage(probe p) : probe(std::move(p)) {}
  void on_run() override {
    const sole now(*this);
    while (a.ready() && b.ready()) {
      if (a.ended() && b.ended()) return;
      const bool second = a.ended() || (!b.ended() && before(b.front(), a.front()));
      auto& from = second ? b : a;
      touch(from.front());
      out.send(from.take());
    }
  }
};

struct pairing_stage : tw::stage, probe {
  tw::in<item> a{this, "in-0"}, b{this, "in-1"};
  tw::out<item> out{this, "out"};
  explicit pairing_stage(probe p) : probe(std::move(p)) {}
  void on_run() override {
    const sole now(*this);
    while (a.available() && b.available()) {
      touch(a.front());
      const auto x = a.take();
      out.send({mixed(x.value, static_cast<std::uint64_t>(b.take().value)), 0, 0});
    }
    if (a.ended() || b.ended()) end();
  }
};

/// The node of a loop that sends items round, or out.
struct looping_stage : tw::stage, probe {
  tw::in<item> in{this, "in"}, back{this, "back"};
  tw::out<item> again{this, "again"}, out{this, "out"};
  explicit looping_stage(probe p) : probe(std::move(p)) {}
  void on_item(tw::in<item>& port, item x) {
    const sole now(*this);
    if (&port == &in) x.left = rounds(what(), x);
    touch(x);
    if (x.left <= 0) {
      out.send({x.value, x.path, 0});
    } else {
      again.send(x);
    }
  }
};
/// What happens to them on the way back.
struct goes_round : probe {
  void operator()(const item& x, tw::emitter<item>& out) const {
    out({mixed(x.value, what().seed), x.path, x.left - 1});
    if (divides(what(), x)) out({mixed(x.value, what().seed + 9), x.path, x.left - 1});
  }
};

}  // namespace random_graphs
