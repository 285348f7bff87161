#include <thalweg/model/composite_host.hpp>
#include <thalweg/model/ported.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "host.hpp"

namespace THALWEG_NAMESPACE::model {

// A line of stages or a stage with ports, and what waits for it.
class composite_host::child final : public context {
 public:
  // Where an output leads to; to nobody: out of the composite, or, not connected, nowhere.
  struct way {
    child* to = nullptr;
    std::size_t port = 0;
    conversion convert = {};
    bool out = false;
  };

  child(composite_host& host, component& what) : host_(host), what_(what), ports_(what.ports()) {
    cancelled = cut = ending = held = &never_set;
    tallies.resize(what.stages().size());
    ways.resize(ports_ == nullptr ? 1 : ports_->outputs().size());
    const auto inputs = ports_ == nullptr ? 1 : ports_->inputs().size();
    waiting_.resize(inputs);
    told_.assign(inputs, false);
  }

  std::vector<way> ways;  // by output

  [[nodiscard]] const std::string& name() const noexcept { return what_.stages().front().name; }
  [[nodiscard]] bool over() const noexcept { return over_; }

  void start() {
    if (ports_ == nullptr) {
      for (std::size_t i = 0; i < what_.stages().size(); ++i) {
        attempt([&] {
          what_.prepare(i, 1);
          what_.start({i, i + 1}, 0);
        });
      }
      return;
    }
    attempt([&] { ports_->start({0, 1}, 0); });
    for (std::size_t i = 0; i < ways.size(); ++i) {
      sent_.push_back(ports_->make_chunk(i));
      const bool somewhere = ways[i].to != nullptr || ways[i].out;
      ports_->outputs()[i]->attach(somewhere ? sent_.back().get() : nullptr, handed_on_at_once);
    }
    choose();
  }

  void take(std::size_t port, std::unique_ptr<pipe::chunk_base> items) {
    if (ended_ && !over_early_)
      throw error("the end hook of a stage in a loop has sent items to stage '" + name() +
                  "', which has already ended");
    if (over_) return;  // it wants no more
    if (ports_ == nullptr) {
      attempt([&] { carry(0, *items); });
    } else if (ports_->inputs()[port]->pushed()) {
      attempt([&] { ports_->receive(port, *this, *items); });
      hand_on();
      if (ports_->over()) return finish_early();
      choose();
    } else {
      waiting_[port].push_back(std::move(items));
      choose();
    }
  }

  // Nothing will come on any of its inputs.
  void close() {
    closed_ = true;
    choose();
    if (ports_ == nullptr || over_) return;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const auto* p = ports_->inputs()[i];
      if (p->left() == 0 && waiting_[i].empty()) continue;
      attempt([&] {
        throw error("its on_run leaves items at the input '" + p->name() +
                    "', and nothing more will come on its other inputs");
      });
    }
  }

  void finish() {
    if (std::exchange(ended_, true)) return;
    over_ = true;
    if (ports_ != nullptr) {
      attempt([&] { ports_->finish(0, 0, *this, nullptr); });
      return hand_on();
    }
    for (std::size_t i = 0; i < what_.stages().size(); ++i) {
      attempt([&] {
        const auto out = what_.make_chunk(i);
        what_.finish(i, 0, *this, out.get());
        if (out) carry(i + 1, *out);
      });
    }
  }

  void forget() {
    for (auto& all : waiting_) all.clear();
    for (auto& items : sent_) items->clear();
  }

  // --- what operators ask for ---

  void flush(std::size_t leaf, pipe::chunk_base& items) override {
    ports_ == nullptr ? carry(leaf + 1, items) : send(leaf, items);
    items.clear();
  }
  void back_off(std::chrono::nanoseconds) override {}
  void one_at_a_time(function_ref<void()>) override {}
  void wait_while_paused() override {}
  void counted(std::size_t, std::size_t) override {}
  void arrived(std::int64_t) override {}

