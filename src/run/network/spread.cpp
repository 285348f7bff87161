#include "spread.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "net.hpp"

namespace thalweg::run_detail::network {

namespace {

constexpr std::size_t parts_per_replica = 8;  // of keys

// So many parts, to each place in proportion to its replicas; what is left over, to those that lack most.
std::vector<std::size_t> in_proportion(std::size_t parts, const std::vector<place_of>& places) {
  const auto all = static_cast<std::size_t>(replicas_in_all(places));
  std::vector<std::size_t> each, lacks;
  auto left = parts;
  for (const auto& p : places) {
    const auto share = parts * static_cast<std::size_t>(p.replicas);
    each.push_back(share / all);
    lacks.push_back(share % all);
    left -= each.back();
  }
  for (; left > 0; --left) {
    const auto most = std::max_element(lacks.begin(), lacks.end());
    ++each[static_cast<std::size_t>(most - lacks.begin())];
    *most = 0;
  }
  return each;
}

}  // namespace

// --- who has which parts ---

std::size_t part_list::at(std::size_t which) const {
  return static_cast<std::size_t>(std::count(place.begin(), place.end(), which));
}

spread::spread(exchange& e, int hub, std::vector<place_of> where, const model::stage_info& info,
               bool keys_travel)
    : by(&e),
      rank(hub),
      places(std::move(where)),
      keyed(info.state.keyed()),
      moves(keys_travel),
      dealing(info.opts.schedule) {
  const auto all = replicas();
  if (all > most_shares)
    throw invalid_job({"stage '" + info.name + "': has " + std::to_string(all) +
                       " replicas on all ranks, but one of these divides its items up, among at most " +
                       std::to_string(most_shares)});
  if (!keyed) return;
  // Enough for a rank in reserve, too.
  const auto least = std::min(most_shares, std::max(all, moves ? places.size() : 1));
  key_parts_ = std::clamp<std::size_t>(most_shares / least, 1, parts_per_replica) * least;
}

std::size_t spread::replicas() const noexcept {
  return static_cast<std::size_t>(replicas_in_all(places));
}

part_list spread::parts(int replicas) const {
  part_list made;
  const auto add = [&](std::size_t place, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) made.add(place, i);
  };
  if (keyed) {
    const auto n = in_proportion(key_parts_, moves ? resized(places, replicas) : places);
    for (std::size_t i = 0; i < n.size(); ++i) add(i, n[i]);
  } else if (dealing.how() == schedule::kind::on_demand) {
    const auto all = resized(places, replicas);
    for (std::size_t i = 0; i < all.size(); ++i) add(i, static_cast<std::size_t>(all[i].replicas));
  } else {
    const auto wanted = static_cast<std::size_t>(replicas);
    auto all = places;
    for (std::size_t i = 0; i < all.size(); ++i) add(i, static_cast<std::size_t>(all[i].replicas));
    while (made.size() < wanted) {
      const auto more = resized(all, static_cast<int>(made.size()) + 1);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (more[i].replicas > all[i].replicas) made.add(i, static_cast<std::size_t>(all[i].replicas));
      }
      all = more;
    }
    made.place.resize(wanted);
    made.number.resize(wanted);
  }
  return made;
}

std::size_t spread::most_at(std::size_t place) const {
  if (keyed) return moves ? key_parts_ : parts().at(place);
  return parts(static_cast<int>(most_shares)).at(place);
}

std::size_t spread::replicas_at(std::size_t place, int replicas) const {
  if (!keyed) return parts(replicas).at(place);
  const auto n = static_cast<std::size_t>(resized(places, replicas)[place].replicas);
  return moves ? n : std::clamp<std::size_t>(n, 1, std::max<std::size_t>(1, parts().at(place)));
}

int spread::possible(int wanted) const {
  if (!keyed) return std::clamp(wanted, 1, static_cast<int>(most_shares));
  const int n = std::clamp(wanted, 1, static_cast<int>(key_parts_));
  if (moves) return n;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (parts().at(i) > 0) sum += replicas_at(i, n);
  }
  return static_cast<int>(sum);
}

