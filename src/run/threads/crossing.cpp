#include "crossing.hpp"

#include <thalweg/model/frame.hpp>
#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace thalweg::run_detail::dedicated {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::int64_t most_bytes_waiting = std::int64_t{64} << 20;  // in a crossing, over all its links

}  // namespace

// --- link ---

bool link::has_room(std::int64_t most_items) noexcept {
  if (free_ == 0) free_ = there_.capacity() - there_.size();
  if (free_ == 0) return false;
  const auto fits = [&] {
    return sent_items_.load(relaxed) - taken_items_seen_ < most_items &&
           sent_bytes_.load(relaxed) - taken_bytes_seen_ < most_bytes_;
  };
  if (fits()) return true;
  taken_items_seen_ = taken_items_.load(relaxed);
  taken_bytes_seen_ = taken_bytes_.load(relaxed);
  return fits();
}

bool link::roomy(std::int64_t most_items) const noexcept {
  const auto bytes = sent_bytes_.load(relaxed) - taken_bytes_.load(relaxed);
  return there_.size() <= there_.capacity() * 3 / 4 && items_waiting() <= most_items * 3 / 4 &&
         bytes <= most_bytes_ / 4 * 3;
}

void link::push(parcel p) {
  --free_;
  ++sent_;
  sent_bytes_.store(sent_bytes_.load(relaxed) + p.bytes, relaxed);
  const auto items = p.items ? static_cast<std::int64_t>(p.items->size()) : 0;
  sent_items_.store(sent_items_.load(relaxed) + items, relaxed);
  (void)there_.try_push(std::move(p));
}

chunk_ptr link::returned() {
  chunk_ptr c;
  (void)back_.try_pop(c);
  return c;
}

bool link::pop(parcel& p) {
  if (!there_.try_pop(p)) return false;
  if (p.items)
    taken_items_.store(taken_items_.load(relaxed) + static_cast<std::int64_t>(p.items->size()), relaxed);
  taken_bytes_.store(taken_bytes_.load(relaxed) + p.bytes, relaxed);
  return true;
}

// --- gate ---

bool gate::try_enter() noexcept {
  auto n = waiting_.load(relaxed);
  while (n < capacity_) {
    if (waiting_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel, relaxed)) return true;
  }
  return false;
}

// --- itinerary ---

itinerary::itinerary(std::vector<std::size_t> replicas, std::size_t window)
    : turn_(replicas.size()), window_(static_cast<std::int64_t>(window)) {
  replicas.push_back(1);  // the serial node at the end
  for (const auto n : replicas) {
    auto& level = stations_.emplace_back();
    for (std::size_t i = 0; i < n; ++i) level.push_back(std::make_unique<station>(window + 1));
  }
}

std::size_t itinerary::lightest(std::size_t level) {
  auto& all = stations_[level];
  auto& turn = turn_[level];
  std::size_t best = turn;
  auto least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k < all.size() && least > 0; ++k) {
    const auto i = (turn + k) % all.size();
    const auto load = all[i]->assigned - all[i]->done.load(relaxed);
    if (load < least) {
      least = load;
      best = i;
    }
  }
  turn = (best + 1) % all.size();
  return best;
}

void itinerary::assign(std::size_t level, std::size_t replica, int from) {
  const auto seq = next_.load(relaxed);
  tell(level, replica, from, seq);
  next_.store(seq + 1, std::memory_order_release);
}

void itinerary::tell(std::size_t level, std::size_t replica, int from, std::int64_t seq) {
  if (level == levels()) {
    (void)stations_[level].front()->legs.try_push(leg{seq, from, 0});
    return;
  }
  const auto next = level + 1 < levels() ? lightest(level + 1) : 0;
  auto& s = *stations_[level][replica];
  ++s.assigned;
  // Those behind first: a replica that is told goes on at once, and wakes who already knows what comes.
  tell(level + 1, next, static_cast<int>(replica), seq);
  (void)s.legs.try_push(leg{seq, from, static_cast<int>(next)});
}

void itinerary::end() {
  (void)stations_.back().front()->legs.try_push(leg{next_.load(relaxed), leg::own_end, 0});
}

