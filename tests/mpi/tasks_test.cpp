// Messages of farms with a coordinator that other ranks cannot have meant: each is refused before anything
// acts on it.
#include <thalweg/model/codec.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/run/distributed/graph/task_reader.hpp"

namespace dataflow = thalweg::run_detail::dataflow;
using dataflow::answer_reader;
using dataflow::task_message;
using dataflow::task_reader;
using testing::HasSubstr;
using kind = task_message::kind;

namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

dataflow::chunk_ptr numbers(std::size_t n) {
  auto made = std::make_unique<thalweg::pipe::chunk<long>>();
  for (std::size_t i = 0; i < n; ++i) made->emplace(static_cast<long>(i));
  return made;
}

task_message message(kind what, std::int64_t number = 0, std::int64_t first = 0) {
  task_message made;
  made.head.what = what;
  made.head.number = number;
  made.head.first = first;
  return made;
}

// Two items, the fifth and the seventh of a run of ten, for two of three parts.
task_message run(std::int64_t number = 0) {
  auto made = message(kind::work, number, 100);
  made.head.parts = 3;
  made.head.items = 10;
  made.items = numbers(2);
  made.index = {4, 6};
  made.who = {2, 0};
  return made;
}

// The same where results depend on time.
task_message timed_run() {
  auto made = run();
  made.moments.resize(10);
  made.marks.resize(10);
  return made;
}

// Three results, two of the fifth item of the run.
task_message results(std::int64_t number = 0) {
  auto made = message(kind::work, number);
  made.items = numbers(3);
  made.index = {4, 4, 6};
  return made;
}

// Of these the places are told.
task_message timed_results() {
  auto made = results();
  made.places = {{100, 0, 0}, {109, 0, 0}, {104, 0, 0}};
  made.index = {0, 1, 2};
  return made;
}

// Of four parts that this rank may have three are here; two runs may wait.
constexpr task_reader::rules here{.parts = 3, .most = 4, .runs = 2};
constexpr task_reader::rules keyed{.parts = 3, .most = 4, .runs = 2, .keyed = true};
constexpr task_reader::rules moving{.parts = 3, .most = 4, .runs = 2, .keyed = true, .moves = true};
constexpr task_reader::rules timed{.parts = 3, .most = 4, .runs = 2, .keyed = true, .watermarked = true};

// What is said of a message; empty: it is good.
std::string wrong(task_reader& reader, task_message task, std::int64_t answered = 0) {
  try {
    EXPECT_TRUE(reader.read(*dataflow::chunk_of(std::move(task)), answered));
    return {};
  } catch (const thalweg::codec_error& e) {
    return e.what();
  }
}

std::string wrong(const task_reader::rules& rules, task_message task) {
  task_reader reader(rules);
  return wrong(reader, std::move(task));
}

std::string wrong(answer_reader& reader, task_message answer) {
  try {
    EXPECT_TRUE(reader.read(*dataflow::chunk_of(std::move(answer))));
    return {};
  } catch (const thalweg::codec_error& e) {
    return e.what();
  }
}

// To the run of above; its stages are 4 and 5.
std::string wrong_answer(task_message answer, bool watermarked = false) {
  answer_reader reader(4, 6, watermarked);
  reader.asked(run().head);
  return wrong(reader, std::move(answer));
}

TEST(Tasks, GoodOnesAreRead) {
  for (const auto& rules : {here, keyed, moving}) EXPECT_EQ(wrong(rules, run()), "");
  EXPECT_EQ(wrong(timed, timed_run()), "");
  auto silence = message(kind::work);
  EXPECT_EQ(wrong(timed, std::move(silence)), "");
  auto elsewhere = timed_run();
  elsewhere.items.reset();
  elsewhere.index.clear();
  elsewhere.who.clear();
  EXPECT_EQ(wrong(timed, std::move(elsewhere)), "");
  EXPECT_EQ(wrong(here, message(kind::ends)), "");
}