// --- what has come ---

void inbox::put(int from, errand e) {
  const std::lock_guard hold(lock_);
  waiting_.push_back({from, std::move(e)});
}

bool inbox::take(int& from, errand& e) {
  const std::lock_guard hold(lock_);
  if (waiting_.empty()) return false;
  from = waiting_.front().from;
  e = std::move(waiting_.front().what);
  waiting_.pop_front();
  return true;
}

bool inbox::empty() const {
  const std::lock_guard hold(lock_);
  return waiting_.empty();
}

// --- the hub ---

// What it sees of a rank.
class keyed_farm::hub::there final : public share {
 public:
  there(hub& h, std::size_t place) : hub_(h), place_(place) {}

  void add_work(worker&, batch& b) override {
    errand e;
    e.is.number = b.number;
    e.is.first = b.first;
    e.is.position = b.position;
    e.is.born_ns = b.born_ns;
    e.is.paced = b.paced;
    e.is.parts = static_cast<std::uint32_t>(hub_.numbers_[place_]);
    e.moments = b.moments;
    if (hub_.farm_.watermarked_) e.marks = b.marks;
    if (b.in[place_] && !b.in[place_]->empty()) {
      e.items = std::move(b.in[place_]);
      e.items->ranked = false;  // their places in the run are shorter
      e.index = std::move(b.index[place_]);
      e.who = b.who_there[place_];
    } else if (!b.who_there.empty()) {
      b.who_there[place_].clear();  // nothing of it is there
    }
    hub_.send(place_, std::move(e));
  }

 private:
  hub& hub_;
  const std::size_t place_;
};

keyed_farm::hub::hub(keyed_farm& f, net& n, std::size_t first, std::size_t last)
    : divider(f, n, first, last),
      over_(*f.over_),
      parts_(over_.parts()),
      replicas_(over_.replicas()),
      said_(last - first) {
  for (std::size_t i = 0; i < over_.places.size(); ++i) ranks_.push_back(std::make_unique<there>(*this, i));
  for (auto& l : said_) l.resize(ranks_.size());
  busy_.resize(ranks_.size());
  turn_.resize(ranks_.size());
  free_.resize(ranks_.size());
  count_parts();
}

keyed_farm::hub::~hub() = default;

void keyed_farm::hub::arrived(int from, parcel p) {
  answers_.put(from, take_errand(*p.items));
  notify();
}

void keyed_farm::hub::send(std::size_t place, errand e) {
  over_.by->send(over_.places[place].rank, over_.asks, {e.is.number, chunk_of(std::move(e))});
}

bool keyed_farm::hub::ready() {
  if (node::ended()) return false;
  return !answers_.empty() || (!finishing_ && (has_to_move() || divider::ready()));
}

void keyed_farm::hub::execute(worker& w) {
  int from = 0;
  for (errand e; answers_.take(from, e);) take_answer(from, std::move(e));
  if (finishing_) {
    if (ends_came_ == ranks_.size() * said_.size()) end_with_answers(w);
    return;
  }
  if (has_to_move()) follow_replicas();
  divider::execute(w);
  // As long as is worth a message to each rank, and no longer than fits into it.
  if (bytes_per_item_ > 0) {
    const auto at_work = has_.size() - static_cast<std::size_t>(std::count(has_.begin(), has_.end(), 0U));
    const auto fit = static_cast<double>(over_.by->run_bytes() * at_work) / bytes_per_item_;
    most_items_ = std::min(most_items_, std::max<std::size_t>(1, static_cast<std::size_t>(fit)));
    in.front()->set_grant(most_items_);
  }
}

