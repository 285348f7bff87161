// Consumer groups: members share the partitions of a topic, and the group goes on where it has come to.
#include <thalweg/net/kafka.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
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
using testing::Not;
using testing::UnorderedElementsAreArray;

namespace {

using message = tw::kafka_message<int>;

tw::kafka_group taken_by(const std::string& name) {
  return tw::kafka_group::when_taken(name);
}

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
  EXPECT_THAT(all_of<int>(topic, in(taken_by("a"))), UnorderedElementsAreArray(numbers(10)));
  EXPECT_TRUE(all_of<int>(topic, in(taken_by("a"))).empty());
  send(numbers(5, 10), topic);
  EXPECT_THAT(all_of<int>(topic, in(taken_by("a"))), UnorderedElementsAreArray(numbers(5, 10)));
  EXPECT_THAT(all_of<int>(topic, in(taken_by("b"))), UnorderedElementsAreArray(numbers(15)));  // another one
  auto late = in(taken_by("c"));
  late.start = tw::kafka_start::next;
  EXPECT_TRUE(all_of<int>(topic, late).empty());
}

TEST_F(KafkaGroup, ThatBeginsAtTheEndGoesOnFromThere) {
  const auto topic = new_topic(2);
  send(numbers(10), topic);
  auto how = in(taken_by("a"));
  how.start = tw::kafka_start::next;
  EXPECT_TRUE(all_of<int>(topic, how).empty());
  send(numbers(10, 10), topic);  // while it has no member
  EXPECT_THAT(all_of<int>(topic, how), UnorderedElementsAreArray(numbers(10, 10)));
}