TEST(Tasks, ThatDoNotSayOfEachItemWhereItBelongs) {
  const auto with = [](auto&& change) {
    auto bad = run();
    change(bad);
    return wrong(here, std::move(bad));
  };
  const auto says = HasSubstr("does not say of each for which part it is, and where it was");
  EXPECT_THAT(with([](auto& t) { t.who.pop_back(); }), says);
  EXPECT_THAT(with([](auto& t) { t.who.push_back(0); }), says);
  EXPECT_THAT(with([](auto& t) { t.index.pop_back(); }), says);
  EXPECT_THAT(with([](auto& t) { t.index.push_back(9); }), says);
  EXPECT_THAT(with([](auto& t) { t.items.reset(); }), says);
  EXPECT_THAT(with([](auto& t) { t.head.items = 1; }), says);
  EXPECT_THAT(with([](auto& t) { t.who[1] = 3; }), HasSubstr("an item for part 3"));
  EXPECT_THAT(with([](auto& t) { t.head.parts = 5; }), HasSubstr("for so many parts: 5"));
  const auto order = HasSubstr("not in order, or not in it");
  EXPECT_THAT(with([](auto& t) { t.index = {6, 4}; }), order);
  EXPECT_THAT(with([](auto& t) { t.index = {6, 6}; }), order);
  EXPECT_THAT(with([](auto& t) { t.index[1] = 10; }), order);
  for (const auto first : {std::int64_t{-1}, longest})
    EXPECT_THAT(with([&](auto& t) { t.head.first = first; }),
                HasSubstr("the place of an item in the stream"));
  EXPECT_THAT(with([](auto& t) { t.head.born_ns = longest; }), HasSubstr("the time of a run of items"));
  for (const auto due : {std::int64_t{1} << 50, longest}) {
    const auto paced = [&](auto& t) {
      auto made = std::make_unique<thalweg::pipe::chunk<long>>();
      made->paced = true;
      for (int i = 0; i < 2; ++i) made->emplace_marked({due, 0}, 0L);
      t.items = std::move(made);
    };
    EXPECT_EQ(with(paced), due == longest ? "a due time that no clock shows" : "");
  }
}

TEST(Tasks, WithoutTheTimesOfTheirItems) {
  const auto with = [](auto&& change) {
    auto bad = timed_run();
    change(bad);
    return wrong(timed, std::move(bad));
  };
  for (const std::size_t n : {0U, 9U, 11U})
    EXPECT_THAT(with([&](auto& t) { t.moments.resize(n); }), HasSubstr("with so many times: "));
  for (const std::size_t n : {1U, 9U, 11U})
    EXPECT_THAT(with([&](auto& t) { t.marks.resize(n); }), HasSubstr("with so many due times: "));
  EXPECT_EQ(with([](auto& t) { t.marks.clear(); }), "");
  EXPECT_THAT(with([](auto& t) { t.marks[9].due = -longest; }), HasSubstr("that no clock shows"));
  EXPECT_THAT(wrong(keyed, timed_run()), HasSubstr("with so many times: 10"));
}

// A window would never end, or each time again.
TEST(Tasks, WhoseTimeGoesBackOrCannotBe) {
  const auto with = [](std::size_t i, std::int64_t time, std::int64_t watermark) {
    auto bad = timed_run();
    bad.moments[i] = {time, watermark};
    return wrong(timed, std::move(bad));
  };
  constexpr auto years = std::int64_t{140} * 365 * 86'400 * 1'000'000'000;
  EXPECT_EQ(with(0, -years, thalweg::model::stream_clock::unknown), "");
  EXPECT_EQ(with(9, years, years), "");
  EXPECT_EQ(with(9, thalweg::model::moment::too_late, 0), "");
  EXPECT_THAT(with(8, 0, 1), HasSubstr("a time that the stream cannot have come to: 0"));
  EXPECT_THAT(with(9, 0, longest), HasSubstr("cannot have come to: 9223372036854775807"));
  EXPECT_THAT(with(4, longest - 1, 0), HasSubstr("the time of an item: 9223372036854775806"));
  EXPECT_THAT(with(4, -longest, 0), HasSubstr("the time of an item: "));
  task_reader reader(timed);
  auto later = timed_run();
  for (auto& m : later.moments) m.watermark = 5;
  EXPECT_EQ(wrong(reader, std::move(later)), "");
  EXPECT_THAT(wrong(reader, timed_run()), HasSubstr("cannot have come to: 0"));
}

TEST(Tasks, MoreRunsThanThereAreAnswersTo) {
  task_reader reader(here);
  EXPECT_EQ(wrong(reader, run()), "");
  EXPECT_EQ(wrong(reader, run()), "");
  EXPECT_THAT(wrong(reader, run()), HasSubstr("more runs of items at once than 2"));
  EXPECT_EQ(wrong(reader, run(), 1), "");
}

