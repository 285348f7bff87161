// What ranks tell each other: runs of items, and those of farms with a coordinator.
#include <thalweg/model/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../../src/run/distributed/graph/task_message.hpp"
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

dataflow::chunk_ptr a_task() {
  dataflow::task_message task;
  task.items = some_texts();
  task.index = {0};
  task.who = {0};
  task.marks = {thalweg::pipe::mark{}};
  task.late = some_numbers();
  task.keys = some_texts();
  return dataflow::chunk_of(std::move(task));
}

// An input begins with which wire it is for, whether its items have marks, and how many they are.
std::string message(char which, const model::wire& how, thalweg::pipe::chunk_base& items) {
  std::vector<std::byte> bytes;
  thalweg::byte_writer to(bytes);
  to(static_cast<std::uint8_t>(which), static_cast<std::uint8_t>(items.marked()),
     static_cast<std::uint32_t>(items.size()));
  how.write(to, items);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {message(0, model::wire_for<std::vector<std::string>>(), *some_texts()),
          message(1, model::wire_for<double>(), *some_numbers()), message(2, tasks(), *a_task())};
}

void fuzz::read(const std::string& input) {
  thalweg::byte_reader from(std::as_bytes(std::span(input)));
  std::uint8_t which = 0, marked = 0;
  std::uint32_t items = 0;
  from(which, marked, items);
  const auto read = [&](const model::wire& how, dataflow::chunk_ptr into) {
    into->ranked = marked % 2 != 0;
    how.read(from, items, *into);
    expect(into->size() == items, "another number of items is read than there are");
    return into;
  };
  switch (which % 3) {
    case 0:
      read(model::wire_for<std::vector<std::string>>(), std::make_unique<texts>());
      break;
    case 1:
      read(model::wire_for<double>(), std::make_unique<numbers>());
      break;
    default:
      marked = 0;
      const auto task = dataflow::take_task_message(*read(tasks(), dataflow::no_task_messages()));
      expect(task.head.what <= dataflow::task_message::kind::ends, "a message is of no kind");
  }
}