TEST_F(KafkaGroup, WhatARunThatFailedHadNotDoneComesAgain) {
  const auto topic = new_topic(1);
  send(numbers(2'000), topic);
  std::vector<int> seen;
  const tw::kafka_progress done;
  const auto f = failure_of([&] {
    tw::run(tw::kafka_source<message>(topic, in({"a", done})) | tw::sink([&](const message& one) {
              if (*one.value == 6) throw std::runtime_error("broken on purpose");
              seen.push_back(*one.value);
              done(one);
            }));
  });
  EXPECT_THAT(f.cause, HasSubstr("broken on purpose"));
  EXPECT_EQ(seen, numbers(6));
  EXPECT_EQ(all_of<int>(topic, in(taken_by("a"))), numbers(1'994, 6));
}

TEST_F(KafkaGroup, WhatIsPassedOverIsDone) {
  const auto topic = new_topic(1);
  {
    const raw_producer others(topic);
    for (const auto* text : {"1234", "123", "5678"}) others.say(text);
  }
  const tw::kafka_progress done;
  int seen = 0;
  tw::run(tw::kafka_source<message>(topic, in({"a", done}), {.on_error = tw::skip}) |
          tw::sink([&](const message& one) { ++seen, done(one); }));
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(all_of<int>(topic, in(taken_by("a"))).empty());
}

TEST_F(KafkaGroup, ABrokerThatIsGoneIsNotWaitedFor) {
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  mine.make(topic.name, 1);
  send(numbers(3), topic);
  std::atomic<int> came{0};
  auto run = tw::launch(tw::kafka_source<int>(topic, in(taken_by("a"), tw::kafka_end::never)) |
                        tw::sink([&](int) { ++came; }));
  EXPECT_TRUE(eventually([&] { return came == 3; }));
  rd_kafka_mock_broker_set_down(mine.get(), -1);
  run.cancel();
  EXPECT_TRUE(eventually([&] { return run.done(); }));  // without a limit it takes 45 s
  run.wait();
}

TEST_F(KafkaGroup, ABrokerThatDoesNotAnswerIsNotWaitedFor) {
  const mock_cluster mine;
  const tw::kafka_topic topic{mine.where(), "numbers"};
  mine.make(topic.name, 1);
  send(numbers(3), topic);
  auto how = in(taken_by("a"), tw::kafka_end::never);
  how.settings.insert(how.settings.end(),
                      {{"session.timeout.ms", "120000"}, {"socket.timeout.ms", "120000"}});
  std::atomic<int> came{0};
  std::optional run(tw::launch(tw::kafka_source<int>(topic, how) | tw::sink([&](int) { ++came; })));
  EXPECT_TRUE(eventually([&] { return came == 3; }));
  rd_kafka_mock_broker_set_rtt(mine.get(), 1, 120'000);
  std::this_thread::sleep_for(1s);  // it has asked something
  std::atomic<bool> gone{false};
  const std::jthread ending([&] {
    run->cancel();
    run.reset();
    gone = true;
  });
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
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
  EXPECT_EQ(all_of<int>(topic, in(taken_by("a"))), numbers(5, 5));
}

TEST_F(KafkaGroup, WhatIsDoneWhenTheRunIsOverIsTooLate) {
  const auto topic = new_topic(1);
  send(numbers(10), topic);
  const tw::kafka_progress done;
  std::vector<message> seen;
  tw::run(tw::kafka_source<message>(topic, in({"a", done})) |
          tw::sink([&](const message& one) { seen.push_back(one); }));
  for (const auto& one : seen) done(one);  // the member has left
  EXPECT_EQ(all_of<int>(topic, in(taken_by("a"))), numbers(10));
}

TEST_F(KafkaGroup, MembersShareThePartitions) {
  const auto topic = new_topic(4);
  std::mutex mutex;
  std::map<int, int> of_member;
  std::set<int> all;  // when members come and go, some come again
  const auto member = [&](int which) {
    return tw::launch(tw::kafka_source<int>(topic, in(taken_by("a"), tw::kafka_end::never)) |
                      tw::sink([&, which](int x) {
                        const std::lock_guard held(mutex);
                        ++of_member[which];
                        all.insert(x);
                      }));
  };
  auto one = member(1), two = member(2);
  int sent = 0;
  EXPECT_TRUE(eventually([&] {
    tw::run(tw::source(numbers(20, 20 * sent++)) |
            tw::kafka_sink<int>(topic, {.key = [](int x) { return std::to_string(x); }}));
    const std::lock_guard held(mutex);
    return of_member[1] > 0 && of_member[2] > 0;
  }));
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard held(mutex);
    return all.size() == static_cast<std::size_t>(20 * sent);
  }));
  one.stop();
  two.stop();
  one.wait();
  two.wait();
}

TEST_F(KafkaGroup, WhatAMemberCannotHaveIsSaid) {
  const auto topic = new_topic(1);
  const auto problem = [&](tw::kafka_source_options how) {
    return problems_of([&] { tw::run(tw::kafka_source<int>(topic, how) | tw::sink([](int) {})); }).at(0);
  };
  auto how = in(taken_by("a"));
  how.start = tw::kafka_start::offset(3);
  EXPECT_THAT(problem(how), HasSubstr("the group 'a' goes on where it left off"));
  how = in(taken_by("a"));
  how.broken = tw::kafka_broken::go_on;
  EXPECT_THAT(problem(how), HasSubstr(".broken does nothing"));
  EXPECT_THAT(problem(in({"", tw::kafka_progress()})), HasSubstr("a consumer group has no name"));
  EXPECT_THAT(problem(in(taken_by("a"), tw::kafka_end::mark)), HasSubstr("cannot find its end"));
  const tw::kafka_progress done;
  const tw::net::kafka_member one(topic, {"a", done}, {.settings = impatient});
  EXPECT_THAT(failure_of_source<message>(topic, in({"a", done})), HasSubstr("only one source at a time"));
  send(std::vector<std::string>{"text"}, topic);
  EXPECT_THAT(failure_of_source<int>(topic, in(taken_by("b"))),
              HasSubstr("has items of 'text', but this source takes 'i32'"));
  const auto strange = new_topic(1);
  raw_producer(strange).say(raw_producer::hello("\x1b[2J"), raw_producer::label(1, 7, 0));
  EXPECT_THAT(failure_of_source<int>(strange, in(taken_by("b"))), Not(HasSubstr("\x1b")));
}

}  // namespace