TEST(Tasks, KeysThatAreElsewhere) {
  task_reader reader(moving);
  const auto elsewhere = HasSubstr("keys that are not where they should be, of part ");
  EXPECT_THAT(wrong(reader, message(kind::expect, 0, 2)), elsewhere);
  EXPECT_THAT(wrong(reader, message(kind::take, 0, 2)), elsewhere);
  EXPECT_EQ(wrong(reader, message(kind::give, 0, 2)), "");
  EXPECT_THAT(wrong(reader, message(kind::give, 0, 2)), elsewhere);
  EXPECT_THAT(wrong(reader, run()), HasSubstr("keys that are elsewhere: part 2"));
  EXPECT_EQ(wrong(reader, message(kind::expect, 0, 2)), "");
  EXPECT_EQ(wrong(reader, run()), "");
  EXPECT_THAT(wrong(reader, message(kind::expect, 0, 2)), elsewhere);
  EXPECT_THAT(wrong(reader, message(kind::give, 0, 2)), elsewhere);
  auto some = message(kind::take, 0, 2);
  some.head.more = true;
  EXPECT_EQ(wrong(reader, std::move(some)), "");
  EXPECT_EQ(wrong(reader, message(kind::take, 0, 2)), "");
  EXPECT_THAT(wrong(reader, message(kind::take, 0, 2)), elsewhere);
  for (const auto part : {std::int64_t{-1}, std::int64_t{4}, longest}) {
    for (const auto what : {kind::give, kind::expect, kind::take})
      EXPECT_THAT(wrong(moving, message(what, 0, part)), HasSubstr("keys of part "));
  }
  for (const auto& rules : {here, keyed, timed})
    EXPECT_THAT(wrong(rules, message(kind::give, 0, 1)), HasSubstr("where they cannot move"));
}

TEST(Tasks, BehindTheLastOne) {
  task_reader reader(moving);
  EXPECT_EQ(wrong(reader, message(kind::expect, 0, 3)), "");
  EXPECT_EQ(wrong(reader, message(kind::ends)), "");
  for (auto what : {kind::give, kind::expect, kind::ends})
    EXPECT_THAT(wrong(reader, message(what, 0, 2)), HasSubstr("a task behind the last one"));
  EXPECT_THAT(wrong(reader, run()), HasSubstr("a task behind the last one"));
  EXPECT_EQ(wrong(reader, message(kind::take, 0, 3)), "");  // it was on its way
}

TEST(Answers, GoodOnesAreRead) {
  EXPECT_EQ(wrong_answer(results()), "");
  EXPECT_EQ(wrong_answer(message(kind::work)), "");
  EXPECT_EQ(wrong_answer(timed_results(), true), "");
  // Time alone has made some.
  answer_reader reader(4, 6, false);
  reader.asked(message(kind::work, 7, 100).head);
  auto alone = message(kind::work, 7);
  alone.items = numbers(2);
  alone.index = {0, 0};
  EXPECT_EQ(wrong(reader, std::move(alone)), "");
}

TEST(Answers, ToWhatWasNotAsked) {
  const auto not_asked = HasSubstr("was not asked, or out of turn: run of items ");
  for (const auto number : {std::int64_t{-1}, std::int64_t{1}, longest})
    EXPECT_THAT(wrong_answer(results(number)), not_asked);
  answer_reader reader(4, 6, false);
  EXPECT_THAT(wrong(reader, results()), not_asked);
  reader.asked(run(3).head);
  reader.asked(run(5).head);
  EXPECT_THAT(wrong(reader, results(5)), not_asked);
  EXPECT_EQ(wrong(reader, results(3)), "");
  EXPECT_THAT(wrong(reader, results(3)), not_asked);
  EXPECT_EQ(wrong(reader, results(5)), "");
  for (const auto what : {kind::expect, kind::take})
    EXPECT_THAT(wrong_answer(message(what)), HasSubstr("a task, where an answer should come"));
}

TEST(Answers, ForWhatIsNotInTheRun) {
  const auto with = [](auto&& change) {
    auto bad = results();
    change(bad);
    return wrong_answer(std::move(bad));
  };
  EXPECT_THAT(with([](auto& t) { t.index.pop_back(); }), HasSubstr("do not say of each where it belongs"));
  EXPECT_THAT(with([](auto& t) { t.index.push_back(0); }), HasSubstr("do not say of each where it belongs"));
  EXPECT_THAT(with([](auto& t) { t.index[0] = 10; }), HasSubstr("what is not in the run of items: 10"));
  EXPECT_THAT(with([](auto& t) { t.head.worked_ns = -1; }), HasSubstr("a span of time that is negative"));
  EXPECT_THAT(with([](auto& t) { t.head.timer_in = -1; }), HasSubstr("a span of time that is negative"));
  auto no_place = timed_results();
  no_place.index[0] = 3;
  EXPECT_THAT(wrong_answer(std::move(no_place), true), HasSubstr("what is not in the run of items: 3"));
  for (const std::int64_t rank : {std::int64_t{99}, std::int64_t{110}, longest}) {
    auto bad = timed_results();
    bad.places[1].rank = rank;
    EXPECT_THAT(wrong_answer(std::move(bad), true), HasSubstr("an item that is not in the run: "));
  }
}

