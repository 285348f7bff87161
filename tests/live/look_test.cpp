// Looks into the edges of a running job.
#include <thalweg/pipe/chunk.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "../../src/run/item_text.hpp"
#include "../../src/run/looks.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using tw::run_detail::looks;
using tw::run_detail::sight;

namespace {

struct unprintable {
  int number = 0;
  std::vector<char> bytes = std::vector<char>(2'000);
};

struct stubborn {
  int number = 0;
  friend std::ostream& operator<<(std::ostream& to, const stubborn& x) {
    to << "number ";
    if (x.number >= 0) throw std::runtime_error("no\tmore");
    return to << x.number;
  }
};

struct waiting {
  static inline tw::execution* run = nullptr;
  friend std::ostream& operator<<(std::ostream& to, const waiting&) {
    run->wait();
    return to;
  }
};

struct counted {
  int number = 0;
  static inline std::atomic<int> printed{0};
  friend std::ostream& operator<<(std::ostream& to, const counted& x) {
    ++printed;
    return to << x.number;
  }
};

// Its operator is declared for all types, and compiles for few.
template <class T> struct wrapped {
  T inside;
  friend std::ostream& operator<<(std::ostream& to, const wrapped& x) { return to << x.inside; }
};

auto numbers() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "numbers"});
}

template <class T> std::string text_of(T item) {
  tw::pipe::chunk<T> items;
  items.emplace(std::move(item));
  return tw::run_detail::item_text(items, 0);
}

std::string refusal(tw::execution& e, std::string_view from, std::string_view to, std::size_t items = 1) {
  try {
    (void)e.look_into(from, to, {.items = items});
    return "";
  } catch (const tw::error& problem) {
    return problem.what();
  }
}

std::vector<std::string> texts(const std::vector<tw::seen_item>& items) {
  std::vector<std::string> all;
  for (const auto& item : items) all.push_back(item.text);
  return all;
}

std::vector<std::string> texts(sight& what) {
  return texts(std::exchange(what.items, {}));
}

std::int64_t its_time = 0;
std::int64_t its_clock() noexcept {
  return its_time;
}

tw::pipe::chunk<int>& refilled(tw::pipe::chunk<int>& items, int first, int size) {
  items.clear();
  for (int i = 0; i < size; ++i) items.emplace(first + i);
  return items;
}

}  // namespace

template <> inline constexpr bool thalweg::shows_text<wrapped<unprintable>> = false;

// --- texts ---

TEST(live_look_text, what_the_type_says) {
  EXPECT_EQ(text_of(-7), "-7");
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of('x'), "x");
  EXPECT_EQ(text_of(std::uint8_t{200}), "200");
  EXPECT_EQ(text_of(0.5F), "0.5");
  EXPECT_EQ(text_of(std::string("a word")), "a word");
  EXPECT_EQ(text_of(std::string_view("a view")), "a view");
  EXPECT_EQ(text_of(stubborn{-3}), "number -3");
}

TEST(live_look_text, of_a_type_that_is_taken_out) {
  EXPECT_EQ(text_of(wrapped<int>{7}), "7");
  EXPECT_THAT(text_of(wrapped<unprintable>{}), HasSubstr("kB"));
}

TEST(live_look_text, what_things_hold) {
  EXPECT_EQ(text_of(std::vector{1, 2}), "{1, 2}");
  EXPECT_EQ(text_of(std::pair(1, std::string("one"))), "{1, one}");
  EXPECT_EQ(text_of(std::tuple(1, 'x', std::vector<double>{})), "{1, x, {}}");
  EXPECT_EQ(text_of(std::optional<int>(3)), "3");
  EXPECT_EQ(text_of(std::optional<int>()), "nothing");
  EXPECT_EQ(text_of(std::make_unique<int>(4)), "4");
  EXPECT_EQ(text_of(std::unique_ptr<int>()), "nothing");
  EXPECT_EQ(text_of(std::make_shared<int>(5)), "5");
  const auto ours = std::make_shared<int>(6);
  EXPECT_THAT(text_of(ours), HasSubstr("shared"));  // others may be writing it
}

TEST(live_look_text, without_an_operator_it_has_the_type_and_the_size) {
  EXPECT_THAT(text_of(unprintable{}), AllOf(HasSubstr("unprintable"), HasSubstr("2.03 kB")));
  EXPECT_THAT(text_of(std::vector<unprintable>(2)), HasSubstr("vector"));
  int here = 0;
  EXPECT_THAT(text_of(&here), HasSubstr("int*"));  // an address says nothing
}

TEST(live_look_text, control_characters_are_escaped) {
  EXPECT_EQ(text_of(std::string("a\x1b[2J\nb\xff")), R"(a\x1b[2J\x0ab\xff)");
  EXPECT_EQ(text_of(std::string("<script>")), "<script>");
}