 private:
  // What a stage throws comes out with its name.
  template <class F> void attempt(F&& f) {
    try {
      f();
    } catch (const stage_failure& failure) {
      try {
        std::rethrow_exception(failure.cause);
      } catch (const thalweg::cancelled&) {
        throw;
      } catch (...) {
        throw stage_error(what_.stages()[failure.leaf].name, 0, message_of(failure.cause));
      }
    }
  }

  // Items for stage `i` of the line, or for whoever comes behind it.
  void carry(std::size_t i, pipe::chunk_base& items) {
    if (items.empty()) return;
    if (i == what_.stages().size()) return send(0, items);
    const auto out = what_.make_chunk(i);
    (void)what_.process({i, i + 1}, 0, *this, items, out.get());
    if (out) carry(i + 1, *out);
  }

  void send(std::size_t output, pipe::chunk_base& items) {
    const auto& w = ways[output];
    if (items.empty()) return;
    if (w.out) return items.move_items(0, items.size(), *host_.results_);
    if (w.to == nullptr) return;
    auto parcel = w.convert ? w.convert.make() : items.sibling();
    w.convert ? w.convert.convert(items, *parcel) : items.move_items(0, items.size(), *parcel);
    host_.on_their_way_.push_back({w.to, w.port, std::move(parcel)});
  }

  void hand_on() {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      send(i, *sent_[i]);
      sent_[i]->clear();
      (void)ports_->outputs()[i]->discarded();
    }
  }

  // It has said that it wants no more.
  void finish_early() {
    over_early_ = true;
    finish();
  }

  // Asks a stage that reads its ports itself for as long as it does anything, as a run would.
  void choose() {
    if (ports_ == nullptr || !ports_->chooses()) return;
    for (bool again = true; again && !over_;) {
      again = false;
      for (std::size_t i = 0; i < waiting_.size(); ++i) {
        auto* const p = ports_->inputs()[i];
        if (p->pushed() || p->left() > 0) continue;
        if (!waiting_[i].empty()) {
          p->offer(*waiting_[i].front());
          waiting_[i].pop_front();
          again = true;
        } else if (closed_ && !told_[i]) {
          told_[i] = again = true;
          p->close();
        }
      }
      const auto did = [&] {
        std::uint64_t all = tallies[0].in;
        for (const auto* p : ports_->outputs()) all += p->sent();
        return all;
      };
      const auto before = did();
      attempt([&] { ports_->run(*this); });
      again = again || did() != before;
      hand_on();
      if (ports_->over()) return finish_early();
    }
  }

  composite_host& host_;
  component& what_;
  ported* const ports_;                                                 // null: a line
  std::vector<std::deque<std::unique_ptr<pipe::chunk_base>>> waiting_;  // for one that chooses; by input
  std::vector<bool> told_;                                              // that nothing more comes
  std::vector<std::unique_ptr<pipe::chunk_base>> sent_;                 // and not handed on; by output
  bool closed_ = false;
  bool over_ = false;        // it takes no more
  bool ended_ = false;       // its end hooks have been called
  bool over_early_ = false;  // since it said so itself
};