// Times are converted in all of them, and must not go beyond all numbers.
TEST(Tasks, OfTimesThatNoClockShows) {
  const auto read_by_all = [](const auto& change, const char* says) {
    for (const auto what : {kind::work, kind::give, kind::expect, kind::take, kind::ends}) {
      auto task = message(what), answer = message(what);
      change(task);
      change(answer);
      EXPECT_THAT(wrong(timed, std::move(task)), HasSubstr(says));
      EXPECT_THAT(wrong_answer(std::move(answer)), HasSubstr(says));
    }
  };
  read_by_all([](auto& m) { m.head.born_ns = longest; }, "the time of a run of items: ");
  read_by_all([](auto& m) { m.marks = {{-longest, 0}}; }, "a due time that no clock shows");
  const auto paced = [](auto& m) {
    auto made = std::make_unique<thalweg::pipe::chunk<long>>();
    made->paced = true;
    made->emplace_marked({longest, 0}, 0L);
    m.items = std::move(made);
  };
  read_by_all(paced, "a due time that no clock shows");
}

TEST(Tasks, AreConvertedToTheClockOfTheReceiver) {
  auto task = timed_run();
  task.head.born_ns = 50;
  task.marks[4].due = 7;
  task.moments[4] = {1'000, 2'000};
  auto items = std::make_unique<thalweg::pipe::chunk<long>>();
  items->paced = items->ranked = true;
  items->emplace_marked({7, 3}, 0L);
  task.items = std::move(items);
  dataflow::shift_times(task, 5'000);
  EXPECT_EQ(task.head.born_ns, 5'050);
  EXPECT_EQ(task.marks[4].due, 5'007);
  EXPECT_EQ(task.items->mark_of(0).due, 5'007);
  EXPECT_EQ(task.items->mark_of(0).rank, 3);
  // The coordinator tells all ranks how far time has come.
  EXPECT_EQ(task.moments[4].time, 1'000);
  EXPECT_EQ(task.moments[4].watermark, 2'000);
}

TEST(Answers, KeysThatNobodyAskedFor) {
  answer_reader reader(4, 6, false);
  const auto not_asked = HasSubstr("keys that it was not asked for, of part ");
  EXPECT_THAT(wrong(reader, message(kind::give, 9, 2)), not_asked);
  reader.asked(message(kind::give, 9, 2).head);
  EXPECT_THAT(wrong(reader, message(kind::give, 8, 2)), not_asked);
  EXPECT_THAT(wrong(reader, message(kind::give, 9, 1)), not_asked);
  auto some = message(kind::give, 9, 2);
  some.head.more = true;
  EXPECT_EQ(wrong(reader, std::move(some)), "");
  EXPECT_EQ(wrong(reader, message(kind::give, 9, 2)), "");
  EXPECT_THAT(wrong(reader, message(kind::give, 9, 2)), not_asked);
}

TEST(Answers, EndsThatHaveNotBegun) {
  const auto not_called = HasSubstr("what an end hook sends that was not called, of stage ");
  answer_reader reader(4, 6, false);
  EXPECT_THAT(wrong(reader, message(kind::ends, 4)), not_called);
  reader.asked(run().head);
  reader.asked(message(kind::ends).head);
  EXPECT_THAT(wrong(reader, message(kind::ends, 4)), not_called);
  EXPECT_EQ(wrong(reader, results()), "");
  for (const auto stage : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{5}, longest})
    EXPECT_THAT(wrong(reader, message(kind::ends, stage)), not_called);
  EXPECT_EQ(wrong(reader, message(kind::ends, 4)), "");
  EXPECT_THAT(wrong(reader, message(kind::ends, 4)), not_called);
  EXPECT_EQ(wrong(reader, message(kind::ends, 5)), "");
  EXPECT_THAT(wrong(reader, message(kind::ends, 6)), not_called);
}

// The run fails for what could not be read; nothing is wrong with what follows it.
TEST(Tasks, BehindOneThatCouldNotBeRead) {
  const auto nothing = [] { return dataflow::no_task_messages(); };
  task_reader reader(here);
  EXPECT_FALSE(reader.read(*nothing(), 0));
  EXPECT_FALSE(reader.read(*dataflow::chunk_of(message(kind::take, 0, 77)), 0));
  answer_reader answers(4, 6, false);
  EXPECT_FALSE(answers.read(*nothing()));
  EXPECT_FALSE(answers.read(*dataflow::chunk_of(results(77))));
}

}  // namespace
