// A stream that browsers listen to: what they get, and that none of them holds it up.
#include <thalweg/net/sse.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "../../src/net/sse/event.hpp"
#include "../../src/net/sse/request.hpp"
#include "net/raw_peer.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

const std::string asks = "GET /events HTTP/1.1\r\nHost: here\r\n\r\n";

/// A client that has asked for the events, and hears what the server says.
raw_peer listener_of(const tw::sse_server& server, const std::string& request = asks) {
  const auto before = server.clients();
  auto made = raw_peer::connected_to(tw::net::address::parse(server.where()).port);
  made.say(request);
  EXPECT_TRUE(eventually([&] { return server.clients() == before + 1; }));
  return made;
}

/// Reads what a server says, piece by piece.
class event_reader {
 public:
  explicit event_reader(const raw_peer& from) : from_(from) {}

  /// The head of the answer.
  std::string head() { return up_to("\r\n\r\n"); }
  /// The next event, without its id; empty: the server has closed the connection.
  std::string next() {
    auto event = up_to("\n\n");
    if (!event.starts_with("id: ")) return event;
    const auto end = event.find('\n');
    last_id_ = event.substr(4, end - 4);
    return event.substr(end + 1);
  }
  std::vector<std::string> next(std::size_t n) {
    std::vector<std::string> all;
    while (n-- > 0) all.push_back(next());
    return all;
  }
  [[nodiscard]] const std::string& last_id() const { return last_id_; }

 private:
  std::string up_to(const std::string& end) {
    for (std::size_t from = 0;;) {
      if (const auto found = came_.find(end, from); found != came_.npos) {
        auto piece = came_.substr(0, found + end.size());
        came_.erase(0, piece.size());
        return piece;
      }
      from = came_.size() - std::min(came_.size(), end.size());
      std::array<char, 65536> some{};
      const auto got = ::recv(from_.fd(), some.data(), some.size(), 0);
      if (got <= 0) return {};
      came_.append(some.data(), static_cast<std::size_t>(got));
    }
  }

  const raw_peer& from_;
  std::string came_{}, last_id_{};
};

std::string answer_to(const tw::sse_server& server, const std::string& request) {
  const auto one = raw_peer::connected_to(tw::net::address::parse(server.where()).port);
  one.say(request);
  return one.hear();
}

