// State: `mode_`: apart, draining or whole.
// Writer: who executes the first node of the line.
// Invariant: the loop is entered when all other nodes are quiet. They are looked at along the stream: first
//   the channel to a node is empty, then the node sleeps, then it keeps nothing, neither the rest of a run
//   nor results in a farm's window. Nothing is sent to them, so in this order what was seen stays true.
//   A call of the loop that still sends when it has been left sends to the nodes, as if its own node had made
//   it. That one gets nothing meanwhile, since all that comes before it is in this call. `mode_` is stored
//   with a full fence before that, and who has gone to sleep looks at it: one of the two sees the other.
//   While the line is whole, a notification of another node goes to the first.
// Model: docs/protocols/whole_line.pml.
#include "whole_line.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <numeric>

#include "graph_engine.hpp"
#include "nodes.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::int64_t window_ns = 1'000'000;       // measured at once
constexpr std::int64_t first_window_ns = 200'000;   // of a stream of which nothing is known
constexpr std::int64_t trial_ns = 4'000'000;        // of the other mode
constexpr std::int64_t first_wait_ns = 10'000'000;  // until it is tried again
constexpr std::int64_t longest_wait_ns = 1'000'000'000;
constexpr double cheap_ns = 30;            // an item: one loop may be faster
constexpr double worth_sharing_ns = 12;    // an item: several threads may be faster
constexpr double slow_call_ns = 2'000;     // of a source: it waits
constexpr std::size_t rarely = 1'000'000;  // a node that gets no item of so many need not have been timed
constexpr int runs_before_sharing = 3;     // one slow run may be a preemption

// Whether what becomes of an item can be done between two calls of the source, in the time that it takes to
// wake a thread, or in some more where the calls are far apart.
bool fits_between_calls(double rest_ns, double source_ns) {
  constexpr auto wake = static_cast<double>(wake_ns);
  return rest_ns < wake || (rest_ns < 4 * wake && 8 * rest_ns < source_ns);
}

}  // namespace

whole_line::whole_line(graph_engine& n, line_node& head, std::vector<node*> nodes, std::vector<farm*> farms,
                       part all)
    : net_(n),
      head_(head),
      nodes_(std::move(nodes)),
      farms_(std::move(farms)),
      parts_{all},
      timed_(std::any_of(n.run().stages.begin() + static_cast<std::ptrdiff_t>(all.first),
                         n.run().stages.begin() + static_cast<std::ptrdiff_t>(all.first + all.stages.last),
                         [](const auto& s) { return s.info->timed; })),
      wait_apart_ns_(first_wait_ns),
      wait_whole_ns_(first_wait_ns) {
  for (auto* other : nodes_) {
    if (other != &head_) other->part_of = this;
  }
  for (auto* f : farms_) {
    for (auto& s : f->all) s->part_of = this;
  }
}

whole_line::~whole_line() = default;

node& whole_line::head() const noexcept {
  return head_;
}

bool whole_line::quiet() const {
  // Along the stream: what is quiet stays so, since nobody before it can send it anything.
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const node* n) { return n == &head_ || n->quiet(); });
}

void whole_line::begin(worker& w) {
  begin_window();
  if (net_.how().alone()) enter(w);
}

void whole_line::set(mode m) noexcept {
  mode_.store(m);  // before the other nodes are looked at
  net_.run().statistics.inlined.store(m == mode::whole, std::memory_order_relaxed);
}

void whole_line::enter(worker& w) {
  if (!runner_) {
    const auto& last = *nodes_.back();
    for (const auto& o : last.out) {
      out_.push_back({o.to, net_.run().plan.components[parts_.back().component]->make_chunk(
                                parts_.back().stages.last - 1)});
      out_.back().filling->ranked = o.to != nullptr && o.to->ranked;
    }
    auto* const to = out_.empty() ? nullptr : out_.front().filling.get();
    runner_ = std::make_unique<stage_runner>(net_, parts_, 0, to, head_);
    runner_->paced = head_.paced;
    if (!out_.empty() && out_.front().to != nullptr) runner_->limit_bytes = out_.front().to->run_bytes();
    runner_->start(w);
  }
  set(mode::whole);
  head_.use(*runner_, out_.empty() ? nullptr : &out_.front(), out_);
  begin_window();
  worth_ = 0;
}

void whole_line::leave() {
  const bool was_on = on();
  set(mode::apart);
  if (was_on) head_.use(*head_.stages_, head_.out.empty() ? nullptr : &head_.out.front(), head_.out);
  begin_window();
}

bool whole_line::enter_if_quiet(worker& w) {
  if (!draining()) return true;
  if (head_.is_over()) return true;
  if (!quiet()) return false;
  enter(w);
  return true;
}

void whole_line::leave_in_call() {
  leave();
  expensive();
}

node* whole_line::node_at(std::size_t stage) const noexcept {
  const auto at =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const node* n) { return n->first() == stage; });
  return timed_ || at == nodes_.end() || *at == &head_ ? nullptr : *at;
}

bool whole_line::goes_on_behind(std::size_t stage) const noexcept {
  return !timed_ && nodes_.back()->first() >= stage && nodes_.size() > 1;
}