void itinerary::merge(std::int64_t seq) noexcept {
  merged_.store(seq + 1, std::memory_order_release);
  if (on_the_way() <= window_ * 3 / 4) (void)start_->made(outlet::room::route);
}

// --- outlet ---

void outlet::belongs_to(party& owner) {
  owner_ = &owner;
  filling_ = crossing_.make_chunk();
  gate_ = crossing_.entrance.get();
  relays_ = crossing_.is.route && crossing_.is.level > 0;
  by_item_ = crossing_.consumers() > 1 && crossing_.is.to->dealing.how() != schedule::kind::on_demand;
  if (crossing_.is.route && !relays_) crossing_.is.route->starts_at(*this);
}

void outlet::stamp() noexcept {
  const auto born = born_ns_.load(relaxed);
  first_position_.store(position_.load(relaxed), relaxed);
  first_born_.store(born != 0 ? born : observe::now_ns(), relaxed);
}

// Names what leaves the chunk. Under the lock.
void outlet::label(pipe::chunk_base& items) noexcept {
  const auto first = first_born_.exchange(0, relaxed);
  const auto now = first != 0 ? first : born_ns_.load(relaxed);
  items.born_ns = now != 0 ? now : observe::now_ns();
  last_position_ = std::max((first != 0 ? first_position_ : position_).load(relaxed), last_position_ + 1);
  items.position = last_position_;
}

void outlet::enter() {
  const auto mine = [this] { return !relays_ || gate_->turn() == message_.seq; };
  while (!mine() || !gate_->try_enter()) wait_for(room::gate, [&] { return mine() && gate_->room(); });
}

void outlet::wait_for(room what, const std::function<bool()>& ready) {
  struct waiting {
    std::atomic<room>& flag;
    waiting(std::atomic<room>& f, room r) : flag(f) { flag.store(r, relaxed); }
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;
    ~waiting() { flag.store(room::none, relaxed); }
  } const now(waits_for_, what);
  owner_->wait_until(ready);
}

void outlet::wait_for_target() {
  if (numbers() && !crossing_.is.route->has_room()) {
    wait_for(room::route, [this] { return crossing_.is.route->has_room(); });
  } else {
    // A thief may fill the itinerary meanwhile; then that is what to wait for.
    wait_for(room::links, [this] { return target() >= 0 || (numbers() && !crossing_.is.route->has_room()); });
  }
}

bool outlet::has_room(std::size_t to) noexcept {
  return crossing_.between(index_, to).has_room(crossing_.most_items());
}

// Which inlet gets the chunk: -1 if none that may has room.
int outlet::target() {
  const auto with_room = [this](int i) { return has_room(static_cast<std::size_t>(i)) ? i : -1; };
  if (relays_) return with_room(message_.to);
  if (numbers() && !crossing_.is.route->has_room()) return -1;
  if (by_item_) {
    if (chosen_ < 0) chosen_ = routed();
    return with_room(chosen_);
  }
  return crossing_.consumers() == 1 ? with_room(0) : lightest();
}

int outlet::routed() {
  const auto n = crossing_.consumers();
  const auto& how = crossing_.is.to->dealing;
  if (how.how() == schedule::kind::round_robin) return static_cast<int>(turn_++ % n);
  const auto& stage = crossing_.run.stages[crossing_.is.to->first];
  std::size_t to = 0;
  const bool ok = crossing_.run.guard(stage.component, position_.load(relaxed), 0, [&] {
    model::frame<model::mode::plain>::attribute(stage.stage, [&] { to = how(filling_->at(0), n); });
  });
  if (!ok) throw thalweg::cancelled{};
  return static_cast<int>(to);
}

int outlet::lightest() {
  const auto n = crossing_.consumers();
  const bool idle = crossing_.idle.load(relaxed) > 0;
  int best = -1;
  chosen_idle_ = false;
  auto least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = (turn_ + k) % n;
    auto& l = crossing_.between(index_, i);
    if (idle && l.load() == 0 && crossing_.to(i).awaits(inlet::any) && has_room(i)) {
      best = static_cast<int>(i);
      chosen_idle_ = true;
      break;
    }
    if (l.load() < least && has_room(i)) {
      least = l.load();
      best = static_cast<int>(i);
    }
  }
  return best;
}