TEST(Sse, AllThatListenGetTheStream) {
  const tw::sse_server here("127.0.0.1:0");
  const auto one = listener_of(here), other = listener_of(here);
  event_reader first(one), second(other);
  for (auto* reads : {&first, &second})
    EXPECT_THAT(reads->head(),
                AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/event-stream\r\n")));
  for (int run = 0; run < 2; ++run) {
    tw::run(tw::source(std::vector{1, 2}) |
            tw::sse_sink<int>(here, {.event = [](int x) { return x == 2 ? "two" : ""; }}));
    for (auto* reads : {&first, &second})
      EXPECT_THAT(reads->next(3),
                  ElementsAre("data: 1\n\n", "event: two\ndata: 2\n\n", "event: end\ndata: \n\n"));
  }
  EXPECT_EQ(here.dropped(), 0U);
}

TEST(Sse, AClientThatDoesNotReadMissesEventsAndIsToldHowMany) {
  const tw::sse_server here("127.0.0.1:0", {.capacity = 100'000});
  const auto slow = listener_of(here);
  std::vector<std::string> all(4'000, std::string(10'000, 'x'));
  tw::run(tw::source(all) | tw::sse_sink<std::string>(here, {.end = ""}));  // more than any socket holds
  EXPECT_GT(here.dropped(), 0U);
  EXPECT_LT(here.dropped(), all.size());
  // Each gap is named where it is.
  event_reader reads(slow);
  std::size_t came = 0, missed = 0, missed_here = 0;
  (void)reads.head();
  while (came + missed < all.size()) {
    const auto event = reads.next();
    if (event == "data: " + all[0] + "\n\n") {
      ++came;
      EXPECT_TRUE(reads.last_id().ends_with("-" + std::to_string(came + missed)));
    } else {
      ASSERT_EQ(std::sscanf(event.c_str(), "event: dropped\ndata: %zu\n\n", &missed_here), 1) << event;
    }
    missed += std::exchange(missed_here, 0);
  }
  EXPECT_EQ(came + missed, all.size());
  EXPECT_EQ(missed, here.dropped());
  here.publish("again");
  EXPECT_EQ(reads.next(), "data: again\n\n");
}

TEST(Sse, ManyListenAndSomeLeave) {
  const tw::sse_server here("127.0.0.1:0");
  std::vector<raw_peer> all;
  for (int i = 0; i < 60; ++i) all.push_back(listener_of(here));
  for (int i = 0; i < 100; ++i) {
    here.publish(std::to_string(i));
    if (i % 5 == 0) all.pop_back();  // it closes its connection, whatever is on the way to it
  }
  for (const auto& one : all) {
    event_reader reads(one);
    (void)reads.head();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(reads.next(), "data: " + std::to_string(i) + "\n\n");
  }
  EXPECT_TRUE(eventually([&] { return here.clients() == all.size(); }));
  EXPECT_EQ(here.dropped(), 0U);
}

TEST(Sse, ClientsComeAndGo) {
  const tw::sse_server here("127.0.0.1:0", {.clients = 1, .allow_origin = "*"});
  {
    const auto one = listener_of(here);
    EXPECT_THAT(answer_to(here, asks), StartsWith("HTTP/1.1 503 "));
  }
  EXPECT_TRUE(eventually([&] { return here.clients() == 0; }));
  EXPECT_THAT(answer_to(here, "GET /other HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer_to(here, "POST /events HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET")));
  EXPECT_THAT(answer_to(here, "what\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(here, "\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(here, std::string(tw::net::sse::longest_head, 'x')), StartsWith("HTTP/1.1 431 "));
  const auto again = listener_of(here);
  EXPECT_THAT(event_reader(again).head(), HasSubstr("Access-Control-Allow-Origin: *\r\n"));
}

TEST(Sse, AClientThatNeverSaysWhatItWantsIsTurnedAway) {
  const tw::sse_server here("127.0.0.1:0", {.clients = 1, .ask_within = 50ms});
  for (const std::string& said : {std::string(), asks.substr(0, asks.size() - 2)}) {
    EXPECT_THAT(answer_to(here, said), StartsWith("HTTP/1.1 408 "));
  }
  // Nor does one last that goes on talking.
  const auto talks = raw_peer::connected_to(tw::net::address::parse(here.where()).port);
  EXPECT_TRUE(eventually([&] { return !talks.say("x"); }));
  const auto listens = listener_of(here);
  event_reader reads(listens);
  EXPECT_THAT(reads.head(), StartsWith("HTTP/1.1 200 "));
  EXPECT_FALSE(eventually([&] { return here.clients() == 0; }, 200ms)) << "it has said what it wants";
}

TEST(Sse, AClientThatComesBackGetsWhatItHasMissed) {
  const tw::sse_server here("127.0.0.1:0", {.history = 1'000});
  std::string had;
  {
    const auto first = listener_of(here);
    event_reader reads(first);
    (void)reads.head();
    here.publish("1");
    here.publish("2");
    EXPECT_THAT(reads.next(2), ElementsAre("data: 1\n\n", "data: 2\n\n"));
    had = reads.last_id();
  }
  EXPECT_TRUE(eventually([&] { return here.clients() == 0; }));
  here.publish("3");
  here.publish("4", "kind");
  const auto comes_back = [&](const std::string& id) {
    return listener_of(here, "GET /events HTTP/1.1\r\nHost: here\r\nlast-event-ID:\t " + id + " \r\n\r\n");
  };
  const auto again = comes_back(had), with_nothing = comes_back("4"), with_more = comes_back(had + "0");
  here.publish("5");
  event_reader reads(again);
  (void)reads.head();
  EXPECT_THAT(reads.next(3), ElementsAre("data: 3\n\n", "event: kind\ndata: 4\n\n", "data: 5\n\n"));
  // An id of another server, or of none, says nothing.
  for (const auto* one : {&with_nothing, &with_more}) {
    event_reader others(*one);
    (void)others.head();
    EXPECT_EQ(others.next(), "data: 5\n\n");
  }
  // What is no longer kept is counted.
  for (int i = 0; i < 100; ++i) here.publish(std::string(100, 'x'));
  const auto late = comes_back(had);
  event_reader read_late(late);
  (void)read_late.head();
  std::size_t missed = 0, kept = 0;
  ASSERT_EQ(std::sscanf(read_late.next().c_str(), "event: dropped\ndata: %zu\n\n", &missed), 1);
  EXPECT_GT(missed, 90U);
  here.publish("last");
  while (read_late.next() != "data: last\n\n") ++kept;
  EXPECT_EQ(missed + kept, 103U);
  EXPECT_EQ(here.dropped(), 0U);
}

TEST(Sse, WhatHasBeenPublishedIsSentBeforeTheServerCloses) {
  for (int i = 0; i < 100; ++i) {
    auto here = std::make_unique<tw::sse_server>("127.0.0.1:0");
    const auto one = listener_of(*here);
    here->publish("last");
    here.reset();
    event_reader reads(one);
    (void)reads.head();
    EXPECT_EQ(reads.next(), "data: last\n\n");
    EXPECT_EQ(reads.next(), "");
  }
}

TEST(Sse, PagesOfOtherOriginsListenWhereTheyMay) {
  const std::string may = "OPTIONS /events HTTP/1.1\r\nAccess-Control-Request-Headers: Last-Event-ID\r\n\r\n";
  const tw::sse_server open("127.0.0.1:0", {.allow_origin = "https://example.org"}), closed("127.0.0.1:0");
  EXPECT_THAT(
      answer_to(open, may),
      AllOf(StartsWith("HTTP/1.1 204 "), HasSubstr("Access-Control-Allow-Origin: https://example.org\r\n"),
            HasSubstr("Access-Control-Allow-Headers: "), HasSubstr("Last-Event-ID")));
  EXPECT_THAT(answer_to(closed, may), AllOf(StartsWith("HTTP/1.1 405 "), Not(HasSubstr("Access-Control"))));
  const auto listens = listener_of(closed);
  EXPECT_THAT(event_reader(listens).head(), Not(HasSubstr("Access-Control")));
}

TEST(Sse, TextOfSeveralLinesIsOneEvent) {
  using tw::net::sse::packed;
  EXPECT_EQ(packed("a\nb\r\nc\rd", ""), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(packed("", "kind\ndata: false", "7"), "id: 7\nevent: kind\ndata: \n\n");
}

TEST(Sse, RequestsAreReadUpToTheirEnd) {
  const auto of = [](const std::string& said) { return tw::net::sse::asked(said, "/events", false); };
  for (std::size_t size = 0; size < asks.size(); ++size) EXPECT_FALSE(of(asks.substr(0, size))) << size;
  EXPECT_EQ(of(asks + "more").value().status, 200);
  EXPECT_EQ(of("GET /events?a=b HTTP/1.1\r\n\r\n").value().status, 200);
  EXPECT_EQ(of("GET /events HTTP/1.1\r\nX-Last-Event-ID: 1\r\nLast-Event-ID: 2\r\n\r\n").value().last_id,
            "2");
  EXPECT_EQ(of("GET /events HTTP/1.1\r\nLast-Event-ID\r\n\r\nLast-Event-ID: 2\r\n\r\n").value().last_id, "");
}

TEST(Sse, ItemsWithoutATextAreRefused) {
  struct shape {};
  const tw::sse_server here("127.0.0.1:0");
  EXPECT_THAT(problems_of([&] { tw::run(tw::source(std::vector<shape>(1)) | tw::sse_sink<shape>(here)); }),
              ElementsAre(HasSubstr(".text is missing")));
  EXPECT_THROW(tw::sse_server("nowhere"), tw::network_error);
  EXPECT_THROW(tw::sse_server(here.where()), tw::network_error);
  EXPECT_THROW(tw::sse_server("127.0.0.1:0", {.path = "events"}), tw::network_error);
}

}  // namespace
