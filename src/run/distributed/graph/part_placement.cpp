#include "part_placement.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "../../network/net.hpp"

namespace thalweg::run_detail::network {

namespace {

constexpr std::size_t parts_per_replica = 8;  // of keys

// So many parts, to each place in proportion to its replicas; what is left over, to those that lack most.
std::vector<std::size_t> in_proportion(std::size_t parts, const std::vector<place_of>& places) {
  const auto all = static_cast<std::size_t>(replicas_in_all(places));
  std::vector<std::size_t> each, lacks;
  auto left = parts;
  for (const auto& p : places) {
    const auto wanted = parts * static_cast<std::size_t>(p.replicas);
    each.push_back(wanted / all);
    lacks.push_back(wanted % all);
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

part_placement::part_placement(exchange& others, int coordinator, std::vector<place_of> where,
                               const model::stage_info& info, bool keys_travel)
    : by(&others),
      rank(coordinator),
      places(std::move(where)),
      keyed(info.keyed),
      moves(keys_travel),
      dealing(info.opts.schedule) {
  const auto all = replicas();
  if (all > most_partitions)
    throw invalid_job({"stage '" + info.name + "': has " + std::to_string(all) +
                       " replicas on all ranks, but one of these divides its items up, among at most " +
                       std::to_string(most_partitions)});
  if (!keyed) return;
  // Enough for a rank in reserve, too.
  const auto least = std::min(most_partitions, std::max(all, moves ? places.size() : 1));
  key_parts_ = std::clamp<std::size_t>(most_partitions / least, 1, parts_per_replica) * least;
}

std::size_t part_placement::replicas() const noexcept {
  return static_cast<std::size_t>(replicas_in_all(places));
}

part_list part_placement::parts(int replicas) const {
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

std::size_t part_placement::most_at(std::size_t place) const {
  if (keyed) return moves ? key_parts_ : parts().at(place);
  return parts(static_cast<int>(most_partitions)).at(place);
}

std::size_t part_placement::replicas_at(std::size_t place, int replicas) const {
  if (!keyed) return parts(replicas).at(place);
  const auto n = static_cast<std::size_t>(resized(places, replicas)[place].replicas);
  return moves ? n : std::clamp<std::size_t>(n, 1, std::max<std::size_t>(1, parts().at(place)));
}

int part_placement::possible(int wanted) const {
  if (!keyed) return std::clamp(wanted, 1, static_cast<int>(most_partitions));
  const int n = std::clamp(wanted, 1, static_cast<int>(key_parts_));
  if (moves) return n;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (parts().at(i) > 0) sum += replicas_at(i, n);
  }
  return static_cast<int>(sum);
}

// --- what has come ---

void inbox::put(int from, task_message task) {
  const std::lock_guard hold(lock_);
  waiting_.push_back({from, std::move(task)});
}

bool inbox::take(int& from, task_message& task) {
  const std::lock_guard hold(lock_);
  if (waiting_.empty()) return false;
  from = waiting_.front().from;
  task = std::move(waiting_.front().what);
  waiting_.pop_front();
  return true;
}

bool inbox::empty() const {
  const std::lock_guard hold(lock_);
  return waiting_.empty();
}

// --- the coordinator ---

// What it sees of a rank.
class keyed_farm::coordinator::remote_rank final : public partition_worker {
 public:
  remote_rank(coordinator& c, std::size_t place) : coordinator_(c), place_(place) {}

  void add_work(worker&, batch& b) override {
    task_message task;
    task.head.number = b.number;
    task.head.first = b.first;
    task.head.position = b.position;
    task.head.born_ns = b.born_ns;
    task.head.paced = b.paced;
    task.head.parts = static_cast<std::uint32_t>(coordinator_.numbers_[place_]);
    task.moments = b.moments;
    if (coordinator_.farm_.watermarked_) task.marks = b.marks;
    if (b.in[place_] && !b.in[place_]->empty()) {
      task.items = std::move(b.in[place_]);
      task.items->ranked = false;  // their places in the run are shorter
      task.index = std::move(b.index[place_]);
      task.who = b.who_there[place_];
    } else if (!b.who_there.empty()) {
      b.who_there[place_].clear();  // nothing of it is there
    }
    coordinator_.send(place_, std::move(task));
  }

 private:
  coordinator& coordinator_;
  const std::size_t place_;
};

keyed_farm::coordinator::coordinator(keyed_farm& f, net& n, std::size_t first, std::size_t last)
    : partitioner(f, n, first, last),
      over_(*f.over_),
      parts_(over_.parts()),
      replicas_(over_.replicas()),
      said_(last - first) {
  for (std::size_t i = 0; i < over_.places.size(); ++i)
    ranks_.push_back(std::make_unique<remote_rank>(*this, i));
  for (auto& l : said_) l.resize(ranks_.size());
  busy_.resize(ranks_.size());
  turn_.resize(ranks_.size());
  free_.resize(ranks_.size());
  count_parts();
}

keyed_farm::coordinator::~coordinator() = default;

void keyed_farm::coordinator::arrived(int from, item_message p) {
  answers_.put(from, take_task_message(*p.items));
  notify();
}

void keyed_farm::coordinator::send(std::size_t place, task_message task) {
  over_.by->send(over_.places[place].rank, over_.asks, {task.head.number, chunk_of(std::move(task))});
}

bool keyed_farm::coordinator::ready() {
  if (node::ended()) return false;
  return !answers_.empty() || (!finishing_ && (has_to_move() || partitioner::ready()));
}

void keyed_farm::coordinator::execute(worker& w) {
  int from = 0;
  for (task_message task; answers_.take(from, task);) take_answer(from, std::move(task));
  if (finishing_) {
    if (ends_came_ == ranks_.size() * said_.size()) end_with_answers(w);
    return;
  }
  if (has_to_move()) follow_replicas();
  partitioner::execute(w);
  // As long as is worth a message to each rank, and no longer than fits into it.
  if (bytes_per_item_ > 0) {
    const auto at_work = has_.size() - static_cast<std::size_t>(std::count(has_.begin(), has_.end(), 0U));
    const auto fit = static_cast<double>(over_.by->run_bytes() * at_work) / bytes_per_item_;
    most_items_ = std::min(most_items_, std::max<std::size_t>(1, static_cast<std::size_t>(fit)));
    in.front()->set_grant(most_items_);
  }
}

void keyed_farm::coordinator::take_answer(int from, task_message task) {
  std::size_t place = 0;
  while (over_.places[place].rank != from) ++place;
  if (task.head.what == task_message::kind::give) return take_keys(place, std::move(task));
  if (task.head.what == task_message::kind::ends) {
    said_[static_cast<std::size_t>(task.head.number) - first_][place] = std::move(task);
    ++ends_came_;
    return;
  }
  auto& f = farm_;
  auto& b = f.batch_at(task.head.number);
  if (!f.keyed_) busy_[place] -= b.who_there.empty() ? 0 : b.who_there[place].size();
  auto& s = *ranks_[place];
  s.deadline_.store(task.head.window, std::memory_order_relaxed);
  s.timer_.store(task.head.timer_in == never ? never : observe::now_ns() + task.head.timer_in,
                 std::memory_order_relaxed);
  b.worked_ns.fetch_add(task.head.worked_ns, std::memory_order_relaxed);
  if (f.watermarked_) {
    b.places[place].swap(task.places);
    b.late[place] = std::move(task.late);
  }
  if (task.items) {
    task.items->rank_items(f.watermarked_ ? 0 : b.first, task.index);
    if (!f.ordered_) f.mark_as_sent(b, *task.items, 0, f.watermarked_ ? b.places[place] : line_);
    b.out[place] = std::move(task.items);
    if (!f.ordered_) b.fresh.fetch_or(std::uint32_t{1} << place, std::memory_order_release);
  }
  b.pending.fetch_sub(1, std::memory_order_acq_rel);
}

void keyed_farm::coordinator::split(pipe::chunk_base& items, batch& b) {
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
void keyed_farm::coordinator::deal(const pipe::chunk_base& items, batch& b) {
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
void keyed_farm::coordinator::deal_slices(std::size_t n, std::vector<std::uint8_t>& who) {
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

bool keyed_farm::coordinator::has_to_move() const {
  return moving_ == 0 && farm_.replicas() != replicas_;
}

void keyed_farm::coordinator::count_parts() {
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
void keyed_farm::coordinator::follow_replicas() {
  replicas_ = farm_.replicas();
  auto wanted = over_.parts(static_cast<int>(replicas_));
  if (!over_.keyed) {
    parts_ = std::move(wanted);
  } else if (over_.moves) {
    std::vector<std::size_t> lacks(over_.places.size());
    for (std::size_t p = 0; p < lacks.size(); ++p) lacks[p] = wanted.at(p);
    std::vector<std::size_t> too_many;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      auto& lacking = lacks[parts_.place[part]];
      if (lacking == 0) {
        too_many.push_back(part);
      } else {
        --lacking;
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
void keyed_farm::coordinator::move(std::size_t part, std::size_t to) {
  task_message give, expect;
  give.head.what = task_message::kind::give;
  give.head.number = static_cast<std::int64_t>(part);
  give.head.first = parts_.number[part];
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
  expect.head.what = task_message::kind::expect;
  expect.head.number = static_cast<std::int64_t>(part);
  expect.head.first = parts_.number[part];
  send(to, std::move(expect));
  ++moving_;
}

void keyed_farm::coordinator::take_keys(std::size_t from, task_message task) {
  const auto part = static_cast<std::size_t>(task.head.number);
  const bool last = !task.head.more;
  if (last) free_[from].push_back(static_cast<std::uint8_t>(task.head.first));
  task.head.what = task_message::kind::take;
  task.head.first = parts_.number[part];
  send(parts_.place[part], std::move(task));
  if (last) --moving_;
}

// All ranks call their end hooks; what those send comes back.
void keyed_farm::coordinator::finish(worker&) {
  finishing_ = true;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    task_message task;
    task.head.what = task_message::kind::ends;
    send(i, std::move(task));
  }
}

void keyed_farm::coordinator::end_with_answers(worker& w) {
  for (auto s = first_; s < last_; ++s) {
    std::vector<chunk_ptr> sent(ranks_.size());
    std::vector<places> at(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      auto& task = said_[s - first_][i];
      sent[i] = std::move(task.items);
      at[i] = std::move(task.places);
    }
    send_last(w, s, sent, at);
  }
  end_all(w);
}

// --- a rank that works on some of the parts ---

// What there is to do for keys that have not come yet.
class keyed_farm::remote_partitioner::waiting_partition final : public partition_worker {
 public:
  explicit waiting_partition(const partition_worker& like) {
    deadline_.store(like.deadline_.load());
    timer_.store(like.timer_.load());
  }
  void add_work(worker&, batch& b) override { runs.push_back(&b); }

  std::vector<batch*> runs;
};

keyed_farm::remote_partitioner::remote_partitioner(keyed_farm& f, net& n, std::size_t first, std::size_t last,
                                                   const part_placement& over)
    : partitioner(f, n, first, last), over_(over) {}

keyed_farm::remote_partitioner::~remote_partitioner() = default;

void keyed_farm::remote_partitioner::arrived(int from, item_message p) {
  asked_.put(from, take_task_message(*p.items));
  notify();
}

void keyed_farm::remote_partitioner::send(task_message task) {
  over_.by->send(over_.rank, over_.answers, {task.head.number, chunk_of(std::move(task))});
}

bool keyed_farm::remote_partitioner::ready() {
  return !node::ended() && (first_is_done() || may_finish() || !asked_.empty());
}

// There is a place for each run of items that comes: the coordinator has no more of them.
void keyed_farm::remote_partitioner::execute(worker& w) {
  while (first_is_done()) answer();
  int from = 0;
  for (task_message task; asked_.take(from, task);) {
    const auto part = static_cast<std::size_t>(task.head.first);
    switch (task.head.what) {
      case task_message::kind::work:
        begin(w, std::move(task));
        break;
      case task_message::kind::give:
        leaving_.push_back({farm_.next_in_.load(), task.head});
        break;
      case task_message::kind::expect:
        expect(part);
        break;
      case task_message::kind::take:
        take(w, part, std::move(task));
        break;
      case task_message::kind::ends:
        finishing_ = true;
    }
  }
  for (; !leaving_.empty() && leaving_.front().after <= farm_.next_out_.load(); leaving_.pop_front())
    give_up(leaving_.front().part);
  if (may_finish()) finish(w);
}

// There are, or have been, so many parts here.
void keyed_farm::remote_partitioner::make_room(std::size_t parts) {
  auto& f = farm_;
  while (f.partition_workers_.size() < parts)
    f.partition_workers_.push_back(f.all[f.partition_workers_.size()].get());
  f.in_use_.store(f.partition_workers_.size());
}

// Keys are coming here from another rank.
void keyed_farm::remote_partitioner::expect(std::size_t part) {
  make_room(part + 1);
  auto& worker = farm_.partition_workers_[part];
  auto& waits = expected_[part];
  waits = std::make_unique<waiting_partition>(*worker);
  worker = waits.get();
}

void keyed_farm::remote_partitioner::take(worker& w, std::size_t part, task_message task) {
  auto& p = *farm_.all[part];
  if (task.keys) p.put_states(w, *task.keys);
  if (task.head.more) return;
  farm_.partition_workers_[part] = &p;
  const auto waited = expected_.extract(part);
  for (auto* b : waited.mapped()->runs) p.add_work(w, *b);
}

// All runs of items have been answered in which there was something for the part. Its keys go in messages of
// the size of others: who receives one has other things to do, too.
void keyed_farm::remote_partitioner::give_up(const task_message::header& part) {
  const auto all = farm_.all[static_cast<std::size_t>(part.first)]->take_states();
  const auto n = all ? all->size() : 0;
  const auto each =
      n == 0 ? 0
             : std::max<std::size_t>(1, n * over_.by->run_bytes() / std::max<std::size_t>(1, all->bytes()));
  std::size_t at = 0;
  do {
    task_message task;
    task.head = part;
    if (n > 0) {
      const auto end = std::min(n, at + each);
      task.keys = all->sibling();
      task.keys->ranked = true;
      all->move_items(at, end, *task.keys);
      at = end;
    }
    task.head.more = at < n;
    send(std::move(task));
  } while (at < n);
}

void keyed_farm::remote_partitioner::begin(worker& w, task_message task) {
  auto& f = farm_;
  make_room(task.head.parts);
  auto& b = f.batch_at(f.next_in_.load());
  b.items = task.items ? task.items->size() : 0;
  b.first = task.head.first;
  b.position = task.head.position;
  b.born_ns = task.head.born_ns;
  b.paced = task.head.paced;
  b.marks = std::move(task.marks);
  b.moments = std::move(task.moments);
  b.who = std::move(task.who);
  b.index.resize(1);
  b.index.front() = std::move(task.index);
  prepare(b, *over_.how_to_ask->new_items());
  if (task.items) {
    task.items->rank_items(b.first, b.index.front());
    task.items->scatter(b.in, b.who);
  }
  const auto number = task.head.number;
  start(w, b);
  b.number = number;  // the coordinator's
}

// What has come of a run of items goes to the coordinator, in the order of the items.
void keyed_farm::remote_partitioner::answer() {
  auto& f = farm_;
  auto& b = f.batch_at(f.next_out_.load());
  task_message reply;
  reply.head.number = b.number;
  reply.head.worked_ns = b.worked_ns.exchange(0, std::memory_order_relaxed);
  const auto now = observe::now_ns();
  for (const auto* s : f.partition_workers_) {
    reply.head.window = std::min(reply.head.window, s->deadline_.load(std::memory_order_relaxed));
    if (const auto timer = s->timer_.load(std::memory_order_relaxed); timer != never)
      reply.head.timer_in = std::min(reply.head.timer_in, std::max<std::int64_t>(0, timer - now));
  }
  if (f.gives_) {
    auto out = new_output();
    out->ranked = true;
    if (!f.ordered_) {
      for (std::size_t i = 0; i < b.out.size(); ++i) {
        if (b.out[i]) {
          const auto before = static_cast<std::int64_t>(reply.places.size());
          const auto shift = f.watermarked_ ? before : -b.first;
          b.out[i]->change_marks(0, b.out[i]->size(), [&](const pipe::mark& m) {
            return pipe::mark{m.due, m.rank + shift};
          });
          b.out[i]->move_items(0, b.out[i]->size(), *out);
        }
        if (f.watermarked_) reply.places.insert(reply.places.end(), b.places[i].begin(), b.places[i].end());
      }
    } else if (f.watermarked_) {
      line_up(b.places);
      for (std::size_t i = 0; i < line_.size(); ++i) marks_.push_back({0, static_cast<std::int64_t>(i)});
      out->gather(b.out, order_, marks_);
      reply.places = line_;
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
      reply.index.reserve(n);
      for (std::size_t i = 0; i < n; ++i)
        reply.index.push_back(static_cast<std::uint32_t>(out->mark_of(i).rank));
      out->paced = out->ranked = false;
      reply.items = std::move(out);
    }
  }
  if (f.watermarked_) {
    auto late = over_.how_to_ask->new_items();
    late->ranked = true;
    late->gather(b.late, true);
    for (auto& c : b.late) c->clear();
    if (!late->empty()) reply.late = std::move(late);
  }
  f.next_out_.fetch_add(1);
  send(std::move(reply));
}

void keyed_farm::remote_partitioner::finish(worker& w) {
  auto& f = farm_;
  for (auto s = first_; s < last_; ++s) {
    std::vector<chunk_ptr> sent(f.all.size());
    std::vector<places> at(f.all.size());
    end_stage(w, s, sent, at);
    task_message reply;
    reply.head.what = task_message::kind::ends;
    reply.head.number = static_cast<std::int64_t>(s);
    if (f.gives_) {
      auto out = new_output();
      out->ranked = true;
      if (f.watermarked_ && s == first_) {
        line_up(at);
        for (std::size_t i = 0; i < line_.size(); ++i) marks_.push_back({0, static_cast<std::int64_t>(i)});
        out->gather(sent, order_, marks_);
        reply.places = line_;
      } else {
        out->gather(sent, true);
      }
      if (!out->empty()) reply.items = std::move(out);
    }
    send(std::move(reply));
  }
  end(w);
}

}  // namespace thalweg::run_detail::network