void keyed_farm::hub::take_answer(int from, errand e) {
  std::size_t place = 0;
  while (over_.places[place].rank != from) ++place;
  if (e.is.what == errand::kind::give) return take_keys(place, std::move(e));
  if (e.is.what == errand::kind::ends) {
    said_[static_cast<std::size_t>(e.is.number) - first_][place] = std::move(e);
    ++ends_came_;
    return;
  }
  auto& f = farm_;
  auto& b = f.batch_at(e.is.number);
  if (!f.keyed_) busy_[place] -= b.who_there.empty() ? 0 : b.who_there[place].size();
  auto& s = *ranks_[place];
  s.deadline_.store(e.is.window, std::memory_order_relaxed);
  s.timer_.store(e.is.timer_in == never ? never : observe::now_ns() + e.is.timer_in,
                 std::memory_order_relaxed);
  b.worked_ns.fetch_add(e.is.worked_ns, std::memory_order_relaxed);
  if (f.watermarked_) {
    b.places[place].swap(e.places);
    b.late[place] = std::move(e.late);
  }
  if (e.items) {
    e.items->rank_items(f.watermarked_ ? 0 : b.first, e.index);
    if (!f.ordered_) f.mark_as_sent(b, *e.items, 0, f.watermarked_ ? b.places[place] : line_);
    b.out[place] = std::move(e.items);
    if (!f.ordered_) b.fresh.fetch_or(std::uint32_t{1} << place, std::memory_order_release);
  }
  b.pending.fetch_sub(1, std::memory_order_acq_rel);
}

void keyed_farm::hub::split(pipe::chunk_base& items, batch& b) {
  const auto n = items.size();
  if (n > 0) {
    const auto each = static_cast<double>(items.bytes()) / static_cast<double>(n);
    bytes_per_item_ = bytes_per_item_ == 0 ? each : bytes_per_item_ + (each - bytes_per_item_) / 4;
  }
  if (over_.keyed) {
    const auto& p = farm_.parts_.front();
    net_.run().plan.components[p.component]->divide(p.stages.first, items, b.in, b.first, b.who,
                                                    parts_.place);
  } else {
    deal(items, b);
  }
  b.index.resize(ranks_.size());
  b.who_there.resize(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    b.index[i].clear();
    b.who_there[i].clear();
  }
  // From here on `who` names ranks.
  for (std::size_t i = 0; i < n; ++i) {
    const auto part = b.who[i];
    const auto place = parts_.place[part];
    b.index[place].push_back(static_cast<std::uint32_t>(i));
    b.who_there[place].push_back(parts_.number[part]);
    b.who[i] = place;
  }
  if (over_.keyed) return;
  items.scatter(b.in, b.who);
  for (std::size_t i = 0; i < ranks_.size(); ++i) busy_[i] += b.who_there[i].size();
}

// As the replicas of one rank would be chosen.
void keyed_farm::hub::deal(const pipe::chunk_base& items, batch& b) {
  const auto n = items.size();
  const auto count = parts_.size();
  switch (over_.dealing.how()) {
    case schedule::kind::round_robin:
      for (std::size_t i = 0; i < n; ++i)
        b.who[i] = static_cast<std::uint8_t>(static_cast<std::size_t>(dealt_++) % count);
      break;
    case schedule::kind::route:
      for (std::size_t i = 0; i < n; ++i)
        b.who[i] = static_cast<std::uint8_t>(over_.dealing(items.at(i), count));
      break;
    case schedule::kind::on_demand:
      deal_slices(n, b.who);
  }
}

// A slice for each replica: to the rank that has least to do, for its size.
void keyed_farm::hub::deal_slices(std::size_t n, std::vector<std::uint8_t>& who) {
  const auto count = parts_.size();
  const auto each = (n + count - 1) / count;
  auto busy = busy_;
  for (std::size_t i = 0; i < n; i += each) {
    const auto load = [&](std::size_t p) {
      return has_[p] == 0 ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(busy[p]) / static_cast<double>(has_[p]);
    };
    std::size_t least = 0;
    for (std::size_t p = 1; p < busy.size(); ++p) {
      if (load(p) < load(least)) least = p;
    }
    const auto part = begins_[least] + turn_[least]++ % has_[least];
    const auto end = std::min(n, i + each);
    std::fill(who.begin() + static_cast<std::ptrdiff_t>(i), who.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint8_t>(part));
    busy[least] += end - i;
  }
}

