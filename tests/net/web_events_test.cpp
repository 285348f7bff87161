// Server-sent events: what is one, and where a stream of them goes on.
#include <thalweg/net/http.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/net/web/event_reader.hpp"
#include "net/web_server.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

namespace {

using texts = std::vector<std::string>;
constexpr auto at_once = tw::web_reconnect{.tries = 2, .delay = 1ms};

std::string text_of(const tw::http_event& e) {
  return e.id + "|" + e.event + "|" + e.data;
}

/// The events of a text, given in pieces of such a size.
texts read(std::string_view text, std::size_t size) {
  tw::net::web::event_reader reader(1'000, "");
  texts all;
  for (std::size_t at = 0; at < text.size(); at += size) {
    reader.more().append(text.substr(at, size));
    while (auto one = reader.next()) all.push_back(text_of(*one));
  }
  return all;
}

texts events_of(const std::string& url, tw::http_events_options how = {}, tw::options opts = {}) {
  texts seen;
  tw::run(tw::http_events(url, std::move(how), std::move(opts)) |
          tw::sink([&](const tw::http_event& e) { seen.push_back(text_of(e)); }));
  return seen;
}

std::string cause_of(const std::string& url, tw::http_events_options how = {}) {
  return failure_of([&] { events_of(url, std::move(how)); }).cause;
}

std::string stream_of(std::string_view events) {
  return answer_of(events, "Content-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n");
}

TEST(WebEvents, AreReadAsTheStandardSays) {
  const std::vector<std::pair<std::string, texts>> cases{
      {"data: YHOO\ndata: +2\ndata: 10\n\n", {"|message|YHOO\n+2\n10"}},
      {": a comment\n\ndata: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n",
       {"1|message|first", "|message|second", "|message| third"}},
      {"data\n\ndata\ndata\n\ndata:", {"|message|", "|message|\n"}},
      {"\xEF\xBB\xBF"
       "data: a\r\n\r\nevent: e\rdata: b\r\rnothing: c\n\n",
       {"|message|a", "|e|b"}},
      {"id: 7\n\nevent: x\n\ndata: y\n\n", {"7|message|y"}},
      {std::string("id: 1\0\ndata: z\n\n", 16), {"|message|z"}}};
  for (const auto& [text, expected] : cases)
    for (const std::size_t size : {1U, 2U, 3U, 1'000U}) EXPECT_EQ(read(text, size), expected) << text;
}

TEST(WebEvents, EndWithTheAnswer) {
  const web_server server({saying({stream_of("id: 1\ndata: a\n\ndata: incomplete\n")})});
  EXPECT_EQ(events_of(server.url(), {.last_event_id = "0"}), texts{"1|message|a"});
  EXPECT_THAT(server.requests()[0], HasSubstr("\r\nAccept: text/event-stream\r\n"));
  EXPECT_THAT(server.requests()[0], HasSubstr("\r\nLast-Event-ID: 0\r\n"));
}

TEST(WebEvents, GoOnBehindTheLastOne) {
  const web_server server({saying({stream_of("retry: 2\n\nid: 1\ndata: a\n\nid: 2\ndata: lost")}),
                           saying({stream_of("data: b\n\n").substr(0, 90)}),
                           saying({stream_of("id: 2\ndata: c\n\nid\ndata: d\n\n")}),
                           saying({"HTTP/1.1 204 No Content\r\n\r\n"})});
  EXPECT_EQ(events_of(server.url(), {.reconnect = at_once}),
            (texts{"1|message|a", "2|message|c", "|message|d"}));
  const auto asked = server.requests();
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_THAT(asked[0], Not(HasSubstr("Last-Event-ID")));
  EXPECT_THAT(asked[1], HasSubstr("\r\nLast-Event-ID: 1\r\n"));
  EXPECT_THAT(asked[2], HasSubstr("\r\nLast-Event-ID: 1\r\n"));
  EXPECT_THAT(asked[3], Not(HasSubstr("Last-Event-ID")));
}

TEST(WebEvents, AnswersWithoutEventsAreNotAskedForForEver) {
  const web_server server({saying({stream_of("")})});
  EXPECT_EQ(cause_of(server.url(), {.reconnect = at_once}), server.url() + ": the answer has ended");
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(WebEvents, AnotherTypeIsAnError) {
  const web_server server(
      {saying({answer_of("data: a\n\n", "Content-Type: text/html\r\n")}), saying({answer_of("")})});
  EXPECT_EQ(cause_of(server.url(), {.reconnect = at_once}),
            server.url() + " answers with the type 'text/html', not with text/event-stream");
  EXPECT_EQ(cause_of(server.url()), server.url() + " answers with no type, not with text/event-stream");
}

TEST(WebEvents, OneThatIsTooLongIsAnErrorThatCanBeSkipped) {
  const web_server server(
      {saying({stream_of("id: 1\ndata: abcd\n\ndata: ab\ndata: cdef\ndata: g\n\ndata: 123456789abcdef\n"
                         "data: rest\n\nid: 2\ndata: e\n\n")})});
  EXPECT_EQ(cause_of(server.url(), {.longest = 8 - 2}),
            server.url() + ": an event behind that of id '' has more than .longest, 6 bytes");
  EXPECT_EQ(cause_of(server.url(), {.longest = 10}),
            server.url() + ": an event behind that of id '1' has more than .longest, 10 bytes");
  EXPECT_EQ(events_of(server.url(), {.longest = 10}, {.on_error = tw::skip}),
            (texts{"1|message|abcd", "1|message|ab\ncdef\ng", "2|message|e"}));
}

TEST(WebEvents, WhatIsWrongWithOptionsIsSaidBeforeTheRun) {
  EXPECT_THAT(problems_of([] { events_of("http://localhost/", {.last_event_id = "1\n2", .longest = 0}); }),
              testing::ElementsAre(HasSubstr(".longest event"), HasSubstr("'Last-Event-ID'")));
}

}  // namespace
