#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nexmark_q5.hpp>

#include "run.hpp"

namespace {

class NexmarkQ5 : public run_test {
 protected:
  void SetUp() override { write(events, "events 500\nseed 1\nrate 10\ngroup 1\ndisorder_ms 0\n"); }

  /// The query, with what `next(item)` gives.
  template <class Next> static void run(Next next) {
    spb::Query query;
    for (spb::Item item; next(item);) {
      spb::Generate::op(item);
      for (auto& result : query.op(item)) spb::Sink::op(result);
    }
    for (auto& result : query.end()) spb::Sink::op(result);
  }
  std::string output_of(std::initializer_list<std::string> more) {
    begin_with(events, more);
    run(spb::Source::op);
    end();
    return read(output());
  }

  const std::filesystem::path events = path("events.txt");
};

TEST_F(NexmarkQ5, EventsInMemoryGiveTheSame) {
  const auto good = output_of({});
  EXPECT_GE(std::ranges::count(good, '\n'), 29);  // windows of 58 s, every 2 s
  EXPECT_EQ(output_of({"-in-memory"}), good);
}

TEST_F(NexmarkQ5, EachSourceHasAQueryOfItsOwn) {
  const auto good = output_of({});
  begin_with(events);
  spb::Source first, second;
  first.init();
  second.init();
  run([&, turn = 0](spb::Item& item) mutable {
    return ++turn % 2 == 0 ? first.getItem(item) || second.getItem(item)
                           : second.getItem(item) || first.getItem(item);
  });
  end();
  EXPECT_EQ(read(output()), good);
  EXPECT_EQ(read(path("output.2")), good);
}

TEST_F(NexmarkQ5, TheInputTellsHowLateEventsAre) {
  write(events, "events 500\nseed 1\nrate 1000\ngroup 1\ndisorder_ms 70\n");
  begin_with(events);
  EXPECT_EQ(spb::disorder(), std::chrono::milliseconds(70));
  EXPECT_EQ(spb::longest_auction(), std::chrono::milliseconds(2 * 1'667));
  run(spb::Source::op);
  end();
}

TEST_F(NexmarkQ5, AResultHasTheTimestampOfWhatItIsMadeOf) {
  begin_with(events, {"-latency"});
  spb::Query query;
  std::vector<spb::Result> results;
  std::int64_t latest = 0;
  for (spb::Item item; spb::Source::op(item);) {
    spb::Generate::op(item);
    latest = item.timestamp;
    for (auto& result : query.op(item)) results.push_back(result);
    if (!results.empty()) break;
  }
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results.front().timestamp, latest);
  EXPECT_GT(latest, 0);
  end();
}

}  // namespace
