#include "micro/support/shapes.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "micro/peers/registry.hpp"

namespace micro {
namespace {

std::vector<std::unique_ptr<graph_peer>> all_graph_peers() {
  std::vector<std::unique_ptr<graph_peer>> peers;
  peers.push_back(make_thalweg_graphs());
  peers.push_back(make_thalweg_graphs_sequential());
  peers.push_back(make_thalweg_graphs_threads());
  return peers;
}

template <class Program> void expect_all_give(const Program& program, std::uint64_t expected) {
  for (const auto& p : all_graph_peers()) {
    const auto settings = p->contenders(program);
    EXPECT_EQ(
        std::count_if(settings.begin(), settings.end(), [](const contender& c) { return c.is_default; }), 1);
    for (const auto& c : settings) EXPECT_EQ(c.run(), expected) << c.peer << ", " << c.setting;
  }
}

TEST(multiset_sum, tells_loss_and_repetition_but_not_order) {
  const auto of = [](std::initializer_list<std::uint64_t> items) {
    multiset_sum sum;
    for (const auto x : items) sum(x);
    return sum.value();
  };
  EXPECT_EQ(of({1, 2, 3}), of({3, 1, 2}));
  EXPECT_NE(of({1, 2, 3}), of({1, 2}));
  EXPECT_NE(of({1, 2, 3}), of({1, 2, 2, 3}));
  EXPECT_NE(of({1, 4}), of({2, 3}));
}

TEST(open_table, gives_what_a_map_gives) {
  for (const std::uint32_t keys : {1U, 10U, 5'000U}) {
    std::mt19937 random(keys);
    open_table<int> table;
    std::map<std::uint32_t, int> model;
    for (int i = 0; i < 20'000; ++i) {
      const auto key = random() % keys * 2'654'435'761U;
      ASSERT_EQ(++table[key], ++model[key]);
    }
    EXPECT_EQ(table.size(), model.size());
    std::map<std::uint32_t, int> seen;
    table.for_each([&](std::uint32_t key, int times) { EXPECT_TRUE(seen.emplace(key, times).second); });
    EXPECT_EQ(seen, model);
  }
}

TEST(zipf_events, the_kth_key_is_a_kth_as_frequent_as_the_first) {
  const auto events = zipf_events(200'000, 1'000);
  ASSERT_EQ(events->size(), 200'000U);
  std::map<std::uint32_t, int> times;
  for (const auto& e : *events) ++times[e.key];
  EXPECT_GT(times.size(), 950U);
  EXPECT_LE(times.size(), 1'000U);
  std::vector<int> ranked;
  for (const auto& [key, n] : times) ranked.push_back(n);
  std::sort(ranked.rbegin(), ranked.rend());
  const double all_of_first = 200'000 / 7.485;  // the 1000th harmonic number
  for (const int k : {1, 2, 10})
    EXPECT_NEAR(ranked[static_cast<std::size_t>(k - 1)] * k / all_of_first, 1, 0.1);
  const auto again = zipf_events(200'000, 1'000);
  EXPECT_TRUE(std::equal(events->begin(), events->end(), again->begin(), [](const event& a, const event& b) {
    return a.key == b.key && a.value == b.value;
  }));
}

TEST(account, tells_the_order_of_events) {
  account one;
  account other;
  one(1);
  other(2);
  EXPECT_NE(one(2), other(1));
}

using sums = std::map<std::int64_t, std::uint64_t>;  // by the beginnings of windows

TEST(sliding_sums, gives_each_window_once_with_the_sum_of_its_readings) {
  std::mt19937 random(1);
  for (const int most_apart : {1, 5, 40, 3'000}) {
    sliding_sums windows;
    sums seen;
    sums model;
    const auto emit = [&](std::int64_t begin, std::uint64_t sum) {
      if (sum == 0) return;
      EXPECT_TRUE(seen.emplace(begin, sum).second) << begin;
    };
    std::int64_t time = window_size;
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t value = random() % 100 + 1;
      windows.add(time, value, emit);
      for (auto end = time / window_slide * window_slide + window_slide; end <= time + window_size;
           end += window_slide) {
        model[end - window_size] += value;
      }
      time += random() % most_apart;
    }
    windows.finish(emit);
    EXPECT_EQ(seen, model) << most_apart;
  }
}

TEST(readings_of, each_key_has_one_reading_at_each_time) {
  const auto readings = readings_of(3'000, 10);
  std::map<std::uint32_t, std::int64_t> next;
  for (const auto& r : *readings) {
    const auto& at = next.try_emplace(r.key, window_size).first->second;
    EXPECT_EQ(r.time, at);
    EXPECT_GT(r.value, 0U);
    ++next[r.key];
  }
  EXPECT_EQ(next.size(), 10U);
}

TEST(loops, all_tables_give_the_same) {
  const keyed_program program{10'000, zipf_events(10'000, 500)};
  EXPECT_EQ(loop_of_standard_table(program).run(), loop(program).run());
}

TEST(graph_peers, fans_and_diamonds_give_what_the_loop_gives) {
  for (const std::uint64_t items : {0, 1, 7, 5'000}) {
    const fan_program fan{items, {5}};
    expect_all_give(fan, loop(fan).run());
    const ordered_fan_program ordered{items, {5}};
    expect_all_give(ordered, loop(ordered).run());
    const diamond_program diamond{items, {5}, {6}};
    expect_all_give(diamond, loop(diamond).run());
  }
}

TEST(graph_peers, keys_and_windows_give_what_the_loop_gives) {
  for (const std::uint64_t items : {0, 1, 20'000}) {
    const keyed_program keyed{items, zipf_events(items, 1'000)};
    expect_all_give(keyed, loop(keyed).run());
    for (const std::uint32_t keys : {1, 20}) {
      const windows_program windows{items, keys, readings_of(items, keys)};
      expect_all_give(windows, loop(windows).run());
    }
  }
}

TEST(graph_peers, a_shorter_program_takes_the_first_of_its_input) {
  const auto input = zipf_events(1'000, 10);
  const keyed_program all{1'000, input};
  const keyed_program some{300, input};
  EXPECT_NE(loop(all).run(), loop(some).run());
  expect_all_give(some, loop(some).run());
}

}  // namespace
}  // namespace micro