composite_host::composite_host(std::unique_ptr<composite_stage> c, const exported_port& in,
                               const exported_port& out)
    : composite_(std::move(c)) {
  auto& g = composite_->children_;
  const auto& made = *composite_;
  composite_->name_ = short_name(typeid(made));
  for (const auto* p : composite_->exported_) {
    if (p == &in || p == &out) {
      g.leave_open(*p);
    } else {
      throw error("tw::own_stage: composite stage " + composite_->name_ + " has another port, '" + p->name() +
                  "', which cannot be connected here: a composite stage with several belongs in a tw::graph");
    }
    if (!p->place_)
      throw error("tw::own_stage: composite stage " + composite_->name_ + ": port '" + p->name() +
                  "' is not the port of any child: export one with " +
                  (p->is_input() ? "leads_to" : "comes_from"));
  }
  composite_->validate();
  bool line = false;
  plan_ = g.parts(line);
  plan_.require_valid();
  refuse_what_cannot_be();
  for (const auto& part : plan_.components) children_.push_back(std::make_unique<child>(*this, *part));
  for (const auto& e : plan_.connections())
    children_[e.from]->ways[e.from_port] = {children_[e.to].get(), e.to_port, e.convert};
  entrance_ = children_[g.components_of(in.place_->node).first].get();
  entrance_port_ = in.port_;
  const auto exit = g.components_of(out.place_->node).second;
  auto& way = children_[exit]->ways[out.port_];
  way.out = true;
  auto& what = *plan_.components[exit];
  results_ = what.make_chunk(what.ports() != nullptr ? out.port_ : what.stages().size() - 1);
}

composite_host::~composite_host() = default;

void composite_host::refuse_what_cannot_be() const {
  for (const auto& c : plan_.components) {
    for (const auto& s : c->stages()) {
      const auto refuse = [&](const std::string& why) {
        throw error("tw::own_stage: composite stage " + composite_->name_ + ": its child '" + s.name + "' " +
                    why);
      };
      const auto* const ports = c->ports();
      if (ports == nullptr ? s.in == nullptr : ports->inputs().empty())
        refuse("is a source: a composite with sources belongs in a tw::graph");
      if (s.timed) refuse("acts when time has passed, which works only in a tw::graph");
      if (ports != nullptr && ports->role() == order_role::restores)
        refuse("is an ordered tw::merge, which works only in a tw::graph");
      if (!s.opts.on_error.plain()) refuse("has an .on_error: give it to the tw::own_stage");
    }
  }
}

void composite_host::start() {
  for (auto& c : children_) c->start();
  work();
}

bool composite_host::over() const noexcept {
  return entrance_->over();
}

void composite_host::give(pipe::chunk_base& items) {
  auto parcel = items.sibling();
  parcel->swap_items(items);
  on_their_way_.push_back({entrance_, entrance_port_, std::move(parcel)});
  work();
}

void composite_host::finish() {
  for (auto* c : along_the_stream()) {
    c->close();
    work();
    c->finish();
    work();
  }
}

// Until nothing is on its way any more.
void composite_host::work() {
  try {
    while (!on_their_way_.empty()) {
      auto next = std::move(on_their_way_.front());
      on_their_way_.pop_front();
      next.to->take(next.port, std::move(next.items));
    }
  } catch (...) {
    on_their_way_.clear();
    for (auto& c : children_) c->forget();
    results_->clear();
    throw;
  }
}

// Each behind those that send to it; those of a loop from the entrance on.
std::vector<composite_host::child*> composite_host::along_the_stream() const {
  std::vector<child*> order;
  std::vector<std::size_t> open(children_.size(), 0);
  const auto connections = plan_.connections();
  for (const auto& e : connections) ++open[e.to];
  constexpr auto done = std::numeric_limits<std::size_t>::max();
  std::vector<bool> reached(children_.size(), false);
  while (order.size() < children_.size()) {
    auto next = static_cast<std::size_t>(std::find(open.begin(), open.end(), 0U) - open.begin());
    // A loop: whatever is sent to from before it begins.
    for (std::size_t i = 0; next == children_.size() && i < open.size(); ++i) {
      if (open[i] != done && (reached[i] || children_[i].get() == entrance_)) next = i;
    }
    for (std::size_t i = 0; next == children_.size() && i < open.size(); ++i) {
      if (open[i] != done) next = i;
    }
    open[next] = done;
    order.push_back(children_[next].get());
    for (const auto& e : connections) {
      if (e.from != next || open[e.to] == done) continue;
      reached[e.to] = true;
      --open[e.to];
    }
  }
  return order;
}

}  // namespace THALWEG_NAMESPACE::model
