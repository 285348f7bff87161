// Consumer groups: members share the partitions of a topic, and the group goes on where it has come to.
#include <thalweg/net/kafka.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/kafka_topics.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

namespace {

using message = tw::kafka_message<int>;

class KafkaGroup : public kafka_topics {
 protected:
  static tw::kafka_source_options in(tw::kafka_group group, tw::kafka_end end = tw::kafka_end::last) {
    auto how = reading(end);
    how.come_within = 60s;
    // About so long the brokers that are none wait for all members, when one has come or gone.
    how.settings.insert(how.settings.end(),
                        {{"session.timeout.ms", "6000"}, {"heartbeat.interval.ms", "200"}});
    how.group = std::move(group);
    return how;
  }
};

TEST_F(KafkaGroup, GoesOnWhereItHasComeTo) {
  const auto topic = new_topic(2);
  send(numbers(10), topic);
  EXPECT_THAT(all_of<int>(topic, in("a")), UnorderedElementsAreArray(numbers(10)));
  EXPECT_TRUE(all_of<int>(topic, in("a")).empty());
  send(numbers(5, 10), topic);
  EXPECT_THAT(all_of<int>(topic, in("a")), UnorderedElementsAreArray(numbers(5, 10)));
  EXPECT_THAT(all_of<int>(topic, in("b")), UnorderedElementsAreArray(numbers(15)));  // another one
  auto late = in("c");
  late.start = tw::kafka_start::next;
  EXPECT_TRUE(all_of<int>(topic, late).empty());
}

TEST_F(KafkaGroup, AnItemOnWhichARunHasFailedComesAgain) {
  const auto topic = new_topic(1);
  send(numbers(10), topic);
  std::vector<int> seen;
  const auto f = failure_of([&] {
    tw::run(tw::kafka_source<int>(topic, in("a")) | tw::sink([&](int x) {
              if (x == 6) throw std::runtime_error("broken on purpose");
              seen.push_back(x);
            }),
            tw::sequential{});
  });
  EXPECT_THAT(f.cause, HasSubstr("broken on purpose"));
  EXPECT_EQ(seen, numbers(6));
  EXPECT_EQ(all_of<int>(topic, in("a")), numbers(4, 6));
}

TEST_F(KafkaGroup, GoesOnBehindWhatIsDone) {
  const auto topic = new_topic(1);
  send(numbers(10), topic);
  const tw::kafka_progress done;
  std::vector<message> seen;
  tw::run(tw::kafka_source<message>(topic, in({"a", done})) | tw::sink([&](const message& one) {
            seen.push_back(one);
            const int x = *one.value;
            // 0 to 4, and 7 before 3; 5 is never done.
            if (x < 3 || x == 4) done(one);
            if (x == 7) done(one), done(seen[3]);
          }));
  ASSERT_EQ(seen.size(), 10U);
  EXPECT_EQ(all_of<int>(topic, in("a")), numbers(5, 5));
}

TEST_F(KafkaGroup, WhatIsDoneAfterTheEndOfTheStreamCounts) {
  const auto topic = new_topic(1);
  send(numbers(10), topic);
  const tw::kafka_progress done;
  std::vector<message> seen;
  tw::run(tw::kafka_source<message>(topic, in({"a", done})) |
          tw::sink([&](const message& one) { seen.push_back(one); }));
  for (const auto& one : seen) done(one);  // too late: the member has left
  EXPECT_EQ(all_of<int>(topic, in("a")), numbers(10));
}

TEST_F(KafkaGroup, MembersShareThePartitions) {
  const auto topic = new_topic(4);
  std::mutex mutex;
  std::map<int, std::vector<message>> seen;  // by member
  std::atomic<int> came{0};
  const auto member = [&](int which) {
    return tw::launch(tw::kafka_source<message>(topic, in("a", tw::kafka_end::never)) |
                      tw::sink([&, which](const message& one) {
                        const std::lock_guard held(mutex);
                        seen[which].push_back(one);
                        ++came;
                      }));
  };
  auto one = member(1), two = member(2);
  // Until both have been given some.
  int sent = 0;
  EXPECT_TRUE(eventually([&] {
    tw::run(tw::source(numbers(20, 20 * sent++)) |
            tw::kafka_sink<int>(topic, {.key = [](int x) { return std::to_string(x); }}));
    const std::lock_guard held(mutex);
    return !seen[1].empty() && !seen[2].empty();
  }));
  EXPECT_TRUE(eventually([&] { return came >= 20 * sent; }));
  one.stop();
  two.stop();
  one.wait();
  two.wait();
  std::vector<int> all;
  for (const auto& [which, of_it] : seen) {
    std::map<std::int32_t, std::int64_t> last;
    for (const auto& m : of_it) {
      all.push_back(*m.value);
      const auto [place, first] = last.try_emplace(m.partition, m.offset);
      EXPECT_TRUE(first || m.offset > place->second) << "the order of a partition";
      place->second = m.offset;
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());  // at least once
  EXPECT_EQ(all, numbers(20 * sent));
  EXPECT_TRUE(all_of<int>(topic, in("a")).empty());
}

TEST_F(KafkaGroup, WhatAMemberCannotHaveIsSaid) {
  const auto topic = new_topic(1);
  const auto problem = [&](tw::kafka_source_options how) {
    return problems_of([&] { tw::run(tw::kafka_source<int>(topic, how) | tw::sink([](int) {})); }).at(0);
  };
  auto how = in("a");
  how.start = tw::kafka_start::offset(3);
  EXPECT_THAT(problem(how), HasSubstr("the group 'a' goes on where it has come to"));
  EXPECT_THAT(problem(in("a", tw::kafka_end::mark)), HasSubstr("cannot tell where it ends"));
}

}  // namespace