void outlet::hand_to(inlet& in, bool claimed) noexcept {
  pipe::light_fence();  // pairs with the heavy fence of one that announces itself and looks
  if ((in.claim(static_cast<int>(index_)) || claimed) && in.ring()) owner_->woke();
}

void outlet::send(bool last) {
  const bool mark = last && relays_;  // the end of a message is sent even if there is nothing in it
  for (;;) {
    if (filling_->empty() && !mark) break;
    const int to = target();
    if (to < 0) {
      wait_for_target();
      continue;
    }
    auto& in = crossing_.to(static_cast<std::size_t>(to));
    auto& way = crossing_.between(index_, static_cast<std::size_t>(to));
    if (!spare_) spare_ = way.returned();
    if (!spare_) spare_ = crossing_.make_chunk();
    bool claimed = false;
    {
      const std::lock_guard hold(lock_);
      if (filling_->empty() && !mark) break;  // stolen meanwhile
      if (numbers() && !crossing_.is.route->has_room()) continue;
      if (chosen_idle_) {
        claimed = in.claim(inlet::any);
        if (!claimed) continue;  // it has stolen something meanwhile
      }
      parcel p;
      p.last = last;
      if (!filling_->empty()) {
        p.bytes = static_cast<std::int64_t>(filling_->bytes());
        spare_->swap_items(*filling_);
        label(*spare_);
        p.items = std::move(spare_);
      }
      if (mark && crossing_.run.observes())
        p.early = std::max<std::int64_t>(0, message_.seq - crossing_.is.route->merged());
      if (numbers()) crossing_.is.route->assign(0, static_cast<std::size_t>(to), 0);
      way.push(std::move(p));
    }
    hand_to(in, claimed);
    if (!relays_ && !by_item_) turn_ = static_cast<std::size_t>(to) + 1;
    ++sent_;
    grow();
    break;
  }
  chosen_ = -1;
  chosen_idle_ = false;
  bytes_ = 0;
}

void outlet::grow() noexcept {
  if (by_item_) return;  // each item has a replica of its own to go to
  auto most = std::min(most_items, static_cast<std::size_t>(crossing_.items_in(grant_ns, 1)));
  if (gate_ != nullptr) {
    most = std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(1, gate_->capacity() / 4)));
  }
  grant_ = std::min(grant_ * 2, most);
}

void outlet::rest() {
  // Several inlets: whoever has nothing to do takes it. One: it is cheaper to give.
  if (!relays_ && crossing_.consumers() == 1 && !filling_->empty() && target() >= 0) send(true);
}

void outlet::end_message() {
  if (gate_ != nullptr && gate_->turn() != message_.seq) {
    wait_for(room::gate, [this] { return gate_->turn() == message_.seq; });
  }
  send(true);
  if (gate_ != nullptr) {
    gate_->pass_turn(message_.seq);
    for (std::size_t i = 0; i < crossing_.producers(); ++i) crossing_.from(i).opened(message_.seq + 1);
  }
}

void outlet::close() {
  send_all();
  if (crossing_.is.route) {
    // First the ends of the replicas, in order, each of which may still send; then the end of it all.
    auto& route = *crossing_.is.route;
    for (std::size_t level = 0; level < route.levels(); ++level) {
      for (std::size_t i = 0; i < route.replicas(level); ++i) {
        for (bool done = false; !done;) {
          if (!route.has_room()) wait_for(room::route, [&] { return route.has_room(); });
          const std::lock_guard hold(lock_);
          done = route.has_room();
          if (done) route.assign(level, i, leg::own_end);
        }
        auto& in = *route.at(level, i).where;
        pipe::light_fence();
        if (in.claim(inlet::any)) in.ring();
      }
    }
    {
      const std::lock_guard hold(lock_);
      route.end();
    }
    auto& in = *route.at(route.levels(), 0).where;
    pipe::light_fence();
    if (in.claim(inlet::any)) in.ring();
    return;
  }
  for (std::size_t i = 0; i < crossing_.consumers(); ++i) {
    if (!has_room(i)) wait_for(room::links, [&] { return has_room(i); });
    {
      const std::lock_guard hold(lock_);
      parcel p;
      p.end = true;
      crossing_.between(index_, i).push(std::move(p));
    }
    hand_to(crossing_.to(i), false);
  }
}