bool keyed_farm::hub::has_to_move() const {
  return moving_ == 0 && farm_.replicas() != replicas_;
}

void keyed_farm::hub::count_parts() {
  const auto count = over_.places.size();
  has_.assign(count, 0);
  begins_.resize(count);
  numbers_.resize(count);
  for (std::size_t part = parts_.size(); part-- > 0;) {
    const auto place = parts_.place[part];
    ++has_[place];
    begins_[place] = part;
    numbers_[place] = std::max<std::size_t>(numbers_[place], std::size_t{parts_.number[part]} + 1);
  }
}

// Between two runs of items: the replicas are others. A rank that gets parts gives none away, and as long as
// keys are on their way nothing else is moved, so no rank waits for one that waits for it.
void keyed_farm::hub::follow_replicas() {
  replicas_ = farm_.replicas();
  auto wanted = over_.parts(static_cast<int>(replicas_));
  if (!over_.keyed) {
    parts_ = std::move(wanted);
  } else if (over_.moves) {
    std::vector<std::size_t> lacks(over_.places.size());
    for (std::size_t p = 0; p < lacks.size(); ++p) lacks[p] = wanted.at(p);
    std::vector<std::size_t> too_many;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      auto& there = lacks[parts_.place[part]];
      if (there == 0) {
        too_many.push_back(part);
      } else {
        --there;
      }
    }
    std::size_t to = 0;
    for (const auto part : too_many) {
      while (lacks[to] == 0) ++to;
      --lacks[to];
      move(part, to);
    }
  }
  count_parts();
}

// The rank that has had the part works off what it has of it, and gives its keys; that which is to have it
// keeps back what there is to do until they have come. Others do not notice.
void keyed_farm::hub::move(std::size_t part, std::size_t to) {
  errand give, expect;
  give.is.what = errand::kind::give;
  give.is.number = static_cast<std::int64_t>(part);
  give.is.first = parts_.number[part];
  send(parts_.place[part], std::move(give));
  std::size_t number = numbers_[to];
  if (free_[to].empty()) {
    ++numbers_[to];
  } else {
    number = free_[to].back();
    free_[to].pop_back();
  }
  parts_.place[part] = static_cast<std::uint8_t>(to);
  parts_.number[part] = static_cast<std::uint8_t>(number);
  expect.is.what = errand::kind::expect;
  expect.is.number = static_cast<std::int64_t>(part);
  expect.is.first = parts_.number[part];
  send(to, std::move(expect));
  ++moving_;
}

void keyed_farm::hub::take_keys(std::size_t from, errand e) {
  const auto part = static_cast<std::size_t>(e.is.number);
  const bool last = !e.is.more;
  if (last) free_[from].push_back(static_cast<std::uint8_t>(e.is.first));
  e.is.what = errand::kind::take;
  e.is.first = parts_.number[part];
  send(parts_.place[part], std::move(e));
  if (last) --moving_;
}

// All ranks call their end hooks; what those send comes back.
void keyed_farm::hub::finish(worker&) {
  finishing_ = true;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    errand e;
    e.is.what = errand::kind::ends;
    send(i, std::move(e));
  }
}

void keyed_farm::hub::end_with_answers(worker& w) {
  for (auto s = first_; s < last_; ++s) {
    std::vector<chunk_ptr> sent(ranks_.size());
    std::vector<places> at(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      auto& e = said_[s - first_][i];
      sent[i] = std::move(e.items);
      at[i] = std::move(e.places);
    }
    send_last(w, s, sent, at);
  }
  end_all(w);
}

// --- a rank that works on some of the parts ---

