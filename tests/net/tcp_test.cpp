// Streams over TCP: what comes, in which order, and what becomes of peers that break, lie, or are somebody
// else.
#include <thalweg/net/tcp.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "net/raw_peer.hpp"
#include "net/sending.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

struct reading {
  std::string sensor;
  std::vector<double> values;
  std::optional<int> code{};
  bool operator==(const reading&) const = default;
};

struct point {
  int x = 0, y = 0;
  bool operator==(const point&) const = default;
};

}  // namespace

template <>
struct tw::codec<reading> : tw::codec_of_members<&reading::sensor, &reading::values, &reading::code> {};

namespace {

const std::string somewhere = "127.0.0.1:0";

template <class T> std::vector<T> sent_and_received(const std::vector<T>& items) {
  const tw::tcp_listener here(somewhere);
  sending sender(tw::source(items) | tw::tcp_sink<T>(here.where()));
  std::vector<T> seen;
  tw::run(tw::tcp_source<T>(here) | tw::sink(seen));
  EXPECT_EQ(sender.failure(), "");
  return seen;
}

/// Runs a source that must fail, and tells why.
template <class T>
std::string failure_of_source(const tw::tcp_listener& here, tw::tcp_source_options how = {}) {
  return failure_of([&] { tw::run(tw::tcp_source<T>(here, how) | tw::sink([](const T&) {})); }).cause;
}

std::vector<int> numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Tcp, ItemsOfAllKindsComeAsTheyWere) {
  const std::vector<std::string> texts{"one", "", std::string(300'000, 'x'), "two"};
  EXPECT_TRUE(sent_and_received(texts) == texts);
  const std::vector<point> points{{1, 2}, {-3, 4}};
  EXPECT_EQ(sent_and_received(points), points);
  const std::vector<reading> readings{{"a", {1.5, -2}, 7}, {"", {}, {}}};
  EXPECT_EQ(sent_and_received(readings), readings);
  const std::vector<std::vector<std::byte>> blocks{{}, std::vector<std::byte>(70'000, std::byte{5})};
  EXPECT_EQ(sent_and_received(blocks), blocks);
  EXPECT_TRUE(sent_and_received(std::vector<int>{}).empty());
}

TEST(Tcp, ManySmallItemsComeInOrder) {
  const auto all = numbers(scaled(200'000));
  EXPECT_TRUE(sent_and_received(all) == all);
}

TEST(Tcp, WhatIsNotThereInTimeIsToldSo) {
  const tw::tcp_listener here(somewhere);
  std::atomic<int> allowed{1};
  sending sender(tw::source([&allowed, n = 0]() mutable -> std::optional<int> {
                   if (n == 2) return {};
                   while (allowed <= n) std::this_thread::sleep_for(1ms);
                   return n++;
                 }) |
                 tw::tcp_sink<int>(here.where()));
  tw::net::inlet from(here, {});
  const auto soon = [] { return tw::observe::now_ns() + 20'000'000; };
  const auto late = [] { return tw::observe::now_ns() + 10'000'000'000; };
  ASSERT_TRUE(from.ready_by(late()));  // somebody has come
  ASSERT_TRUE(from.next());
  const auto begin = tw::observe::now_ns();
  EXPECT_FALSE(from.ready_by(soon()));
  EXPECT_GE(tw::observe::now_ns() - begin, 15'000'000);
  allowed = 2;
  EXPECT_TRUE(from.ready_by(late()));
  ASSERT_TRUE(from.next());
  EXPECT_TRUE(from.ready_by(late()));  // the end
  EXPECT_FALSE(from.next());
  EXPECT_TRUE(from.ended());
  EXPECT_TRUE(from.ready_by(soon()));
  EXPECT_EQ(sender.failure(), "");
}

TEST(Tcp, BothSidesMayWaitForEver) {
  constexpr auto ever = std::chrono::milliseconds::max();
  const tw::tcp_listener here(somewhere);
  std::optional<sending> sender;
  std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    sender.emplace(tw::source(numbers(3)) | tw::tcp_sink<int>(here.where(), {.connect_within = ever}));
  });
  std::vector<int> seen;
  tw::run(tw::tcp_source<int>(here, {.come_within = ever, .return_within = ever}) | tw::sink(seen));
  later.join();
  EXPECT_EQ(sender->failure(), "");
  EXPECT_EQ(seen, numbers(3));
}

TEST(Tcp, AnItemDoesNotWaitForOthers) {
  const tw::tcp_listener here(somewhere);
  std::atomic<int> came{0};
  sending sender(tw::source([&came, n = 0]() mutable -> std::optional<int> {
                   if (n == 3) return {};
                   // The next one is given when the last one has come through.
                   return eventually([&] { return came == n; }) ? std::optional(n++) : std::nullopt;
                 }) |
                 tw::tcp_sink<int>(here.where()));
  tw::run(tw::tcp_source<int>(here) | tw::sink([&](int) { ++came; }));
  EXPECT_EQ(came, 3);
  EXPECT_EQ(sender.failure(), "");
}

TEST(Tcp, StreamsFollowEachOtherAtOnePort) {
  const tw::tcp_listener here(somewhere);
  for (int stream = 0; stream < 2; ++stream) {
    sending sender(tw::source(numbers(10)) | tw::tcp_sink<int>(here.where()));
    int n = 0;
    tw::run(tw::tcp_source<int>(here) | tw::sink([&](int) { ++n; }));
    EXPECT_EQ(n, 10);
    EXPECT_EQ(sender.failure(), "");
  }
}

TEST(Tcp, TheSenderMayComeFirstAndTheReceiverLater) {
  std::uint16_t port = 0;
  {
    const tw::tcp_listener free(somewhere);
    port = free.port();
  }
  const auto where = "127.0.0.1:" + std::to_string(port);
  sending sender(tw::source(numbers(5)) | tw::tcp_sink<int>(where));
  std::this_thread::sleep_for(50ms);
  std::vector<int> seen;
  tw::run(tw::tcp_source<int>(tw::tcp_listener(where)) | tw::sink(seen));
  EXPECT_EQ(seen, numbers(5));
  EXPECT_EQ(sender.failure(), "");
}

TEST(Tcp, BothKindsOfAddresses) {
  for (const auto* at : {"[::1]:0", ":0"}) {
    std::optional<tw::tcp_listener> here;
    try {
      here.emplace(at);
    } catch (const tw::network_error&) {
      continue;  // this machine has no such address
    }
    const auto port = std::to_string(here->port());
    sending sender(tw::source(numbers(3)) |
                   tw::tcp_sink<int>((at[0] == '[' ? "[::1]:" : "127.0.0.1:") + port));
    std::vector<int> seen;
    tw::run(tw::tcp_source<int>(*here) | tw::sink(seen));
    EXPECT_EQ(seen, numbers(3));
    EXPECT_EQ(sender.failure(), "");
  }
}

TEST(Tcp, ASlowReaderHoldsItsSenderUp) {
  const tw::tcp_listener here(somewhere);
  constexpr int items = 400;
  constexpr std::size_t size = 200'000;  // 80 MB, more than the system buffers
  std::atomic<int> given{0};
  std::atomic<bool> go_on{false};
  sending sender(tw::source([&given]() -> std::optional<std::string> {
                   if (given == items) return {};
                   return std::string(size, static_cast<char>('a' + given++ % 26));
                 }) |
                 tw::tcp_sink<std::string>(here.where(), {.capacity = 1U << 20U}, {.capacity = 1}));
  int n = 0;
  std::jthread receiver([&] {
    tw::run(tw::tcp_source<std::string>(here) |
                tw::sink(
                    [&](const std::string& text) {
                      EXPECT_TRUE(eventually([&] { return go_on.load(); }));
                      EXPECT_TRUE(text == std::string(size, static_cast<char>('a' + n % 26)));
                      ++n;
                    },
                    {.capacity = 1}),
            tw::threads{});
  });
  // The sender comes to a halt, long before its end.
  int before = -1;
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(100ms);
    return std::exchange(before, given.load()) == given && given > 0;
  }));
  EXPECT_LT(given, items);
  go_on = true;
  receiver.join();
  EXPECT_EQ(n, items);
  EXPECT_EQ(sender.failure(), "");
}

/// Carries bytes between a sender and a receiver, and breaks the connection now and then.
class bad_line {
 public:
  bad_line(std::uint16_t to, std::vector<std::size_t> lengths) : to_(to), lengths_(std::move(lengths)) {
    thread_ = std::jthread([this] {
      for (std::size_t one = 0; !done_; ++one) {
        const auto sender = at_.accepted();
        if (done_) return;
        const auto receiver = raw_peer::connected_to(to_);
        carry(sender, receiver, one < lengths_.size() ? lengths_[one] : std::string::npos);
        ++connections_;
      }
    });
  }
  ~bad_line() {
    done_ = true;
    const auto last = raw_peer::connected_to(at_.port());
    thread_.join();
  }
  std::string where() const { return "127.0.0.1:" + std::to_string(at_.port()); }
  int connections() const { return connections_; }

 private:
  static void carry(const raw_peer& sender, const raw_peer& receiver, std::size_t most) {
    pollfd both[2] = {{sender.fd(), POLLIN, 0}, {receiver.fd(), POLLIN, 0}};
    for (std::size_t carried = 0; carried < most;) {
      ::poll(both, 2, -1);
      for (int side = 0; side < 2; ++side) {
        if (both[side].revents == 0) continue;
        char some[1024];
        const auto got = ::recv(both[side].fd, some, std::min(sizeof some, most - carried), 0);
        const auto& other = side == 0 ? receiver : sender;
        if (got <= 0 || !other.say({some, static_cast<std::size_t>(got)})) return;
        if (side == 0) carried += static_cast<std::size_t>(got);
        if (carried == most) return;
      }
    }
  }

  raw_peer at_ = raw_peer::listening();
  std::uint16_t to_;
  std::vector<std::size_t> lengths_;
  std::atomic<bool> done_{false};
  std::atomic<int> connections_{0};
  std::jthread thread_;
};

TEST(Tcp, ASenderOnTheSameMachineHasTheSameClock) {
  const tw::tcp_listener here(somewhere);
  sending sender(tw::source(numbers(3)) | tw::tcp_sink<int>(here.where()));
  tw::net::inlet from(here, {});
  while (from.next()) {
  }
  EXPECT_EQ(from.clock().by, tw::net::sender_clock::relation::shared);
  EXPECT_EQ(from.clock().ahead_ns, 0);
}

TEST(Tcp, TheClockOfASenderOnAnotherMachineIsAskedFor) {
  const tw::tcp_listener here(somewhere);
  constexpr std::int64_t ahead = 5'000'000'000'000;
  const auto peer = raw_peer::connected_to(here.port());
  peer.say(hello_bytes(1, "i32", 2, "of another machine"));
  std::jthread sender([&] {
    (void)peer.hear(answer_bytes().size());
    for (int i = 0; i < 8; ++i) {
      (void)peer.hear(8);
      // Some answers are long under way: they must not count.
      const auto now = tw::observe::now_ns();
      if (i % 2 == 0) std::this_thread::sleep_for(30ms);
      peer.say(bytes_of(static_cast<std::uint64_t>(now + ahead)));
    }
    peer.say(bytes_of(std::uint32_t{4}) + bytes_of(7));
  });
  tw::net::inlet from(here, {});
  ASSERT_TRUE(from.next());
  const auto clock = from.clock();
  EXPECT_EQ(clock.by, tw::net::sender_clock::relation::asked);
  EXPECT_LT(clock.within_ns, 10'000'000);
  EXPECT_NEAR(static_cast<double>(clock.ahead_ns), static_cast<double>(ahead),
              static_cast<double>(clock.within_ns) + 1);
}

TEST(Tcp, AConnectionThatBreaksLosesNothingAndDoublesNothing) {
  const tw::tcp_listener here(somewhere);
  // Within the greeting, within a frame's head, within frames.
  bad_line line(here.port(), {10, 60, 61, 62, 63, 500, 5'000, 5'001, 70'000, 70'001, 200'000, 1'000});
  std::vector<std::string> all;
  for (int i = 0; i < 3'000; ++i)
    all.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) % 400, '.'));
  sending sender(tw::source(all) | tw::tcp_sink<std::string>(line.where(), {.capacity = 100'000}));
  std::vector<std::string> seen;
  tw::run(tw::tcp_source<std::string>(here, {.return_within = 5s}) | tw::sink(seen));
  EXPECT_EQ(sender.failure(), "");
  EXPECT_TRUE(seen == all);
  EXPECT_GE(line.connections(), 9);
}

TEST(Tcp, WhoIsNoSenderIsToldAndNamed) {
  const tw::tcp_listener here(somewhere);
  std::string answer;
  std::jthread browser([&] {
    const auto peer = raw_peer::connected_to(here.port());
    peer.say("GET / HTTP/1.1\r\n\r\n");
    answer = peer.hear();
  });
  const auto why = failure_of_source<int>(here);
  EXPECT_THAT(why, HasSubstr("127.0.0.1:"));
  EXPECT_THAT(why, HasSubstr("refused at " + here.where()));
  EXPECT_THAT(why, HasSubstr("'GET / HTTP/1"));
  browser.join();
  EXPECT_THAT(answer, HasSubstr("does not speak the protocol of streams"));
}

TEST(Tcp, ASenderOfAnotherVersionIsRefused) {
  const tw::tcp_listener here(somewhere);
  const auto peer = raw_peer::connected_to(here.port());
  peer.say(hello_bytes(1, "i32", 3));
  EXPECT_THAT(failure_of_source<int>(here), HasSubstr("speaks version 3"));
}

TEST(Tcp, ASenderOfOtherItemsIsRefused) {
  const tw::tcp_listener here(somewhere);
  sending sender(tw::source(std::vector<std::string>{"a"}) | tw::tcp_sink<std::string>(here.where()));
  const auto* const both = "it sends items of 'text', but this source takes 'i32'";
  EXPECT_THAT(failure_of_source<int>(here), HasSubstr(both));
  EXPECT_THAT(sender.failure(), HasSubstr(here.where() + " refuses: " + both));
}

TEST(Tcp, WhoOnlyLooksWhetherSomebodyListensDoesNoHarm) {
  const tw::tcp_listener here(somewhere);
  { const auto peer = raw_peer::connected_to(here.port()); }
  sending sender(tw::source(numbers(3)) | tw::tcp_sink<int>(here.where()));
  std::vector<int> seen;
  tw::run(tw::tcp_source<int>(here) | tw::sink(seen));
  EXPECT_EQ(seen, numbers(3));
}

TEST(Tcp, WhoSaysNothingIsPassedOver) {
  const tw::tcp_listener here(somewhere);
  const auto silent = raw_peer::connected_to(here.port());
  sending sender(tw::source(numbers(3)) | tw::tcp_sink<int>(here.where()));
  std::vector<int> seen;
  tw::run(tw::tcp_source<int>(here) | tw::sink(seen));
  EXPECT_EQ(seen, numbers(3));
  EXPECT_EQ(sender.failure(), "");
}

// A relay between the two may have lost one side of a connection, and keep the other.
TEST(Tcp, ASenderMayComeBackWhileItsOldConnectionLooksAlive) {
  const tw::tcp_listener here(somewhere);
  const auto item = [](int x) { return bytes_of(std::uint32_t{4}) + bytes_of(x); };
  std::atomic<int> came{0};
  std::string goes_on;
  std::jthread sender([&] {
    const auto old = raw_peer::connected_to(here.port());
    old.say(hello_bytes(1, "i32") + item(10));
    EXPECT_TRUE(eventually([&] { return came == 1; }));
    old.say(item(11).substr(0, 6));
    const auto other = raw_peer::connected_to(here.port());  // of the next stream: it waits for its turn
    other.say(hello_bytes(2, "i32"));
    const auto now = raw_peer::connected_to(here.port());
    now.say(hello_bytes(1, "i32"));
    goes_on = now.hear(answer_bytes().size());
    now.say(item(11) + item(12) + bytes_of(std::uint32_t{0xFFFF'FFFF}) + bytes_of(std::uint64_t{3}));
    (void)now.hear();
    other.say(item(20) + bytes_of(std::uint32_t{0xFFFF'FFFF}) + bytes_of(std::uint64_t{1}));
    (void)other.hear();
  });
  std::vector<int> seen, next;
  tw::run(tw::tcp_source<int>(here) | tw::sink([&](int x) {
            seen.push_back(x);
            ++came;
          }));
  EXPECT_EQ(seen, (std::vector{10, 11, 12}));
  tw::run(tw::tcp_source<int>(here) | tw::sink(next));
  EXPECT_EQ(next, std::vector{20});
  sender.join();
  EXPECT_EQ(goes_on, answer_bytes(1));
}

TEST(Tcp, ASenderThatHasLeftWhileItWaitedIsForgotten) {
  const tw::tcp_listener here(somewhere);
  const auto item = [](int x) { return bytes_of(std::uint32_t{4}) + bytes_of(x); };
  const auto end = [](std::uint64_t items) { return bytes_of(std::uint32_t{0xFFFF'FFFF}) + bytes_of(items); };
  std::atomic<int> came{0};
  std::jthread first([&] {
    const auto peer = raw_peer::connected_to(here.port());
    peer.say(hello_bytes(1, "i32") + item(0));
    EXPECT_TRUE(eventually([&] { return came == 1; }));
    {
      const auto other = raw_peer::connected_to(here.port());
      other.say(hello_bytes(2, "i32") + item(99));
      // Who looks for the item behind the next one has seen that this has come.
      for (int x = 1; x < 3; ++x) {
        peer.say(item(x));
        EXPECT_TRUE(eventually([&] { return came == x + 1; }));
      }
    }
    peer.say(end(3));
    (void)peer.hear();
  });
  tw::run(tw::tcp_source<int>(here) | tw::sink([&](int) { ++came; }));
  first.join();
  sending sender(tw::source(numbers(5)) | tw::tcp_sink<int>(here.where()));
  std::vector<int> seen;
  tw::run(tw::tcp_source<int>(here) | tw::sink(seen));
  EXPECT_EQ(seen, numbers(5));
  EXPECT_EQ(sender.failure(), "");
}

TEST(Tcp, AReceiverThatDoesNotAnswerAgainIsGivenUp) {
  const auto listener = raw_peer::listening();
  const auto where = "127.0.0.1:" + std::to_string(listener.port());
  raw_peer mute;
  std::jthread server([&] {
    {
      const auto peer = listener.accepted();
      peer.say(answer_bytes());
      (void)peer.hear(hello_bytes(1, "i32").size());
    }
    mute = listener.accepted();
  });
  sending sender(tw::source([n = 0]() mutable -> std::optional<int> {
                   std::this_thread::sleep_for(1ms);
                   return n++;
                 }) |
                 tw::tcp_sink<int>(where, {.connect_within = 300ms}));
  EXPECT_THAT(sender.failure(), HasSubstr("and cannot be made again: it does not answer; tried for 300 ms"));
}

// The stream itself is broken: there is no item that could be left out.
TEST(Tcp, WhatBreaksTheStreamIsToldUnderEveryPolicy) {
  for (const auto& policy : {tw::stop, tw::skip, tw::retry(2, 1ms), tw::retry(2, 1ms).then(tw::skip)}) {
    const tw::tcp_listener here(somewhere);
    sending sender(tw::source([n = 0]() mutable -> std::optional<int> {
                     if (n < 3) return n++;
                     throw std::runtime_error("the sensor burns");
                   }) |
                   tw::tcp_sink<int>(here.where()));
    const auto why = failure_of([&] {
                       tw::run(tw::tcp_source<int>(here, {}, {.on_error = policy}) | tw::sink([](int) {}));
                     }).cause;
    EXPECT_THAT(why, HasSubstr("has given up its stream"));
  }
}

// The receiver waits for as long as it takes: it must hear of a run that has come to nothing.
TEST(Tcp, ASenderThatFailsBeforeItsFirstItemTellsTheReceiver) {
  for (const auto& policy : {tw::any_policy(tw::sequential()), tw::any_policy(tw::threads()),
                             tw::any_policy(tw::threads(3)), tw::any_policy(tw::pool(2))}) {
    const tw::tcp_listener here(somewhere);
    sending sender(
        tw::source([]() -> std::optional<int> { throw std::runtime_error("there is no sensor"); }) |
            tw::map([](int x) { return x; }) | tw::tcp_sink<int>(here.where()),
        policy);
    EXPECT_THAT(failure_of_source<int>(here), HasSubstr("has given up its stream"));
    EXPECT_THAT(sender.failure(), HasSubstr("there is no sensor"));
  }
}

TEST(Tcp, AReceiverThatIsNoneIsNamed) {
  const auto listener = raw_peer::listening();
  std::jthread server([&] {
    const auto peer = listener.accepted();
    peer.say("220 mail.example ESMTP\r\n");
    (void)peer.hear();
  });
  const auto where = "127.0.0.1:" + std::to_string(listener.port());
  sending sender(tw::source(numbers(3)) | tw::tcp_sink<int>(where));
  EXPECT_THAT(sender.failure(),
              HasSubstr(where + ": it does not speak the protocol of streams, but sends '220 mail"));
}

TEST(Tcp, AnItemThatIsTooLongForTheReceiverIsAnErrorOfBoth) {
  const tw::tcp_listener here(somewhere);
  sending sender(tw::source(std::vector<std::string>{"short", std::string(1'000, 'x')}) |
                 tw::tcp_sink<std::string>(here.where()));
  const auto* const says = "an item of 1004 bytes is longer than .longest_item, 100";
  EXPECT_THAT(failure_of_source<std::string>(here, {.longest_item = 100}), HasSubstr(says));
  EXPECT_THAT(sender.failure(), HasSubstr(says));
}

TEST(Tcp, AnItemThatIsTooLongForTheSenderCanBeLeftOut) {
  const tw::tcp_listener here(somewhere);
  const std::vector<std::string> all{"a", std::string(1'000, 'x'), "b"};
  sending sender(tw::source(all) |
                 tw::tcp_sink<std::string>(here.where(), {.longest_item = 100}, {.on_error = tw::skip}));
  std::vector<std::string> seen;
  tw::run(tw::tcp_source<std::string>(here) | tw::sink(seen));
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
}

TEST(Tcp, ASenderThatIsGoneIsWaitedForAndThenNamed) {
  const tw::tcp_listener here(somewhere);
  {
    const auto peer = raw_peer::connected_to(here.port());
    peer.say(hello_bytes(1, "i32") + bytes_of(std::uint32_t{4}) + bytes_of(7) + bytes_of(std::uint32_t{4}));
  }
  std::vector<int> seen;
  const auto why =
      failure_of([&] { tw::run(tw::tcp_source<int>(here, {.return_within = 50ms}) | tw::sink(seen)); }).cause;
  EXPECT_THAT(why, HasSubstr("broke after 1 items, before the end of the stream"));
  EXPECT_THAT(why, HasSubstr("has not come back to " + here.where() + " within 50 ms"));
  EXPECT_EQ(seen, std::vector{7});
}

TEST(Tcp, OnlyTheSenderItselfMayComeBack) {
  const tw::tcp_listener here(somewhere);
  {
    const auto peer = raw_peer::connected_to(here.port());
    peer.say(hello_bytes(1, "i32"));
  }
  const auto other = raw_peer::connected_to(here.port());
  other.say(hello_bytes(2, "i32"));
  EXPECT_THAT(failure_of_source<int>(here, {.return_within = 200ms}), HasSubstr("it sends another stream"));
}

TEST(Tcp, ASenderThatSaysWhatCannotBeIsAnError) {
  const auto end_of = [](std::uint64_t items) {
    return bytes_of(std::uint32_t{0xFFFF'FFFF}) + bytes_of(items);
  };
  for (const auto& [frames, says] :
       {std::pair{end_of(5), "has sent 5 items, but 0 have come"},
        std::pair{bytes_of(std::uint32_t{0xFFFF'FFF0}), "bytes that are not an item"}}) {
    const tw::tcp_listener here(somewhere);
    const auto peer = raw_peer::connected_to(here.port());
    peer.say(hello_bytes(1, "i32") + frames);
    EXPECT_THAT(failure_of_source<int>(here), HasSubstr(says));
  }
}

TEST(Tcp, BytesThatAreNoItemCanBePassedOver) {
  const auto stream = hello_bytes(1, "i32") + bytes_of(std::uint32_t{4}) + bytes_of(1) +
                      bytes_of(std::uint32_t{3}) + "abc" + bytes_of(std::uint32_t{5}) + "abcde" +
                      bytes_of(std::uint32_t{4}) + bytes_of(2) + bytes_of(std::uint32_t{0xFFFF'FFFF}) +
                      bytes_of(std::uint64_t{4});
  const tw::tcp_listener here(somewhere);
  {
    const auto peer = raw_peer::connected_to(here.port());
    peer.say(stream);
    EXPECT_THAT(failure_of_source<int>(here),
                HasSubstr("an item is cut off: 4 bytes should follow, but only 3 do"));
  }
  const auto peer = raw_peer::connected_to(here.port());
  peer.say(stream);
  std::vector<int> seen;
  tw::run(tw::tcp_source<int>(here, {}, {.on_error = tw::skip}) | tw::sink(seen));
  EXPECT_EQ(seen, (std::vector{1, 2}));
}

TEST(Tcp, ARunThatFailsTellsTheReceiver) {
  const tw::tcp_listener here(somewhere);
  std::atomic<int> came{0};
  sending sender(tw::source([&came, n = 0]() mutable -> std::optional<int> {
                   if (n < 3) return n++;
                   EXPECT_TRUE(eventually([&] { return came > 0; }));
                   throw std::runtime_error("the well is dry");
                 }) |
                 tw::tcp_sink<int>(here.where()));
  const auto why =
      failure_of([&] { tw::run(tw::tcp_source<int>(here) | tw::sink([&](int) { ++came; })); }).cause;
  EXPECT_THAT(why, HasSubstr("has given up its stream"));
  EXPECT_THAT(sender.failure(), HasSubstr("the well is dry"));
}

TEST(Tcp, ASenderThatGivesUpBeforeItIsAskedTellsThat) {
  const tw::tcp_listener here(somewhere);
  tw::net::inlet in(here, {});
  {
    const tw::net::outlet out({"127.0.0.1", here.port()}, {});
    EXPECT_TRUE(in.await_sender());
  }
  try {
    (void)in.next();
    ADD_FAILURE() << "there is an item";
  } catch (const tw::network_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("has given up its stream after 0 items"));
  }
}

// It has hardly begun to connect.
TEST(Tcp, ASenderThatGivesUpAtOnceTellsThat) {
  for (int tries = 0; tries < 20; ++tries) {
    const tw::tcp_listener here(somewhere);
    tw::net::inlet in(here, {.come_within = 30s});
    std::jthread sender([&] { const tw::net::outlet out({"127.0.0.1", here.port()}, {}); });
    try {
      (void)in.next();
      ADD_FAILURE() << "there is an item";
    } catch (const tw::network_error& e) {
      ASSERT_THAT(e.what(), HasSubstr("has given up its stream after 0 items"));
    }
  }
}

TEST(Tcp, ASenderThatGivesUpAtOnceNeedsNoReceiver) {
  const auto port = tw::tcp_listener(somewhere).port();  // nobody listens there any more
  const tw::net::outlet out({"127.0.0.1", port}, {.connect_within = 1h});
}

TEST(Tcp, AReceiverThatIsStoppedTellsTheSender) {
  const tw::tcp_listener here(somewhere);
  sending sender(tw::source([n = 0]() mutable { return std::optional(n++); }) |
                 tw::tcp_sink<int>(here.where()));
  std::atomic<int> came{0};
  auto run = tw::launch(tw::tcp_source<int>(here) | tw::sink([&](int) { ++came; }));
  EXPECT_TRUE(eventually([&] { return came > 0; }));
  run.stop();
  run.wait();
  EXPECT_THAT(sender.failure(),
              HasSubstr(here.where() + " takes no more items: the receiver's stream has ended"));
}

TEST(Tcp, StopAndCancelEndEveryWaitOfASource) {
  for (const bool connected : {false, true}) {
    for (const bool cancel : {false, true}) {
      const tw::tcp_listener here(somewhere);
      raw_peer peer;
      if (connected) {
        peer = raw_peer::connected_to(here.port());
        peer.say(hello_bytes(1, "i32"));
      }
      auto run = tw::launch(tw::tcp_source<int>(here) | tw::sink([](int) {}));
      if (connected)
        EXPECT_EQ(peer.hear(answer_bytes().size()), answer_bytes());
      else
        std::this_thread::sleep_for(10ms);
      if (cancel)
        run.cancel();
      else
        run.stop();
      run.wait();  // or the test hangs
    }
  }
}

TEST(Tcp, CancelEndsEveryWaitOfASink) {
  const auto listener = raw_peer::listening();
  const auto where = "127.0.0.1:" + std::to_string(listener.port());
  // Nobody answers; and somebody who answers, but takes nothing.
  for (const bool answered : {false, true}) {
    std::atomic<int> given{0};
    auto run = tw::launch(
        tw::source([&given] { return std::optional(std::string(50'000, 'x') + std::to_string(++given)); }) |
        tw::tcp_sink<std::string>(where, {.capacity = 100'000}));
    const auto peer = listener.accepted();
    if (answered) peer.say(answer_bytes());
    int before = -1;
    EXPECT_TRUE(eventually([&] {
      std::this_thread::sleep_for(20ms);
      return given > 0 && std::exchange(before, given.load()) == given;
    }));
    run.cancel();
    run.wait();
  }
}

TEST(Tcp, NobodyThereIsAnErrorAfterAWhile) {
  std::uint16_t port = 0;
  {
    const tw::tcp_listener free(somewhere);
    port = free.port();
  }
  const auto where = "127.0.0.1:" + std::to_string(port);
  sending sender(tw::source(numbers(3)) | tw::tcp_sink<int>(where, {.connect_within = 50ms}));
  EXPECT_THAT(sender.failure(),
              HasSubstr("cannot connect to " + where + ": Connection refused; tried for 50 ms"));
  const tw::tcp_listener here(somewhere);
  EXPECT_THAT(failure_of_source<int>(here, {.come_within = 20ms}),
              HasSubstr("no sender has connected to " + here.where() + " within 20 ms"));
}

TEST(Tcp, AReceiverThatHasNotHadTheBeginningIsAnError) {
  const auto listener = raw_peer::listening();
  const auto where = "127.0.0.1:" + std::to_string(listener.port());
  std::jthread server([&] {
    const auto peer = listener.accepted();
    peer.say(answer_bytes(17));
    (void)peer.hear();
  });
  sending sender(tw::source(numbers(3)) | tw::tcp_sink<int>(where));
  EXPECT_THAT(sender.failure(),
              HasSubstr("has not taken this stream from its beginning: it asks for item 17"));
}

TEST(Tcp, AddressesThatAreNone) {
  for (const auto* text :
       {"localhost", "localhost:", "localhost:99999", "::1:80", "a b:1", ":x", "http://h:1"}) {
    EXPECT_THROW(tw::net::address::parse(text), tw::network_error) << text;
    EXPECT_THAT(problems_of([&] { tw::run(tw::source(numbers(1)) | tw::tcp_sink<int>(text)); }).at(0),
                HasSubstr("'" + std::string(text) + "' is not an address"));
  }
  EXPECT_EQ(tw::net::address::parse("[fe80::1]:80").text(), "[fe80::1]:80");
  EXPECT_EQ(tw::net::address::parse("[fe80::1]:80").host, "fe80::1");
  for (const auto* text : {":80", "localhost:0"})
    EXPECT_THAT(problems_of([&] { tw::run(tw::source(numbers(1)) | tw::tcp_sink<int>(text)); }).at(0),
                HasSubstr("to connect to"));
}

TEST(Tcp, APortIsListenedAtOnceAndTakenByOneStream) {
  const tw::tcp_listener here(somewhere);
  try {
    const tw::tcp_listener again(here.where());
    FAIL() << "two listen at " << here.where();
  } catch (const tw::network_error& e) {
    EXPECT_EQ(e.what(), "cannot listen at " + here.where() + ": Address already in use");
  }
  const tw::net::inlet first(here, {});
  EXPECT_THAT(failure_of_source<int>(here), HasSubstr(here.where() + " is already used by another source"));
}

}  // namespace