// --- inlet ---

bool inlet::find_leg() {
  if (leg_) return true;
  leg l;
  if (!station_->legs.try_pop(l)) return false;
  leg_ = l;
  return true;
}

bool inlet::ready() {
  if (stolen_) return true;
  if (station_ != nullptr) {
    return find_leg() && (leg_->from == leg::own_end ||
                          !crossing_.between(static_cast<std::size_t>(leg_->from), index_).empty());
  }
  for (std::size_t i = 0; i < crossing_.producers(); ++i) {
    if (!crossing_.between(i, index_).empty()) return true;
  }
  return false;
}

inlet::got inlet::next(parcel& p) {
  bool found = false;
  if (station_ != nullptr && !find_leg()) return got::nothing;
  if (stolen_) {
    p = std::move(*stolen_);
    stolen_.reset();
    from_ = -1;
    found = true;
  } else if (station_ != nullptr) {
    if (leg_->from == leg::own_end) {
      from_ = -1;
      return got::end;
    }
    from_ = leg_->from;
    found = crossing_.between(static_cast<std::size_t>(from_), index_).pop(p);
  } else {
    const auto n = crossing_.producers();
    for (std::size_t k = 0; k < n && !found; ++k) {
      const auto i = (look_at_ + k) % n;
      found = crossing_.between(i, index_).pop(p);
      if (found && p.end) {
        if (++ended_ == n) return got::end;
        found = false;
      }
      from_ = static_cast<int>(i);
    }
    look_at_ = static_cast<std::size_t>(from_) + 1;
  }
  if (!found) return got::nothing;
  if (from_ >= 0) {
    const auto i = static_cast<std::size_t>(from_);
    if (crossing_.between(i, index_).roomy(crossing_.most_items()) &&
        crossing_.from(i).made(outlet::room::links)) {
      owner_->woke();
    }
  }
  if (crossing_.entrance && p.items) {
    held_ = static_cast<std::int64_t>(p.items->size());
    if (held_ > 0) left(1);
  }
  return got::items;
}

// Items have left the pipe: there is room for others.
void inlet::left(std::int64_t items) noexcept {
  held_ -= items;
  if (!crossing_.entrance->leave(items)) return;
  const auto turn = crossing_.entrance->turn();
  for (std::size_t i = 0; i < crossing_.producers(); ++i) crossing_.from(i).opened(turn);
}

void inlet::done(parcel p) {
  if (held_ > 0) left(held_);
  if (p.items) {
    p.items->clear();
    p.items->paced = false;
    if (from_ < 0) {
      loot_ = std::move(p.items);
    } else {
      crossing_.between(static_cast<std::size_t>(from_), index_).give_back(std::move(p.items));
    }
  }
  crossing_.between(from_ < 0 ? robbed_ : static_cast<std::size_t>(from_), index_).done();
  if (station_ == nullptr || !p.last) return;
  auto& route = *crossing_.is.route;
  if (crossing_.is.level == route.levels()) {
    route.merge(leg_->seq);
  } else {
    route.done(crossing_.is.level, index_);
  }
  leg_.reset();
}

bool inlet::announce() noexcept {
  const int wanted = station_ != nullptr && find_leg() ? leg_->from : any;
  if (awaited_.load(relaxed) == wanted) return false;
  if (wanted == any) crossing_.idle.fetch_add(1, relaxed);
  if (awaited_.exchange(wanted, relaxed) == any) crossing_.idle.fetch_sub(1, relaxed);
  return true;
}

void inlet::retract() noexcept {
  if (awaited_.exchange(nobody, relaxed) == any) crossing_.idle.fetch_sub(1, relaxed);
}

bool inlet::claim(int from) noexcept {
  auto w = awaited_.load(relaxed);
  while (w == any || (w == from && w != nobody)) {
    if (awaited_.compare_exchange_weak(w, nobody, std::memory_order_acq_rel, relaxed)) {
      if (w == any) crossing_.idle.fetch_sub(1, relaxed);
      return true;
    }
  }
  return false;
}

