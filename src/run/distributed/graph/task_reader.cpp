#include "task_reader.hpp"

#include <thalweg/pattern/window/spec.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "../../tuning.hpp"
#include "exchange.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

void require(bool good, std::string_view what) {
  if (!good) throw codec_error(std::string(what));
}

void require(bool good, std::string_view what, std::int64_t number) {
  if (!good) throw codec_error(std::string(what) + std::to_string(number));
}

std::size_t size_of(const chunk_ptr& items) {
  return items ? items->size() : 0;
}

// The end of the last window of an item.
constexpr auto last_watermark = model::furthest_time + model::largest_window;

// Where the run has no items, time has passed in it: what that makes belongs to its first place.
std::int64_t places_in(const task_message::header& run) {
  return std::max<std::int64_t>(1, run.items);
}

// What is converted from clock to clock, whatever the message is about.
void check_clock(const task_message& m) {
  require(is_time(m.head.born_ns), "the time of a run of items: ", m.head.born_ns);
  require(std::ranges::all_of(m.marks, [](const pipe::mark& one) { return is_time(one.due); }) &&
              (!m.items || can_be_due(*m.items)),
          "a due time that no clock shows");
}

// The message in a run of items. None: it could not be read, or one before it, which `lost` tells.
std::optional<task_message> message_in(pipe::chunk_base& from, bool& lost) {
  lost = lost || from.empty();
  if (lost) return {};
  return take_task_message(from);
}

}  // namespace

// --- tasks ---

task_reader::task_reader(const rules& of) : rules_(of), parts_(of.most, keys::elsewhere) {
  std::fill_n(parts_.begin(), of.parts, keys::here);
}

std::optional<task_message> task_reader::read(pipe::chunk_base& from, std::int64_t answered) {
  auto task = message_in(from, lost_);
  if (task) {
    check_clock(*task);
    check(*task, answered);
  }
  return task;
}

void task_reader::check(const task_message& task, std::int64_t answered) {
  const auto& head = task.head;
  using kind = task_message::kind;
  // What was on its way from another rank may come behind it.
  require(!ended_ || head.what == kind::take, "a task behind the last one");
  switch (head.what) {
    case kind::work:
      require(runs_ - answered < rules_.runs, "more runs of items at once than ", rules_.runs);
      ++runs_;
      return check_run(task);
    case kind::give:
      return change(head, keys::here, keys::elsewhere);
    case kind::expect:
      return change(head, keys::elsewhere, keys::expected);
    case kind::take:
      return change(head, keys::expected, head.more ? keys::expected : keys::here);
    case kind::ends:
      ended_ = true;
  }
}

void task_reader::check_run(const task_message& task) {
  const auto& head = task.head;
  const auto n = size_of(task.items);
  require(head.parts <= rules_.most, "a run of items for so many parts: ", head.parts);
  require(task.who.size() == n && task.index.size() == n && n <= head.items,
          "a run of items that does not say of each for which part it is, and where it was");
  require(head.first >= 0 && head.first <= at_the_end, "the place of an item in the stream: ", head.first);
  for (const auto part : task.who) {
    require(part < head.parts, "an item for part ", part);
    require(!rules_.keyed || parts_[part] != keys::elsewhere, "an item for keys that are elsewhere: part ",
            part);
  }
  require(std::ranges::adjacent_find(task.index, std::greater_equal<>()) == task.index.end() &&
              (n == 0 || task.index.back() < head.items),
          "places in a run of items that are not in order, or not in it");
  check_times(task);
}

// Of all items of the run, wherever they are.
void task_reader::check_times(const task_message& task) {
  const auto& head = task.head;
  const auto all = places_in(head);
  const auto moments = static_cast<std::int64_t>(task.moments.size());
  require(moments == (rules_.watermarked ? all : 0) || (moments == 0 && head.items == 0),
          "a run of items with so many times: ", moments);
  for (const auto& m : task.moments) {
    require(m.watermark >= std::exchange(watermark_, m.watermark) && m.watermark <= last_watermark,
            "a time that the stream cannot have come to: ", m.watermark);
    require(head.items == 0 || m.time == model::moment::too_late ||
                (m.time >= -model::furthest_time && m.time <= model::furthest_time),
            "the time of an item: ", m.time);
  }
  const auto marks = static_cast<std::int64_t>(task.marks.size());
  require(marks == 0 || (marks == all && rules_.watermarked),
          "a run of items with so many due times: ", marks);
}

void task_reader::change(const task_message::header& head, keys before, keys after) {
  require(rules_.moves, "keys of another rank, where they cannot move");
  require(head.first >= 0 && head.first < static_cast<std::int64_t>(parts_.size()), "keys of part ",
          head.first);
  auto& part = parts_[static_cast<std::size_t>(head.first)];
  require(part == before, "keys that are not where they should be, of part ", head.first);
  part = after;
}

// --- answers ---

void answer_reader::asked(const task_message::header& task) {
  using kind = task_message::kind;
  const std::lock_guard hold(lock_);
  if (task.what == kind::work) runs_.push_back(task);
  if (task.what == kind::give) leaving_.push_back(task);
  if (task.what == kind::ends) ending_ = true;
}

std::optional<task_message> answer_reader::read(pipe::chunk_base& from) {
  const std::lock_guard hold(lock_);
  auto answer = message_in(from, lost_);
  if (answer) {
    check_clock(*answer);
    check(*answer);
  }
  return answer;
}

void answer_reader::check(const task_message& answer) {
  const auto& head = answer.head;
  using kind = task_message::kind;
  switch (head.what) {
    case kind::work:
      return check_run(answer);
    case kind::give:
      require(
          !leaving_.empty() && leaving_.front().number == head.number && leaving_.front().first == head.first,
          "keys that it was not asked for, of part ", head.number);
      if (!head.more) leaving_.pop_front();
      return;
    case kind::ends:
      require(ending_ && runs_.empty() && leaving_.empty() && next_end_ < last_ &&
                  head.number == static_cast<std::int64_t>(next_end_),
              "what an end hook sends that was not called, of stage ", head.number);
      ++next_end_;
      return;
    default:
      require(false, "a task, where an answer should come");
  }
}

void answer_reader::check_run(const task_message& answer) {
  const auto& head = answer.head;
  require(!runs_.empty() && runs_.front().number == head.number,
          "an answer to what it was not asked, or out of turn: run of items ", head.number);
  const auto run = runs_.front();
  runs_.pop_front();
  const auto n = size_of(answer.items);
  require(answer.index.size() == n, "results that do not say of each where it belongs");
  require(head.worked_ns >= 0 && head.timer_in >= 0, "a span of time that is negative");
  const auto all = watermarked_ ? static_cast<std::int64_t>(answer.places.size()) : places_in(run);
  for (const auto i : answer.index) require(i < all, "a result of what is not in the run of items: ", i);
  for (const auto& at : answer.places) {
    require(at.rank >= run.first && at.rank < run.first + places_in(run),
            "a result of an item that is not in the run: ", at.rank);
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