// Whole again only after a while.
void whole_line::expensive() {
  wait_apart_ns_ = wait_whole_ns_ = first_wait_ns;
  tries_whole_ = false;
  next_whole_ = observe::now_ns() + first_wait_ns;
}

std::int64_t whole_line::others_ns() const {
  return std::accumulate(nodes_.begin(), nodes_.end(), std::int64_t{0}, [&](std::int64_t sum, const node* n) {
    return n == &head_ ? sum : sum + n->worked_ns();
  });
}

void whole_line::begin_window() {
  now_ = {.began = observe::now_ns(), .others_ns = others_ns()};
}

bool whole_line::all_timed() const {
  return items_ > rarely || std::all_of(nodes_.begin(), nodes_.end(),
                                        [&](const node* n) { return n == &head_ || n->cost_ns() > 0; });
}

// What the last measured run has shown.
void whole_line::look_at_costs() {
  const auto& m = head_.runner_->measured();
  if (m.number == measured_ || m.items == 0) return;
  measured_ = m.number;
  const auto items = static_cast<double>(m.items);
  const auto all = static_cast<double>(std::accumulate(m.ns.begin(), m.ns.end(), std::int64_t{0})) / items;
  source_ns_ = head_.is_source_ ? static_cast<double>(m.ns.front()) / items : 0;
  const auto rest = all - source_ns_;
  rest_ns_ = rest_ns_ == 0 ? rest : rest_ns_ + (rest - rest_ns_) / 4;
}

void whole_line::ran(worker& w, std::size_t items, std::int64_t worked_ns, std::int64_t took_ns) {
  items_ += items;
  now_.items += items;
  now_.own_ns += worked_ns;
  now_.took_ns += took_ns;
  ++now_.runs;
  if (net_.how().alone() || head_.source_ended_) return;
  if (on()) {
    ran_whole(w, items, worked_ns);
  } else if (!draining()) {
    ran_apart();
  }
}

void whole_line::ran_apart() {
  const auto now = observe::now_ns();
  const auto lasted = now - now_.began;
  if (now_.items == 0 || lasted < (tries_apart_           ? trial_ns
                                   : items_ == now_.items ? first_window_ns
                                                          : window_ns))
    return;
  const auto items = static_cast<double>(now_.items);
  const auto others = static_cast<double>(others_ns() - now_.others_ns) / items;
  const auto source = static_cast<double>(now_.took_ns) / items;
  const auto cost = static_cast<double>(now_.own_ns) / items + others;
  apart_ns_ = static_cast<double>(lasted) / items;
  begin_window();
  if (std::exchange(tries_apart_, false)) {
    if (apart_ns_ < 0.95 * whole_ns_) {
      wait_apart_ns_ = first_wait_ns;
      next_whole_ = now + wait_whole_ns_;
      return;
    }
    next_apart_ = now + wait_apart_ns_;
    wait_apart_ns_ = std::min(2 * wait_apart_ns_, longest_wait_ns);
    set(mode::draining);
    return;
  }
  if (now < next_whole_ || !all_timed()) return;
  // Between two calls of a source that waits there is time for what comes behind it, if that is short.
  const bool better =
      head_.is_source_ && source > slow_call_ns ? fits_between_calls(others, source) : cost < cheap_ns;
  if (!better) return;
  tries_whole_ = true;
  set(mode::draining);
}

void whole_line::ran_whole(worker& w, std::size_t items, std::int64_t worked_ns) {
  (void)w;
  look_at_costs();
  // A long call can only be cut short by the monitor.
  if (worked_ns > whole_run_ns && !net_.is_watched()) net_.watch();
  const bool waits = source_ns_ > slow_call_ns;
  const auto each = static_cast<double>(worked_ns) / static_cast<double>(std::max<std::size_t>(1, items));
  const auto now = observe::now_ns();
  // Expensive items, or a run that was cut short: no time is to be lost.
  const bool fits = fits_between_calls(0.8 * rest_ns_, source_ns_);
  if (worked_ns > whole_run_ns && items <= 4 && (!waits || !fits)) {
    expensive();
    leave();
    return;
  }
  const bool worth = waits ? !fits : each > worth_sharing_ns;
  worth_ = worth ? worth_ + 1 : 0;
  if (now - now_.began < window_ns) return;
  whole_ns_ =
      static_cast<double>(now - now_.began) / static_cast<double>(std::max<std::size_t>(1, now_.items));
  begin_window();
  if (std::exchange(tries_whole_, false)) {
    if (!waits && whole_ns_ > 1.02 * apart_ns_) {
      next_whole_ = now + wait_whole_ns_;
      wait_whole_ns_ = std::min(2 * wait_whole_ns_, longest_wait_ns);
      leave();
      return;
    }
    wait_whole_ns_ = first_wait_ns;
    next_apart_ = std::max(next_apart_, now + wait_apart_ns_);
    return;
  }
  if (worth_ < runs_before_sharing || now < next_apart_) return;
  tries_apart_ = !waits;
  if (waits) next_whole_ = now + first_wait_ns;
  leave();
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