// What there is to do for keys that have not come yet.
class keyed_farm::branch::held final : public share {
 public:
  explicit held(const share& like) {
    deadline_.store(like.deadline_.load());
    timer_.store(like.timer_.load());
  }
  void add_work(worker&, batch& b) override { runs.push_back(&b); }

  std::vector<batch*> runs;
};

keyed_farm::branch::branch(keyed_farm& f, net& n, std::size_t first, std::size_t last, const spread& over)
    : divider(f, n, first, last), over_(over) {}

keyed_farm::branch::~branch() = default;

void keyed_farm::branch::arrived(int from, parcel p) {
  asked_.put(from, take_errand(*p.items));
  notify();
}

void keyed_farm::branch::send(errand e) {
  over_.by->send(over_.rank, over_.answers, {e.is.number, chunk_of(std::move(e))});
}

bool keyed_farm::branch::ready() {
  return !node::ended() && (first_is_done() || may_finish() || !asked_.empty());
}

// There is a place for each run of items that comes: the hub has no more of them.
void keyed_farm::branch::execute(worker& w) {
  while (first_is_done()) answer();
  int from = 0;
  for (errand e; asked_.take(from, e);) {
    const auto part = static_cast<std::size_t>(e.is.first);
    switch (e.is.what) {
      case errand::kind::work:
        begin(w, std::move(e));
        break;
      case errand::kind::give:
        leaving_.push_back({farm_.next_in_.load(), e.is});
        break;
      case errand::kind::expect:
        expect(part);
        break;
      case errand::kind::take:
        take(w, part, std::move(e));
        break;
      case errand::kind::ends:
        finishing_ = true;
    }
  }
  for (; !leaving_.empty() && leaving_.front().after <= farm_.next_out_.load(); leaving_.pop_front())
    give_up(leaving_.front().part);
  if (may_finish()) finish(w);
}

// There are, or have been, so many parts here.
void keyed_farm::branch::make_room(std::size_t parts) {
  auto& f = farm_;
  while (f.shares_.size() < parts) f.shares_.push_back(f.all[f.shares_.size()].get());
  f.in_use_.store(f.shares_.size());
}

// Keys are coming here from another rank.
void keyed_farm::branch::expect(std::size_t part) {
  make_room(part + 1);
  auto& share = farm_.shares_[part];
  auto& waits = expected_[part];
  waits = std::make_unique<held>(*share);
  share = waits.get();
}

void keyed_farm::branch::take(worker& w, std::size_t part, errand e) {
  auto& p = *farm_.all[part];
  if (e.keys) p.put_states(w, *e.keys);
  if (e.is.more) return;
  farm_.shares_[part] = &p;
  const auto waited = expected_.extract(part);
  for (auto* b : waited.mapped()->runs) p.add_work(w, *b);
}

// All runs of items have been answered in which there was something for the part. Its keys go in messages of
// the size of others: who receives one has other things to do, too.
void keyed_farm::branch::give_up(const errand::facts& part) {
  const auto all = farm_.all[static_cast<std::size_t>(part.first)]->take_states();
  const auto n = all ? all->size() : 0;
  const auto each =
      n == 0 ? 0
             : std::max<std::size_t>(1, n * over_.by->run_bytes() / std::max<std::size_t>(1, all->bytes()));
  std::size_t at = 0;
  do {
    errand e;
    e.is = part;
    if (n > 0) {
      const auto end = std::min(n, at + each);
      e.keys = all->sibling();
      e.keys->ranked = true;
      all->move_items(at, end, *e.keys);
      at = end;
    }
    e.is.more = at < n;
    send(std::move(e));
  } while (at < n);
}

