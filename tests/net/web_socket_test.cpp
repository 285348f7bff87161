// WebSockets: which messages come, and what becomes of servers that are not as they should be.
#include <thalweg/net/websocket.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/web_socket_peer.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using texts = std::vector<std::string>;
constexpr auto at_once = tw::web_reconnect{.tries = 2, .delay = 1ms};

std::string url_of(const web_server& server) {
  return "ws://" + server.where() + "/feed?a=b";
}

texts messages_of(const web_server& server, tw::websocket_options how = {}, tw::options opts = {}) {
  texts seen;
  tw::run(tw::websocket_messages(url_of(server), std::move(how), std::move(opts)) |
          tw::sink([&](const tw::websocket_message& m) { seen.push_back((m.text ? "t " : "b ") + m.data); }));
  return seen;
}

std::string cause_of(const web_server& server, tw::websocket_options how = {}) {
  return failure_of([&] { messages_of(server, std::move(how)); }).cause;
}

/// Opens the WebSocket and says this; then waits until the other side has gone.
web_server::script telling(std::string what) {
  return opened([what = std::move(what)](const raw_peer& link, const std::string&) {
    link.say(what);
    (void)link.hear();
  });
}

const std::string bye = close_frame(1000);

TEST(WebSocket, MessagesComeHoweverTheyAreCut) {
  const std::string longer(200, 'x'), longest(100'000, 'y');
  const web_server server({telling(
      frame(1, "one") + frame(2, std::string("\0\xFF", 2)) + frame(1, "th", false) + frame(9, "ping") +
      frame(0, "r", false) + frame(0, "ee") + frame(1, "") + frame(1, longer) + frame(2, longest) + bye)});
  EXPECT_EQ(messages_of(server),
            (texts{"t one", std::string("b \0\xFF", 4), "t three", "t ", "t " + longer, "b " + longest}));
}

TEST(WebSocket, TheRequestIsWhatWasWantedAndTheFirstMessagesFollow) {
  texts heard;
  const web_server server({opened([&](const raw_peer& link, const std::string&) {
    for (int i = 0; i < 2; ++i) heard.push_back(heard_frame(link).second);
    link.say(frame(9, "are you there") + bye);
    const auto [kind, bytes] = heard_frame(link);
    heard.push_back(std::to_string(kind) + bytes);
    heard.push_back(std::to_string(heard_frame(link).first));
  })});
  EXPECT_EQ(
      messages_of(server,
                  {.first = {"subscribe a", "subscribe b"}, .headers = {{"X-One", "1"}}, .bearer = "secret"}),
      texts{});
  EXPECT_THAT(
      server.requests()[0],
      AllOf(HasSubstr("GET /feed?a=b HTTP/1.1\r\n"), HasSubstr("\r\nHost: " + server.where() + "\r\n"),
            HasSubstr("\r\nX-One: 1\r\n"), HasSubstr("\r\nAuthorization: Bearer secret\r\n")));
  EXPECT_THAT(heard, ElementsAre("subscribe a", "subscribe b", "10are you there", "8"));
}

TEST(WebSocket, ACloseCodeSaysWhetherItIsTheEnd) {
  const web_server server({telling(frame(1, "a") + bye), telling(frame(1, "a") + frame(8, "")),
                           telling(close_frame(1001, "we close")), telling(close_frame(1008, "no")),
                           telling(close_frame(4001))});
  EXPECT_EQ(messages_of(server), texts{"t a"});
  EXPECT_EQ(messages_of(server), texts{"t a"});
  EXPECT_EQ(cause_of(server), url_of(server) + " has closed the WebSocket: 1001, we close");
  EXPECT_EQ(cause_of(server, {.reconnect = at_once}), url_of(server) + " has closed the WebSocket: 1008, no");
  EXPECT_EQ(cause_of(server, {.reconnect = at_once}), url_of(server) + " has closed the WebSocket: 4001");
}

TEST(WebSocket, GoesOnAfterALoss) {
  std::atomic<int> subscribed{0};
  const auto subscribing = [&](std::string says, bool stays) {
    return opened([&subscribed, says = std::move(says), stays](const raw_peer& link, const std::string&) {
      if (heard_frame(link).second == "hello") ++subscribed;
      link.say(says);
      if (stays) (void)link.hear();
    });
  };
  const web_server server(
      {subscribing(frame(1, "1") + frame(1, "lost", false), false), saying({answer_of("", "", "503 Busy")}),
       subscribing(frame(1, "2") + close_frame(1012), true), subscribing(frame(1, "3") + bye, true)});
  EXPECT_EQ(messages_of(server, {.first = {"hello"}, .reconnect = at_once}), (texts{"t 1", "t 2", "t 3"}));
  EXPECT_EQ(subscribed, 3);
}

TEST(WebSocket, ServersThatAreNoneAreErrors) {
  const web_server server(
      {saying({answer_of("", "", "404 Not Found")}), saying({"no web server\r\n\r\n"}), saying({""}),
       saying({"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Accept: wrong\r\n\r\n"}),
       telling(std::string("\xFF\0", 2)), telling(frame(1, "\xC3\x28")), telling(frame(0, "of nothing"))});
  EXPECT_EQ(cause_of(server), url_of(server) + " answers 404 Not Found");
  EXPECT_THAT(cause_of(server), HasSubstr(url_of(server) + ": bad version"));
  EXPECT_THAT(cause_of(server), HasSubstr(url_of(server) + ": the connection broke off"));
  for (int i = 0; i < 4; ++i)
    EXPECT_THAT(cause_of(server, {.reconnect = at_once}), HasSubstr(url_of(server) + ": "));
  EXPECT_EQ(server.requests().size(), 7U);
}

TEST(WebSocket, NobodyIsThere) {
  std::string where;
  { where = "ws://127.0.0.1:" + std::to_string(raw_peer::listening().port()) + "/"; }
  const auto cause = failure_of([&] {
                       tw::run(tw::websocket_messages(where) | tw::sink([](const tw::websocket_message&) {}));
                     }).cause;
  EXPECT_THAT(cause, HasSubstr(where + ": Failed to connect to 127.0.0.1 port"));
}

TEST(WebSocket, AMessageThatIsTooLongIsAnErrorThatCanBeSkipped) {
  const web_server server(
      {telling(frame(1, "12345") + frame(1, "1234", false) + frame(0, "56", false) + frame(0, "7") +
               frame(2, std::string(200'000, 'x')) + frame(1, "1234567") + frame(1, "next") + bye)});
  EXPECT_EQ(cause_of(server, {.longest = 5}), url_of(server) + ": a message has more than .longest, 5 bytes");
  EXPECT_EQ(messages_of(server, {.longest = 5}, {.on_error = tw::skip}), (texts{"t 12345", "t next"}));
}

TEST(WebSocket, OnlyAServerThatAnswersNoPingIsSilent) {
  const web_server server({opened([](const raw_peer& link, const std::string&) {
                             if (heard_frame(link).first == 9)
                               link.say(frame(10, "") + frame(1, "late") + bye);
                             (void)link.hear();
                           }),
                           telling(frame(1, "a")), staying("")});
  EXPECT_EQ(messages_of(server, {.longest_silence = 10s}), texts{"t late"});
  EXPECT_EQ(cause_of(server, {.longest_silence = 50ms}),
            url_of(server) + " has sent nothing for 50 ms, not even an answer to a ping");
  // On a machine that is busy even connecting may take that long.
  EXPECT_THAT(cause_of(server, {.connect_within = 1s}),
              AnyOf(url_of(server) + ": the WebSocket has not opened within 1000 ms", HasSubstr("after 1")));
}

TEST(WebSocket, AStopAndACancelEndEveryWaitAndSayGoodbye) {
  std::atomic<int> goodbyes{0};
  const web_server server({opened([&](const raw_peer& link, const std::string&) {
                             link.say(frame(1, "a"));
                             if (heard_frame(link) == std::pair(8U, std::string("\x03\xE8"))) ++goodbyes;
                           }),
                           opened([&](const raw_peer& link, const std::string&) {
                             link.say(frame(1, "a"));
                             if (heard_frame(link) == std::pair(8U, std::string("\x03\xE8"))) ++goodbyes;
                           }),
                           staying("")});
  for (int i = 0; i < 4; ++i) {
    std::atomic<int> seen{0};
    auto run = tw::launch(tw::websocket_messages(url_of(server)) |
                          tw::sink([&](const tw::websocket_message&) { ++seen; }));
    EXPECT_TRUE(eventually(
        [&] { return i < 2 ? seen == 1 : server.requests().size() == static_cast<std::size_t>(i) + 1; }));
    if (i % 2 == 0)
      run.stop();
    else
      run.cancel();
    EXPECT_NO_THROW(run.wait());
  }
  EXPECT_TRUE(eventually([&] { return goodbyes == 2; }));
}

TEST(WebSocket, AServerThatIsFasterWaits) {
  constexpr std::size_t all = 700, size = 65'000;
  std::atomic<std::size_t> said{0};
  const web_server server({opened([&](const raw_peer& link, const std::string&) {
    const auto one = frame(2, std::string(size, 'x'));
    while (said < all && link.say(one)) ++said;
    link.say(bye);
    (void)link.hear();
  })});
  std::size_t seen = 0;
  tw::run(tw::websocket_messages(url_of(server)) | tw::sink([&](const tw::websocket_message&) {
            if (seen++ > 0) return;
            // It comes to a halt, as what it says has no room.
            auto before = said.load();
            const auto stands = [&] { return std::exchange(before, said.load()) == before; };
            for (int i = 0; i < 5; i = stands() ? i + 1 : 0) std::this_thread::sleep_for(20ms);
            EXPECT_LT(said, all / 2);
          }));
  EXPECT_EQ(seen, all);
}

TEST(WebSocket, WhatIsWrongWithOptionsIsSaidBeforeTheRun) {
  const auto problems = [](const std::string& url, tw::websocket_options how) {
    return problems_of([&] {
      tw::run(tw::websocket_messages(url, std::move(how)) | tw::sink([](const tw::websocket_message&) {}));
    });
  };
  EXPECT_THAT(problems("http://localhost/", {}),
              ElementsAre(HasSubstr("no address that begins with ws:// or wss://")));
  EXPECT_THAT(problems("ws://me:secret@localhost/", {}),
              ElementsAre(HasSubstr("'ws://localhost/' has a user: say who it is by .headers or .bearer")));
  EXPECT_THAT(problems("ws://localhost/", {.longest = 0}), ElementsAre(HasSubstr(".longest message")));
}

}  // namespace
