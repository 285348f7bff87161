#include "task_message.hpp"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

using task_messages = pipe::chunk<task_message>;

// These are short and needed at once, so they are no blocks.
template <class T> void write_all(byte_writer& to, const std::vector<T>& all) {
  to.count(all.size());
  to.bytes(all.data(), all.size() * sizeof(T));
}

template <class T> void read_all(byte_reader& from, std::vector<T>& all) {
  all.resize(from.count(sizeof(T)));
  const auto bytes = from.bytes(all.size() * sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
}

// Its bytes as they lie in memory, unless a truth value is none there, or its kind.
void read_head(byte_reader& from, task_message::header& head) {
  const auto bytes = from.bytes(sizeof head);
  const auto at = [&](std::size_t place) { return std::to_integer<unsigned>(bytes[place]); };
  if (at(offsetof(task_message::header, paced)) > 1 || at(offsetof(task_message::header, more)) > 1 ||
      at(offsetof(task_message::header, what)) > static_cast<unsigned>(task_message::kind::ends))
    throw codec_error("a message about a run of items is not valid");
  std::memcpy(&head, bytes.data(), bytes.size());
}

}  // namespace

task_message_wire::chunk_codec::chunk_codec(chunk_ptr c)
    : like(std::move(c)), how(like ? model::wire_of(like->item_type()) : nullptr) {}

void task_message_wire::chunk_codec::write(byte_writer& to, const chunk_ptr& c) const {
  const bool there = c != nullptr && !c->empty();
  to(there);
  if (!there) return;
  to(c->paced, c->ranked, static_cast<std::uint32_t>(c->size()));
  how->write(to, *c);
}

void task_message_wire::chunk_codec::read(byte_reader& from, chunk_ptr& c) const {
  std::uint8_t there = 0;
  from(there);
  if (there == 0) return;
  if (how == nullptr) throw codec_error("a run of items has come where none can be");
  std::uint8_t paced = 0, ranked = 0;
  std::uint32_t n = 0;
  from(paced, ranked, n);
  c = like->sibling();
  c->paced = paced != 0;
  c->ranked = ranked != 0;
  how->read(from, n, *c);
}

task_message_wire::task_message_wire(chunk_ptr items, chunk_ptr late, chunk_ptr keys)
    : items_(std::move(items)), late_(std::move(late)), keys_(std::move(keys)) {}

std::string task_message_wire::tag() const {
  return "task_message of " + (items_.how == nullptr ? "-" : items_.how->tag());
}

void task_message_wire::write(byte_writer& to, pipe::chunk_base& items) const {
  const auto& task = static_cast<task_messages&>(items)[0];
  to.bytes(&task.head, sizeof task.head);
  write_all(to, task.index);
  write_all(to, task.who);
  write_all(to, task.moments);
  write_all(to, task.marks);
  write_all(to, task.places);
  late_.write(to, task.late);
  keys_.write(to, task.keys);
  items_.write(to, task.items);
}

void task_message_wire::read(byte_reader& from, std::size_t n, pipe::chunk_base& into) const {
  if (n != 1) throw codec_error("a message about a run of items is about " + std::to_string(n));
  auto& all = static_cast<task_messages&>(into);
  all.reserve(1);
  all.emplace();
  auto& task = all[0];
  read_head(from, task.head);
  read_all(from, task.index);
  read_all(from, task.who);
  read_all(from, task.moments);
  read_all(from, task.marks);
  read_all(from, task.places);
  late_.read(from, task.late);
  keys_.read(from, task.keys);
  items_.read(from, task.items);
}

std::size_t task_message_wire::count(const pipe::chunk_base& items) const {
  const auto* const task = static_cast<const task_message*>(items.at(0));
  return task->items ? task->items->size() : 0;
}

void shift_times(task_message& task, std::int64_t by) {
  if (by == 0) return;
  const auto shifted = [by](pipe::mark m) {
    m.due += by;
    return m;
  };
  task.head.born_ns += by;
  for (auto& m : task.marks) m = shifted(m);
  if (task.items && task.items->paced) task.items->change_marks(0, task.items->size(), shifted);
}

task_message take_task_message(pipe::chunk_base& from) {
  return std::move(static_cast<task_messages&>(from)[0]);
}

chunk_ptr chunk_of(task_message task) {
  auto made = std::make_unique<task_messages>();
  made->emplace(std::move(task));
  return made;
}

chunk_ptr no_task_messages() {
  return std::make_unique<task_messages>();
}

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

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
