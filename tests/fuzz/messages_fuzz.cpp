// What ranks tell each other: runs of items, and those of farms with a coordinator.
#include <thalweg/model/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../../src/run/distributed/graph/task_reader.hpp"
#include "fuzz/fuzz.hpp"

namespace model = thalweg::model;
namespace dataflow = thalweg::run_detail::dataflow;

namespace {

using texts = thalweg::pipe::chunk<std::vector<std::string>>;
using numbers = thalweg::pipe::chunk<double>;

std::unique_ptr<texts> some_texts() {
  auto made = std::make_unique<texts>();
  made->emplace(std::vector<std::string>{"one", "two"});
  return made;
}

std::unique_ptr<numbers> some_numbers() {
  auto made = std::make_unique<numbers>();
  made->ranked = true;
  made->emplace_marked(thalweg::pipe::mark{}, 1.5);
  return made;
}

const dataflow::task_message_wire& tasks() {
  static const bool known = model::add_wire<std::vector<std::string>>() && model::add_wire<double>();
  static_cast<void>(known);
  static const dataflow::task_message_wire how(std::make_unique<texts>(), std::make_unique<numbers>(),
                                               std::make_unique<texts>());
  return how;
}

using kind = dataflow::task_message::kind;

dataflow::task_message about(kind what, std::int64_t number, std::int64_t first) {
  dataflow::task_message task;
  task.head.what = what;
  task.head.number = number;
  task.head.first = first;
  return task;
}

// Of two items, on all ranks.
dataflow::task_message a_run() {
  auto task = about(kind::work, 0, 100);
  task.head.items = 2;
  task.head.parts = 2;
  return task;
}

dataflow::task_message a_task() {
  auto task = a_run();
  task.items = some_texts();
  task.index = {1};
  task.who = {0};
  task.moments.resize(2);
  task.marks.resize(2);
  return task;
}

dataflow::task_message an_answer() {
  auto task = a_run();
  task.items = some_texts();
  task.index = {0};
  task.places = {{101, 0, 0}};
  task.late = some_numbers();
  task.keys = some_texts();
  return task;
}

// An input begins with what it is, whether its items have marks, and how many they are.
std::string message(char which, const model::wire& how, thalweg::pipe::chunk_base& items) {
  std::vector<std::byte> bytes;
  thalweg::byte_writer to(bytes);
  to(static_cast<std::uint8_t>(which), static_cast<std::uint8_t>(items.marked()),
     static_cast<std::uint32_t>(items.size()));
  how.write(to, items);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Here they are all messages of a farm with a coordinator, one behind the other.
template <class... Task> std::string conversation(char which, Task... tasks_in_turn) {
  std::vector<std::byte> bytes;
  thalweg::byte_writer to(bytes);
  to(static_cast<std::uint8_t>(which));
  (tasks().write(to, *dataflow::chunk_of(std::move(tasks_in_turn))), ...);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

dataflow::chunk_ptr next_of(thalweg::byte_reader& from) {
  auto into = dataflow::no_task_messages();
  tasks().read(from, 1, *into);
  return into;
}

constexpr std::size_t most_parts = 3;

// What a rank does with a run of items: all of it has its place.
void begin(dataflow::task_message task) {
  if (!task.items) return;
  std::vector<dataflow::chunk_ptr> parts;
  for (std::size_t i = 0; i < most_parts; ++i) parts.push_back(task.items->sibling());
  task.items->rank_items(task.head.first, task.index);
  task.items->scatter(parts, task.who);
  std::size_t all = 0;
  for (const auto& p : parts) {
    all += p->size();
    for (std::size_t i = 0; i < p->size(); ++i) {
      const auto at = static_cast<std::size_t>(p->mark_of(i).rank - task.head.first);
      fuzz::expect(at < task.moments.size() && (task.marks.empty() || at < task.marks.size()),
                   "an item has no time");
    }
  }
  fuzz::expect(all == task.items->size(), "an item is in no part");
}

// What a rank is told by a coordinator: it has two of the parts that it may have.
void be_told(thalweg::byte_reader& from, bool keyed) {
  dataflow::task_reader reader(
      {.parts = 2, .most = most_parts, .runs = 4, .keyed = keyed, .moves = keyed, .watermarked = true});
  while (from.left() > 0) {
    auto task = reader.read(*next_of(from), 0);
    fuzz::expect(task.has_value(), "what has come is not there");
    if (task->head.what == kind::work) {
      begin(std::move(*task));
    } else if (task->head.what != kind::ends) {
      fuzz::expect(task->head.first >= 0 && task->head.first < std::int64_t{most_parts},
                   "there is no such part");
    }
  }
}

// What a coordinator is answered by a rank, of a farm with one stage.
void be_answered(thalweg::byte_reader& from, bool watermarked) {
  dataflow::answer_reader reader(4, 5, watermarked);
  for (const auto& task : {a_run(), about(kind::give, 7, 1), about(kind::ends, 0, 0)})
    reader.asked(task.head);
  while (from.left() > 0) {
    auto answer = reader.read(*next_of(from));
    fuzz::expect(answer.has_value(), "what has come is not there");
    if (answer->head.what == kind::ends) fuzz::expect(answer->head.number == 4, "there is no such stage");
    if (answer->head.what == kind::give) fuzz::expect(answer->head.first == 1, "another part leaves");
    if (answer->head.what != kind::work || !answer->items) continue;
    answer->items->rank_items(0, answer->index);
    for (std::size_t i = 0; i < answer->items->size(); ++i) {
      const auto at = static_cast<std::size_t>(answer->items->mark_of(i).rank);
      fuzz::expect(at < (watermarked ? answer->places.size() : 2), "a result is of no item");
      const auto rank = watermarked ? answer->places[at].rank : 100;
      fuzz::expect(rank == 100 || rank == 101, "a result is of an item that is elsewhere");
    }
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      message(0, model::wire_for<std::vector<std::string>>(), *some_texts()),
      message(1, model::wire_for<double>(), *some_numbers()),
      conversation(2, a_task(), about(kind::ends, 0, 0)),
      conversation(3, a_task(), about(kind::give, 7, 1), about(kind::expect, 5, 1), about(kind::take, 5, 1)),
      conversation(4, an_answer(), about(kind::give, 7, 1), about(kind::ends, 4, 0)),
      conversation(5, an_answer())};
}

void fuzz::read(const std::string& input) {
  thalweg::byte_reader from(std::as_bytes(std::span(input)));
  std::uint8_t which = 0, marked = 0;
  std::uint32_t items = 0;
  from(which);
  which %= 6;
  if (which < 2) from(marked, items);
  const auto read = [&](const model::wire& how, dataflow::chunk_ptr into) {
    into->ranked = marked % 2 != 0;
    how.read(from, items, *into);
    expect(into->size() == items, "another number of items is read than there are");
    return into;
  };
  switch (which) {
    case 0:
      return static_cast<void>(read(model::wire_for<std::vector<std::string>>(), std::make_unique<texts>()));
    case 1:
      return static_cast<void>(read(model::wire_for<double>(), std::make_unique<numbers>()));
    case 2:
    case 3:
      return be_told(from, which == 3);
    default:
      be_answered(from, which == 4);
  }
}
