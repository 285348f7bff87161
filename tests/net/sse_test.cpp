// A stream that browsers listen to: what they get, and that none of them holds it up.
#include <thalweg/net/sse.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/net/sse/request.hpp"
#include "net/raw_peer.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string asks = "GET /events HTTP/1.1\r\nHost: here\r\n\r\n";

/// A client that has asked for the events, and hears what the server says.
raw_peer listener_of(const tw::sse_server& server) {
  const auto before = server.clients();
  auto made = raw_peer::connected_to(tw::net::address::parse(server.where()).port);
  made.say(asks);
  EXPECT_TRUE(eventually([&] { return server.clients() == before + 1; }));
  return made;
}

std::string hear_until(const raw_peer& from, const std::string& end) {
  std::string all;
  while (!all.ends_with(end)) {
    const auto more = from.hear(1);
    if (more.empty()) break;
    all += more;
  }
  return all;
}

std::string answer_to(const tw::sse_server& server, const std::string& request) {
  const auto one = raw_peer::connected_to(tw::net::address::parse(server.where()).port);
  one.say(request);
  return one.hear();
}

TEST(Sse, AllThatListenGetTheStream) {
  const tw::sse_server here("127.0.0.1:0");
  const auto one = listener_of(here), other = listener_of(here);
  for (int run = 0; run < 2; ++run) {
    tw::run(tw::source(std::vector{1, 2}) |
            tw::sse_sink<int>(here, {.event = [](int x) { return x == 2 ? "two" : ""; }}));
    for (const auto* peer : {&one, &other}) {
      const auto all = hear_until(*peer, "event: end\ndata: \n\n");
      EXPECT_THAT(all, HasSubstr("data: 1\n\nevent: two\ndata: 2\n\nevent: end\ndata: \n\n"));
      if (run == 0) {
        EXPECT_THAT(
            all, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/event-stream\r\n")));
      }
    }
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
  std::size_t came = 0, missed = 0, missed_here = 0;
  (void)hear_until(slow, "\r\n\r\n");
  while (came + missed < all.size()) {
    const auto event =
        slow.hear(1) == "d" ? "d" + slow.hear(all[0].size() + 7) : "e" + hear_until(slow, "\n\n");
    if (event == "data: " + all[0] + "\n\n") {
      ++came;
    } else {
      ASSERT_EQ(std::sscanf(event.c_str(), "event: dropped\ndata: %zu\n\n", &missed_here), 1) << event;
    }
    missed += std::exchange(missed_here, 0);
  }
  EXPECT_EQ(came + missed, all.size());
  EXPECT_EQ(missed, here.dropped());
  here.publish("again");
  EXPECT_EQ(hear_until(slow, "\n\n"), "data: again\n\n");
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
  EXPECT_THAT(answer_to(here, std::string(tw::net::sse::longest_head + 1, 'x')), StartsWith("HTTP/1.1 431 "));
  const auto again = listener_of(here);
  EXPECT_THAT(hear_until(again, "\r\n\r\n"), HasSubstr("Access-Control-Allow-Origin: *\r\n"));
}

TEST(Sse, TextOfSeveralLinesIsOneEvent) {
  EXPECT_EQ(tw::net::sse::packed("a\nb\r\nc\rd", ""), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(tw::net::sse::packed("", "kind\ndata: false"), "event: kind\ndata: \n\n");
}

TEST(Sse, ItemsWithoutATextAreRefused) {
  struct shape {};
  const tw::sse_server here("127.0.0.1:0");
  EXPECT_THAT(problems_of([&] { tw::run(tw::source(std::vector<shape>(1)) | tw::sse_sink<shape>(here)); }),
              ElementsAre(HasSubstr(".text is missing")));
  EXPECT_THROW(tw::sse_server("nowhere"), tw::network_error);
  EXPECT_THROW(tw::sse_server(here.where()), tw::network_error);
}

}  // namespace
