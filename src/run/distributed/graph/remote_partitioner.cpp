#include "remote_partitioner.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "../../engine/graph_engine.hpp"
#include "shared_settings.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

// Takes the runs of a part whose keys have not come yet.
class keyed_farm::remote_partitioner::waiting_partition final : public partition_worker {
 public:
  explicit waiting_partition(const partition_worker& like) {
    deadline_.store(like.deadline_.load());
    timer_.store(like.timer_.load());
  }
  void add_work(worker&, batch& b) override { runs.push_back(&b); }

  std::vector<batch*> runs;
};

keyed_farm::remote_partitioner::remote_partitioner(keyed_farm& f, graph_engine& n, std::size_t first,
                                                   std::size_t last, const part_placement& over,
                                                   std::size_t place)
    : partitioner(f, n, first, last),
      over_(over),
      reader_({.parts = over.parts().at(place),
               .most = over.most_at(place),
               .runs = most_runs,
               .keyed = over.keyed,
               .moves = over.moves,
               .watermarked = f.watermarked_}) {}

keyed_farm::remote_partitioner::~remote_partitioner() = default;

void keyed_farm::remote_partitioner::arrived(int from, item_message p) {
  auto task = reader_.read(*p.items, farm_.next_out_.load());
  if (!task) return;
  shift_times(*task, p.shift);
  asked_.put(from, std::move(*task));
  notify();
}

void keyed_farm::remote_partitioner::send(task_message task) {
  over_.by->send(over_.rank, over_.answers, {task.head.number, chunk_of(std::move(task))});
}

bool keyed_farm::remote_partitioner::ready() {
  return !node::ended() && (first_is_done() || may_finish() || !asked_.empty());
}

// Each run of items that comes has a place here, since the coordinator has no more places.
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

// So many parts are here, or have been.
void keyed_farm::remote_partitioner::make_room(std::size_t parts) {
  auto& f = farm_;
  while (f.partition_workers_.size() < parts)
    f.partition_workers_.push_back(f.all[f.partition_workers_.size()].get());
  f.in_use_.store(f.partition_workers_.size());
}

// Keys come here from another rank.
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

// This rank has answered all runs with items for the part. Its keys go in messages of the usual size, so that
// the receiver does other work in between.
void keyed_farm::remote_partitioner::give_up(const task_message::header& part) {
  const auto all = farm_.all[static_cast<std::size_t>(part.first)]->take_states();
  const auto n = all ? all->size() : 0;
  const auto each =
      n == 0 ? 0
             : std::clamp<std::size_t>(
                   net_.shared().message_bytes() / std::max<std::size_t>(1, all->bytes() / n), 1, n);
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

// The results of a run of items go to the coordinator, in the order of the items.
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
      out->paced = paced;
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

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
