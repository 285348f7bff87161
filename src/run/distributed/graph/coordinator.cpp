#include "coordinator.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/moment.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "shared_settings.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

// Of a rank in one run of items: what costs more is a run by itself anyway. Those of all ranks can be added
// up, and multiplied by the time of a run.
constexpr std::int64_t longest_worked_ns = std::int64_t{1} << 35;

}  // namespace

// A rank that has some of the parts.
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
    task.head.items = static_cast<std::uint32_t>(b.items);
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

keyed_farm::coordinator::coordinator(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last)
    : partitioner(f, n, first, last),
      over_(*f.over_),
      parts_(over_.parts()),
      replicas_(over_.replicas()),
      over_ranks_(over_.ranks.load()),
      said_(last - first) {
  for (std::size_t i = 0; i < over_.places.size(); ++i) {
    ranks_.push_back(std::make_unique<remote_rank>(*this, i));
    readers_.emplace_back(first, last, f.watermarked_);
  }
  for (auto& l : said_) l.resize(ranks_.size());
  busy_.resize(ranks_.size());
  turn_.resize(ranks_.size());
  free_.resize(ranks_.size());
  count_parts();
}

keyed_farm::coordinator::~coordinator() = default;

std::size_t keyed_farm::coordinator::place_of(int rank) const {
  std::size_t place = 0;
  while (over_.places[place].rank != rank) ++place;
  return place;
}

void keyed_farm::coordinator::arrived(int from, item_message p) {
  auto answer = readers_[place_of(from)].read(*p.items);
  if (!answer) return;
  shift_times(*answer, p.shift);
  answers_.put(from, std::move(*answer));
  notify();
}

void keyed_farm::coordinator::send(std::size_t place, task_message task) {
  readers_[place].asked(task.head);
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
  // A run is worth a message to each rank, and fits into these.
  if (bytes_per_item_ > 0) {
    const auto at_work = has_.size() - static_cast<std::size_t>(std::count(has_.begin(), has_.end(), 0U));
    const auto fit =
        static_cast<double>(net_.shared().message_bytes()) * static_cast<double>(at_work) / bytes_per_item_;
    most_items_ = std::min(most_items_, std::max<std::size_t>(1, static_cast<std::size_t>(fit)));
    in.front()->set_batch(most_items_);
  }
}

void keyed_farm::coordinator::take_answer(int from, task_message task) {
  const auto place = place_of(from);
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
  s.timer_.store(pipe::later(observe::now_ns(), task.head.timer_in), std::memory_order_relaxed);
  b.worked_ns.fetch_add(std::min(task.head.worked_ns, longest_worked_ns), std::memory_order_relaxed);
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

// Chooses as a farm on one rank chooses its replicas.
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
    case schedule::kind::next_with_room:
    case schedule::kind::on_demand:
      deal_slices(n, b.who);
  }
}

// Each replica is worth a slice. A slice goes to the rank that has least to do for each of its replicas.
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
  return moving_ == 0 && (farm_.replicas() != replicas_ || over_.ranks.load() != over_ranks_);
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

// Between two runs of items: the number of replicas, or of ranks, has changed. A rank that gets parts gives
// none away.
void keyed_farm::coordinator::follow_replicas() {
  replicas_ = farm_.replicas();
  over_ranks_ = over_.ranks.load();
  auto wanted = over_.parts(static_cast<int>(replicas_), over_ranks_);
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

// The old rank of the part finishes its runs and gives its keys. The new one holds back the runs of the part
// until the keys have come. The other ranks do not notice.
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

// All ranks call their end hooks, and answer with what these send.
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

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