TEST(live_look_text, long_ones_are_cut) {
  EXPECT_EQ(text_of(std::string(4'096, 'x')), std::string(4'096, 'x'));
  for (const auto* part : {"x", "é", "\n", "日"}) {
    std::string text = "a";
    while (text.size() < 10'000) text += part;
    const auto shown = text_of(text);
    EXPECT_LE(shown.size(), 4'096U);
    EXPECT_GT(shown.size(), 4'080U);
    EXPECT_THAT(shown, EndsWith("…"));
    EXPECT_EQ(shown.find(R"(\xe)"), shown.npos) << "no part of a character";
  }
  EXPECT_THAT(text_of(std::vector<int>(1'000'000)), AllOf(StartsWith("{0, 0, "), EndsWith("…")));
}

TEST(live_look_text, what_printing_throws) {
  EXPECT_EQ(text_of(stubborn{1}), R"(number  (printing it has thrown: no\x09more))");
}

// --- what is shown, by a clock of the test ---

TEST(live_look, the_next_items_in_their_order) {
  its_time = 1'000;
  looks all(2, 400, its_clock);
  tw::pipe::chunk<int> items;
  EXPECT_FALSE(all.at(1));
  const auto what = std::make_shared<sight>(1, std::vector<std::size_t>{0}, 3);
  all.open(what);
  EXPECT_TRUE(all.at(1) && all.anywhere());
  EXPECT_FALSE(all.at(0));
  all.show(1, 1, refilled(items, 90, 9));  // another input
  all.show(1, 0, refilled(items, 0, 0));
  all.show(1, 0, refilled(items, 0, 2));
  EXPECT_TRUE(all.at(1));
  all.show(1, 0, refilled(items, 2, 5));
  ASSERT_EQ(what->items.size(), 3U);
  EXPECT_EQ(what->items[2].at, 600ns);
  EXPECT_THAT(texts(*what), ElementsAre("0", "1", "2"));
  EXPECT_FALSE(all.at(1) || all.anywhere()) << "it has all its items";
}

TEST(live_look, no_more_than_20_in_a_second) {
  its_time = 5'000'000'000;
  looks all(1, 0, its_clock);
  tw::pipe::chunk<int> items;
  const auto what = std::make_shared<sight>(0, std::vector<std::size_t>{0}, 1'000);
  all.open(what);
  const auto seen = [&] {
    all.show(0, 0, refilled(items, 0, 100));
    return texts(*what).size();
  };
  EXPECT_EQ(seen(), 20U);
  EXPECT_EQ(seen(), 0U);
  its_time += 999'999'999;
  EXPECT_EQ(seen(), 0U);
  its_time += 1;
  EXPECT_EQ(seen(), 20U);
  its_time += 1'000'000'000;
  for (int i = 0; i < 20; ++i) {
    all.show(0, 0, refilled(items, i, 1));
    its_time += 10'000'000;
  }
  EXPECT_EQ(texts(*what).size(), 20U);
  EXPECT_EQ(seen(), 0U);
  its_time += 800'000'000;  // a second after the first of them
  EXPECT_EQ(seen(), 1U);
}

TEST(live_look, two_share_what_is_printed) {
  its_time = 0;
  looks all(1, 0, its_clock);
  tw::pipe::chunk<counted> items;
  for (int i = 0; i < 30; ++i) items.emplace(counted{i});
  const auto one = std::make_shared<sight>(0, std::vector<std::size_t>{0}, 2);
  const auto other = std::make_shared<sight>(0, std::vector<std::size_t>{0}, 25);
  its_time = 2'000'000'000;
  all.open(one);
  all.open(other);
  counted::printed = 0;
  all.show(0, 0, items);
  EXPECT_EQ(counted::printed, 20);
  EXPECT_THAT(texts(*one), ElementsAre("0", "1"));
  EXPECT_EQ(texts(*other).size(), 20U);
  all.close(*other);
  EXPECT_FALSE(all.at(0));
}

TEST(live_look, looks_come_and_go_while_threads_show) {
  looks all(2, 0, []() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); });
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (std::size_t stage : {0, 0, 1}) {
    threads.emplace_back([&, stage] {
      tw::pipe::chunk<int> items;
      while (!over) {
        all.show(stage, 0, refilled(items, 0, 2));
        (void)all.wait_in(0, 2, 1);
        all.ran(0, 2, 0, 0);
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    const auto what =
        std::make_shared<sight>(static_cast<std::size_t>(i % 2), std::vector<std::size_t>{0}, 3);
    all.open(what);
    std::unique_lock hold(what->mutex);
    what->changed.wait_for(hold, 100us, [&] { return what->wanted == 0; });
    EXPECT_LE(what->items.size(), 3U);
    hold.unlock();
    all.close(*what);
  }
  const auto last = std::make_shared<sight>(0, std::vector<std::size_t>{0}, 1'000);
  all.open(last);
  all.run_over();
  EXPECT_TRUE(last->over);
  over = true;
  for (auto& one : threads) one.join();
  EXPECT_FALSE(all.anywhere());
}

// --- in runs ---

class live_look_in_a_run : public under_every_policy {};
FOR_EVERY_POLICY(live_look_in_a_run);

TEST_P(live_look_in_a_run, each_edge_of_a_line) {
  auto job = numbers() | tw::map([](int x) { return x + 1; }, {.name = "add"}) |
             tw::farm([](int x) { return -x; }, {.replicas = 2, .name = "negate"}) |
             tw::filter([](int x) { return x % 3 == 0; }, {.name = "some"}) |
             tw::sink([](int) {}, {.name = "forget"});
  auto e = tw::launch(job, policy());
  for (const auto* stage : {"add", "negate", "some", "forget"}) {
    auto look = e.look_into(stage, {.items = 3});
    EXPECT_EQ(look.to(), stage);
    const auto items = look.wait_for(60s);
    ASSERT_EQ(items.size(), 3U) << stage;
    EXPECT_TRUE(look.done());
    std::vector<int> values;
    for (const auto& item : items) values.push_back(std::stoi(item.text));
    if (std::string(stage) == "forget") {
      EXPECT_THAT(values, testing::Each(testing::ResultOf([](int x) { return x % 3; }, 0)));
    }
    EXPECT_GT(items.front().at, 0ns);
    EXPECT_LE(items[0].at, items[2].at);
  }
  auto first = e.look_into("numbers", {.items = 1});  // what it gives
  EXPECT_EQ(first.from(), "numbers");
  EXPECT_EQ(first.to(), "add");
  EXPECT_EQ(first.wait_for(60s).size(), 1U);
  e.stop();
  e.wait();
}

TEST_P(live_look_in_a_run, behind_a_rare_filter_and_a_window) {
  auto job = numbers() | tw::filter([](int x) { return x % 1'000 == 7; }, {.name = "rare"}) |
             tw::window(tw::count(5), tw::count_of(), {.name = "five"}) |
             tw::map([](const tw::windowed<long>& w) { return std::to_string(w.value) + " of them"; },
                     {.name = "print"}) |
             tw::sink([](const std::string&) {}, {.name = "forget"});
  auto e = tw::launch(job, policy());
  for (const auto* stage : {"five", "print", "forget"}) {
    auto look = e.look_into(stage, {.items = 2});
    EXPECT_EQ(look.wait_for(60s).size(), 2U) << stage;
  }
  auto look = e.look_into("forget", {.items = 1});
  EXPECT_THAT(texts(look.wait_for(60s)), ElementsAre("5 of them"));
  e.cancel();
}

TEST_P(live_look_in_a_run, keys) {
  auto job = numbers() |
             tw::farm(tw::key_by([](int x) { return x % 7; }, [](int& sum, int x) { return sum += x; }),
                      {.replicas = 2, .name = "by key"}) |
             tw::sink([](int) {}, {.name = "forget"});
  auto e = tw::launch(job, policy());
  auto look = e.look_into("numbers", {.items = 5});
  EXPECT_EQ(look.wait_for(60s).size(), 5U);
  e.cancel();
}

TEST_P(live_look_in_a_run, nothing_is_printed_unless_somebody_looks) {
  counted::printed = 0;
  auto job = numbers() | tw::map([](int x) { return counted{x}; }, {.name = "count"}) |
             tw::sink([](const counted&) {}, {.name = "forget"});
  auto e = tw::launch(job, policy());
  while (e.stats().items() < 1'000) std::this_thread::yield();
  EXPECT_EQ(counted::printed, 0);
  {
    auto look = e.look_into("forget", {.items = 4});
    EXPECT_EQ(look.wait_for(60s).size(), 4U);
    auto gone = e.look_into("forget", {.items = 1'000});
    look = std::move(gone);
  }
  e.stop();
  e.wait();
  EXPECT_GE(counted::printed, 4);
  EXPECT_LE(counted::printed, 24);
}

TEST_P(live_look_in_a_run, a_type_that_throws_does_not_fail_the_run) {
  auto job = numbers() | tw::map([](int x) { return stubborn{x}; }, {.name = "make"}) |
             tw::sink([](const stubborn&) {}, {.name = "forget"});
  auto e = tw::launch(job, policy());
  auto look = e.look_into("forget", {.items = 1});
  EXPECT_THAT(texts(look.wait_for(60s)), ElementsAre(HasSubstr("no\\x09more")));
  e.stop();
  EXPECT_GT(e.wait().items(), 0U);
}

TEST_P(live_look_in_a_run, two_at_once_and_one_that_stays_longer) {
  std::optional<tw::look> stays;
  {
    auto e = tw::launch(numbers() | tw::sink([](int) {}, {.name = "forget"}), policy());
    auto one = e.look_into("forget", {.items = 3});
    auto other = e.look_into("numbers", "forget", {.items = 3});
    EXPECT_EQ(one.wait_for(60s).size(), 3U);
    EXPECT_EQ(other.wait_for(60s).size(), 3U);
    stays = e.look_into("forget", {.items = 1'000});
    e.cancel();
    e.wait();
    EXPECT_TRUE(stays->done());
  }
  (void)stays->taken();
  EXPECT_TRUE(stays->taken().empty());
}

TEST_P(live_look_in_a_run, a_run_that_is_over) {
  auto e = tw::launch(tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {}, {.name = "forget"}), policy());
  e.wait();
  auto look = e.look_into("forget");
  EXPECT_TRUE(look.done());
  EXPECT_TRUE(look.wait_for(60s).empty());
}

TEST_P(live_look_in_a_run, the_end_of_the_run_ends_the_waiting) {
  std::atomic<bool> go{false};
  auto slow = tw::source(
      [&, n = 0]() mutable -> std::optional<int> {
        while (!go) std::this_thread::sleep_for(1ms);
        return n < 4 ? std::optional(n++) : std::nullopt;
      },
      {.name = "numbers"});
  auto e = tw::launch(slow | tw::sink([](int) {}, {.name = "forget"}), policy());
  auto look = e.look_into("forget", {.items = 1'000});
  EXPECT_TRUE(look.taken().empty());
  go = true;
  EXPECT_LE(look.wait_for(1h).size(), 4U);
  EXPECT_TRUE(look.done());
  e.wait();
}

TEST(live_look, the_edges_of_a_graph) {
  tw::graph g;
  auto left = g.add(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "left"}));
  auto right = g.add(tw::source([n = 0]() mutable -> std::optional<int> { return --n; }, {.name = "right"}));
  auto& both = g.add<tw::zip<int, int>>();
  g.configure(both, {.name = "both"});
  g.connect(left.out, both.input<0>());
  g.connect(right.out, both.input<1>());
  g.connect(both.out, g.add(tw::sink([](const std::tuple<int, int>&) {}, {.name = "forget"})).in);
  auto e = tw::launch(g);
  auto from_left = e.look_into("left", "both", {.items = 2});
  auto from_right = e.look_into("right", "both", {.items = 2});
  auto pairs = e.look_into("forget", {.items = 1});
  for (const auto& text : texts(from_left.wait_for(60s))) EXPECT_GE(std::stoi(text), 0);
  for (const auto& text : texts(from_right.wait_for(60s))) EXPECT_LT(std::stoi(text), 0);
  EXPECT_THAT(texts(pairs.wait_for(60s)), ElementsAre(StartsWith("{")));
  EXPECT_TRUE(from_left.done() && from_right.done());
  EXPECT_THAT(refusal(e, "", "both"), AllOf(HasSubstr("'left'"), HasSubstr("'right'"), HasSubstr("several")));
  e.cancel();
}

TEST(live_look, what_makes_no_sense_is_refused) {
  auto e = tw::launch(numbers() | tw::map([](int x) { return x; }, {.name = "same"}) |
                      tw::sink([](int) {}, {.name = "forget"}));
  EXPECT_THAT(refusal(e, "", "sane"), HasSubstr("did you mean 'same'?"));
  EXPECT_THAT(refusal(e, "number", "same"), HasSubstr("did you mean 'numbers'?"));
  EXPECT_THAT(refusal(e, "numbers", "forget"), HasSubstr("no edge leads from stage 'numbers' to 'forget'"));
  EXPECT_THAT(refusal(e, "", "same", 0), HasSubstr("1 to 1000"));
  EXPECT_THAT(refusal(e, "", "same", 1'001), HasSubstr("1 to 1000"));
  EXPECT_EQ(refusal(e, "", "same", 1'000), "");
  e.cancel();
}

TEST(live_look, printing_cannot_wait_for_its_run) {
  std::atomic<bool> go{false};
  const auto give = [&]() -> std::optional<waiting> {
    while (!go) std::this_thread::sleep_for(1ms);
    return waiting{};
  };
  auto e = tw::launch(tw::source(give) | tw::sink([](const waiting&) {}, {.name = "forget"}));
  waiting::run = &e;
  go = true;
  auto look = e.look_into("forget", {.items = 1});
  EXPECT_THAT(texts(look.wait_for(60s)), ElementsAre(HasSubstr("would wait for itself")));
  e.cancel();
}