void keyed_farm::branch::begin(worker& w, errand e) {
  auto& f = farm_;
  make_room(e.is.parts);
  auto& b = f.batch_at(f.next_in_.load());
  b.items = e.items ? e.items->size() : 0;
  b.first = e.is.first;
  b.position = e.is.position;
  b.born_ns = e.is.born_ns;
  b.paced = e.is.paced;
  b.marks = std::move(e.marks);
  b.moments = std::move(e.moments);
  b.who = std::move(e.who);
  b.index.resize(1);
  b.index.front() = std::move(e.index);
  prepare(b, *over_.how_to_ask->new_items());
  if (e.items) {
    e.items->rank_items(b.first, b.index.front());
    e.items->scatter(b.in, b.who);
  }
  const auto number = e.is.number;
  start(w, b);
  b.number = number;  // the hub's
}

// What has come of a run of items goes to the hub, in the order of the items.
void keyed_farm::branch::answer() {
  auto& f = farm_;
  auto& b = f.batch_at(f.next_out_.load());
  errand a;
  a.is.number = b.number;
  a.is.worked_ns = b.worked_ns.exchange(0, std::memory_order_relaxed);
  const auto now = observe::now_ns();
  for (const auto* s : f.shares_) {
    a.is.window = std::min(a.is.window, s->deadline_.load(std::memory_order_relaxed));
    if (const auto timer = s->timer_.load(std::memory_order_relaxed); timer != never)
      a.is.timer_in = std::min(a.is.timer_in, std::max<std::int64_t>(0, timer - now));
  }
  if (f.gives_) {
    auto out = new_output();
    out->ranked = true;
    if (!f.ordered_) {
      for (std::size_t i = 0; i < b.out.size(); ++i) {
        if (b.out[i]) {
          const auto before = static_cast<std::int64_t>(a.places.size());
          const auto shift = f.watermarked_ ? before : -b.first;
          b.out[i]->change_marks(0, b.out[i]->size(), [&](const pipe::mark& m) {
            return pipe::mark{m.due, m.rank + shift};
          });
          b.out[i]->move_items(0, b.out[i]->size(), *out);
        }
        if (f.watermarked_) a.places.insert(a.places.end(), b.places[i].begin(), b.places[i].end());
      }
    } else if (f.watermarked_) {
      line_up(b.places);
      for (std::size_t i = 0; i < line_.size(); ++i) marks_.push_back({0, static_cast<std::int64_t>(i)});
      out->gather(b.out, order_, marks_);
      a.places = line_;
    } else {
      marks_.clear();
      for (const auto i : b.index.front()) marks_.push_back({0, i});
      out->gather(b.out, b.who, b.first, b.index.front(), marks_);
    }
    for (auto& c : b.out) {
      if (c) c->clear();
    }
    if (!out->empty()) {
      const auto n = out->size();
      a.index.reserve(n);
      for (std::size_t i = 0; i < n; ++i) a.index.push_back(static_cast<std::uint32_t>(out->mark_of(i).rank));
      out->paced = out->ranked = false;
      a.items = std::move(out);
    }
  }
  if (f.watermarked_) {
    auto late = over_.how_to_ask->new_items();
    late->ranked = true;
    late->gather(b.late, true);
    for (auto& c : b.late) c->clear();
    if (!late->empty()) a.late = std::move(late);
  }
  f.next_out_.fetch_add(1);
  send(std::move(a));
}

void keyed_farm::branch::finish(worker& w) {
  auto& f = farm_;
  for (auto s = first_; s < last_; ++s) {
    std::vector<chunk_ptr> sent(f.all.size());
    std::vector<places> at(f.all.size());
    end_stage(w, s, sent, at);
    errand a;
    a.is.what = errand::kind::ends;
    a.is.number = static_cast<std::int64_t>(s);
    if (f.gives_) {
      auto out = new_output();
      out->ranked = true;
      if (f.watermarked_ && s == first_) {
        line_up(at);
        for (std::size_t i = 0; i < line_.size(); ++i) marks_.push_back({0, static_cast<std::int64_t>(i)});
        out->gather(sent, order_, marks_);
        a.places = line_;
      } else {
        out->gather(sent, true);
      }
      if (!out->empty()) a.items = std::move(out);
    }
    send(std::move(a));
  }
  end(w);
}

}  // namespace thalweg::run_detail::network