bool inlet::steal() {
  if (crossing_.consumers() > 1 && crossing_.is.to->dealing.how() != schedule::kind::on_demand) return false;
  if (crossing_.is.route && crossing_.is.level > 0) {
    return find_leg() && leg_->from != leg::own_end && steal_from(static_cast<std::size_t>(leg_->from));
  }
  for (std::size_t i = 0; i < crossing_.producers(); ++i) {
    if (steal_from(i)) return true;
  }
  return false;
}

bool inlet::steal_from(std::size_t from) {
  auto& out = crossing_.from(from);
  if (out.filling_->empty()) return false;
  const std::lock_guard hold(out.lock_);
  if (!crossing_.between(from, index_).empty()) return true;  // that comes first
  if (out.relays_ && out.filling_for_.load(relaxed) != leg_->seq) return false;
  if (out.numbers() && !crossing_.is.route->has_room()) return false;
  if (!loot_) loot_ = crossing_.make_chunk();
  if (out.filling_->steal(*loot_) == 0) return false;
  out.label(*loot_);
  if (out.numbers()) crossing_.is.route->assign(0, index_, 0);
  parcel p;
  p.items = std::move(loot_);
  p.last = !out.relays_;
  stolen_ = std::move(p);
  robbed_ = from;
  crossing_.between(from, index_).stolen();  // who has it in hand is not the one to send more to
  retract();
  return true;
}

void inlet::costs(double ns) noexcept {
  crossing_.learn_cost(ns);
}

std::optional<std::uint64_t> inlet::count(observe::stage_counters& stage, const parcel& p) noexcept {
  if (!crossing_.run.observes()) return {};
  const bool merges = station_ != nullptr && crossing_.is.level == crossing_.is.route->levels();
  if (merges && p.last) stage.displacement.sample(static_cast<std::uint64_t>(p.early));
  if (crossing_.producers() > 1 && (ticks_++ & 15) != 0) return {};
  auto items = p.items ? static_cast<std::int64_t>(p.items->size()) : 0;
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < crossing_.producers(); ++i) {
    const auto& l = crossing_.between(i, index_);
    items += l.items_waiting();
    messages += l.size();
  }
  const auto waiting = static_cast<std::uint64_t>(std::max<std::int64_t>(0, items));
  stage.occupancy.sample(waiting);
  if (merges) stage.reorder.sample(messages);
  return waiting;
}

// --- crossing ---

crossing::crossing(run_state& r, const shape& s) : run(r), is(s) {
  if (is.to->capacity != automatic) entrance = std::make_unique<gate>(is.to->capacity);
  const auto producers = is.from->replicas;
  const auto consumers = is.to->replicas;
  for (std::size_t i = 0; i < producers; ++i) outlets_.push_back(std::make_unique<outlet>(*this, i));
  for (std::size_t i = 0; i < consumers; ++i) {
    auto& in = *inlets_.emplace_back(std::make_unique<inlet>(*this, i));
    if (!is.route) continue;
    in.station_ = &is.route->at(is.level, i);
    in.station_->where = &in;
  }
  const auto bytes = most_bytes_waiting / static_cast<std::int64_t>(producers * consumers);
  for (std::size_t i = 0; i < producers * consumers; ++i) {
    links_.push_back(std::make_unique<link>(is.slots, bytes));
  }
}

chunk_ptr crossing::make_chunk() const {
  const auto& s = run.stages[is.stage];
  return run.plan.components[s.component]->make_chunk(s.stage);
}

void crossing::learn_cost(double ns) noexcept {
  const auto old = cost_ns_.load(relaxed);
  cost_ns_.store(std::max(0.1, old == 0 ? ns : old + (ns - old) / 4), relaxed);
}

std::int64_t crossing::items_in(double work_ns, std::int64_t unknown) const noexcept {
  const auto cost = cost_ns_.load(relaxed);
  return cost == 0 ? unknown : std::max<std::int64_t>(1, static_cast<std::int64_t>(work_ns / cost));
}

}  // namespace thalweg::run_detail::dedicated
