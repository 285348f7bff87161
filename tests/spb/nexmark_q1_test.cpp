#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nexmark_q1.hpp>

#include "run.hpp"

namespace {

using testing::ExitedWithCode;

/// A hundred seconds with two events each.
class NexmarkQ1 : public run_test {
 protected:
  void SetUp() override { write(events, "events 200\nseed 1\nrate 2\ngroup 7\ndisorder_ms 0\n"); }
  std::string run(std::initializer_list<std::string> more, void (*stream)()) {
    begin_with(events, more);
    stream();
    end();
    return read(output());
  }

  const std::filesystem::path events = path("events.txt");
};

TEST_F(NexmarkQ1, BidsMayComeInAnyOrder) {
  using namespace spb;
  const auto good = run({}, run_in_order<Item, Source, Generate, Convert, Sink>);
  EXPECT_TRUE(good.starts_with("1436918402,2,")) << good;  // a person and three auctions come first
  EXPECT_EQ(run({}, run_in_reverse<Item, Source, Generate, Convert, Sink>), good);
  EXPECT_EQ(run({}, run_in_two_threads<Item, Source, Generate, Convert, Sink>), good);
  EXPECT_EQ(run({"-in-memory"}, run_in_order<Item, Source, Generate, Convert, Sink>), good);
}

TEST_F(NexmarkQ1, ItemsHaveOneEventEach) {
  begin_with(events, {"-batch-size", "4"});
  run_in_order<spb::Item, spb::Source, spb::Generate, spb::Convert, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1),
              "items of Nexmark have one event each: there can be no larger batches");
}

TEST_F(NexmarkQ1, TheInputIsNeverTheOutput) {
  are_never_the_output(events, {events});
}

}  // namespace
