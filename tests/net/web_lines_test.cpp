// Lines of web servers: which lines come, and what becomes of answers that are not as they should be.
#include <thalweg/net/http.hpp>
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

#include "../../src/net/web/answer.hpp"
#include "net/web_server.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

using lines = std::vector<std::string>;

lines lines_of(const std::string& url, tw::http_lines_options how = {}, tw::options opts = {}) {
  lines seen;
  tw::run(tw::http_lines(url, std::move(how), std::move(opts)) | tw::sink(seen));
  return seen;
}

std::string cause_of(const std::string& url, tw::http_lines_options how = {}, tw::options opts = {}) {
  return failure_of([&] { lines_of(url, std::move(how), std::move(opts)); }).cause;
}

/// What comes before a run fails, and why it fails.
std::pair<lines, std::string> lines_before(const std::string& url, tw::http_lines_options how = {}) {
  lines seen;
  auto why = failure_of([&] {
               tw::run(tw::http_lines(url, std::move(how)) | tw::sink(seen), tw::sequential());
             }).cause;
  return {std::move(seen), std::move(why)};
}

constexpr auto at_once = tw::web_reconnect{.tries = 3, .delay = 1ms};

TEST(WebLines, ComeWhereverTheAnswerIsCut) {
  const web_server server(
      {saying({answer_of("one\ntwo\n\nthree\n")}),
       saying({chunked(), chunk("o"), chunk("ne\ntw"), chunk("o\n\nthree"), chunk("\n"), chunk("")}),
       saying({"HTTP/1.1 200 OK\r\n\r\none\ntwo\n\nth", "ree\n"})});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lines_of(server.url()), (lines{"one", "two", "", "three"}));
}

TEST(WebLines, TheLastLineNeedsNoEnd) {
  const web_server server({saying({chunked(), chunk("one\nlast"), chunk("")}), saying({answer_of("")}),
                           saying({answer_of("\n")}), saying({"HTTP/1.1 204 No Content\r\n\r\n"})});
  EXPECT_EQ(lines_of(server.url()), (lines{"one", "last"}));
  EXPECT_EQ(lines_of(server.url()), lines{});
  EXPECT_EQ(lines_of(server.url()), lines{""});
  EXPECT_EQ(lines_of(server.url()), lines{});
}

TEST(WebLines, ACrInFrontOfTheEndGoesIfThatIsWanted) {
  const web_server server({saying({chunked(), chunk("one\r"), chunk("\ntwo\r\r\n\rthree\r\n"), chunk("")})});
  EXPECT_EQ(lines_of(server.url()), (lines{"one\r", "two\r\r", "\rthree\r"}));
  EXPECT_EQ(lines_of(server.url(), {.crlf = true}), (lines{"one", "two\r", "\rthree"}));
}

TEST(WebLines, EachComesAsSoonAsItIsThere) {
  std::atomic<int> seen{0};
  const web_server server({[&](const raw_peer& link, const std::string&) {
    link.say(chunked());
    for (int i = 0; i < 3; ++i) {
      link.say(chunk(std::to_string(i) + "\n"));
      if (!eventually([&] { return seen == i + 1; })) return;
    }
    link.say(chunk(""));
  }});
  tw::run(tw::http_lines(server.url()) | tw::sink([&](const std::string&) { ++seen; }));
  EXPECT_EQ(seen, 3);
}

TEST(WebLines, TheRequestIsWhatWasWanted) {
  const web_server server({saying({answer_of("")})});
  (void)lines_of(server.url("/a?b=c"), {.headers = {{"X-One", "1"}, {"X-Empty", ""}}, .bearer = "secret"});
  (void)lines_of(server.url(), {.body = "{}", .headers = {{"Content-Type", "application/json"}}});
  (void)lines_of(server.url(), {.method = "PUT", .body = "x"});
  const auto asked = server.requests();
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_THAT(asked[0],
              AllOf(HasSubstr("GET /a?b=c HTTP/1.1\r\n"), HasSubstr("\r\nX-One: 1\r\n"),
                    HasSubstr("\r\nX-Empty:\r\n"), HasSubstr("\r\nAuthorization: Bearer secret\r\n")));
  EXPECT_THAT(asked[1], AllOf(HasSubstr("POST /stream HTTP/1.1\r\n"),
                              HasSubstr("\r\nContent-Type: application/json\r\n"), HasSubstr("\r\n\r\n{}")));
  EXPECT_THAT(asked[2], AllOf(HasSubstr("PUT /stream HTTP/1.1\r\n"), Not(HasSubstr("Content-Type")),
                              HasSubstr("\r\n\r\nx")));
}

TEST(WebLines, CompressedAnswersAreUnpacked) {
  // What python3 makes with gzip.compress(b"one\ntwo\n", mtime=0).
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x4b\xe5\x2a\x29\xcf\xe7\x02\x00\xe6\x0b"
      "\xba\x12\x08\x00\x00\x00",
      28);
  const auto headers = "Content-Encoding: gzip\r\n";
  const web_server server(
      {saying({chunked(headers), chunk(packed.substr(0, 15)), chunk(packed.substr(15)), chunk("")}),
       saying({answer_of("no gzip\n", headers)})});
  EXPECT_EQ(lines_of(server.url()), (lines{"one", "two"}));
  EXPECT_THAT(server.requests()[0], HasSubstr("\r\nAccept-Encoding: "));
  EXPECT_THAT(cause_of(server.url()), HasSubstr(server.url() + ": "));
}

TEST(WebLines, RedirectsAreFollowedAndOtherServersGetNoToken) {
  const web_server other({saying({answer_of("there\n")})});
  const web_server server(
      {saying({answer_of("gone\n", "Location: /new\r\nConnection: close\r\n", "302 Found")}),
       saying({answer_of("", "Location: " + other.url("/far") + "\r\nConnection: close\r\n", "307 There")}),
       saying({answer_of("", "Location: /again\r\nConnection: close\r\n", "301 Moved")})});
  EXPECT_EQ(lines_of(server.url(), {.bearer = "secret"}), lines{"there"});
  EXPECT_THAT(server.requests()[1], AllOf(HasSubstr("GET /new "), HasSubstr("Bearer secret")));
  EXPECT_THAT(other.requests()[0], AllOf(HasSubstr("GET /far "), Not(HasSubstr("secret"))));
  EXPECT_THAT(cause_of(server.url()), HasSubstr(server.url() + ": Maximum (10) redirects followed"));
}

TEST(WebLines, ARefusalNamesTheAddressAndTheStatus) {
  const web_server server({saying({answer_of("no such stream\nx\n", "", "404 Not Found")}),
                           saying({answer_of("", "", "500 Internal Server Error")}),
                           saying({answer_of("", "", "304 Not Modified")}),
                           staying("HTTP/1.1 403 Forbidden\r\n\r\nask first")});
  EXPECT_EQ(cause_of(server.url()), server.url() + " answers 404 Not Found: no such stream");
  EXPECT_EQ(cause_of(server.url()), server.url() + " answers 500 Internal Server Error");
  EXPECT_EQ(cause_of(server.url()), server.url() + " answers 304 Not Modified");
  EXPECT_EQ(cause_of(server.url()), server.url() + " answers 403 Forbidden: ask first");
}

TEST(WebLines, NoMessageHasAPassword) {
  const web_server server({saying({answer_of("", "", "404 Not Found")})});
  EXPECT_EQ(cause_of("http://me:secret@" + server.where() + "/x?y"),
            server.url("/x?y") + " answers 404 Not Found");
  EXPECT_THAT(server.requests()[0], HasSubstr("\r\nAuthorization: Basic "));
}

TEST(WebLines, AnAnswerThatIsNoneIsAnError) {
  const web_server server({saying({"this is no web server\n"}), saying({""}),
                           saying({chunked(), "no size\r\n"}),
                           saying({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none\ntwo\nthr"})});
  EXPECT_THAT(cause_of(server.url()), HasSubstr(server.url() + ": Received HTTP/0.9 when not allowed"));
  EXPECT_THAT(cause_of(server.url()), HasSubstr(server.url() + ": Empty reply from server"));
  EXPECT_THAT(cause_of(server.url()), HasSubstr(server.url() + ": "));
  const auto [seen, why] = lines_before(server.url());
  EXPECT_EQ(seen, (lines{"one", "two"}));
  EXPECT_THAT(why, HasSubstr("transfer closed with 89 bytes remaining to read"));
}

TEST(WebLines, NobodyIsThere) {
  std::uint16_t port = 0;
  { port = raw_peer::listening().port(); }
  const auto url = "http://127.0.0.1:" + std::to_string(port) + "/";
  EXPECT_THAT(cause_of(url), HasSubstr(url + ": Failed to connect to 127.0.0.1 port"));
  EXPECT_THAT(cause_of(url, {}, {.on_error = tw::skip}), HasSubstr(url + ": "));
  EXPECT_THAT(cause_of(url, {.reconnect = at_once}), HasSubstr(url + ": "));
}

TEST(WebLines, ALineThatIsTooLongIsAnErrorThatCanBeSkipped) {
  const web_server server(
      {saying({chunked(), chunk("one\n12345"), chunk("6"), chunk("78\n12345\n123456"), chunk("")})});
  const auto [seen, why] = lines_before(server.url(), {.longest = 5});
  EXPECT_EQ(seen, lines{"one"});
  EXPECT_EQ(why, server.url() + ": line 2 has more than .longest, 5 bytes");
  EXPECT_EQ(lines_of(server.url(), {.longest = 5}, {.on_error = tw::skip}), (lines{"one", "12345"}));
}

TEST(WebLines, ASilentServerIsGivenUp) {
  const web_server server({staying(chunked() + chunk("one\n")), staying("")});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(cause_of(server.url(), {.longest_silence = 50ms}),
              server.url() + " has sent nothing for 50 ms");
}

TEST(WebLines, ASilentServerIsAskedAgain) {
  const web_server server({staying(chunked()), saying({answer_of("5\n6")})});
  EXPECT_EQ(lines_of(server.url(), {.longest_silence = 1s, .reconnect = tw::web_reconnect{.delay = 1ms}}),
            (lines{"5", "6"}));
}

TEST(WebLines, GoOnAfterALoss) {
  const web_server server({saying({chunked(), chunk("1\n2\nhal")}), saying({""}),
                           saying({answer_of("", "", "503 Busy")}), saying({chunked(), chunk("3\n"), "x"}),
                           saying({answer_of("4\n5")})});
  EXPECT_EQ(lines_of(server.url(), {.reconnect = at_once}), (lines{"1", "2", "3", "4", "5"}));
}

TEST(WebLines, TriesOfOneRowAreLimitedAndSomeRefusalsAreFinal) {
  const web_server busy({saying({chunked(), chunk("1\n")}), saying({answer_of("", "", "503 Busy")})});
  EXPECT_EQ(cause_of(busy.url(), {.reconnect = at_once}), busy.url() + " answers 503 Busy");
  EXPECT_EQ(busy.requests().size(), 1U + 3U);
  const web_server gone({saying({answer_of("", "", "410 Gone")})});
  EXPECT_EQ(cause_of(gone.url(), {.reconnect = at_once}), gone.url() + " answers 410 Gone");
  EXPECT_EQ(gone.requests().size(), 1U);
}

TEST(WebLines, AreAskedForAgain) {
  const web_server server({saying({answer_of("1\n2", "Connection: close\r\n")}),
                           saying({answer_of("", "Connection: close\r\n")}),
                           saying({answer_of("3\n", "Connection: close\r\n")}), staying("")});
  lines seen;
  auto run = tw::launch(tw::http_lines(server.url(), {.every = 1ms}) | tw::sink(seen));
  EXPECT_TRUE(eventually([&] { return server.requests().size() == 4; }));
  run.stop();
  run.wait();
  EXPECT_EQ(seen, (lines{"1", "2", "3"}));
}

TEST(WebLines, AStopAndACancelEndEveryWait) {
  const web_server server(
      {saying({answer_of("1\n", "Connection: close\r\n")}), staying(chunked() + chunk("1\n")), staying("")});
  std::uint16_t nobody = 0;
  { nobody = raw_peer::listening().port(); }
  // Until it is time to ask again, for the next line, for an answer, and until it is time to try again.
  for (const auto& [url, how] : std::vector<std::pair<std::string, tw::http_lines_options>>{
           {server.url(), {.every = 24h}},
           {server.url(), {}},
           {server.url(), {}},
           {"http://127.0.0.1:" + std::to_string(nobody),
            {.reconnect = tw::web_reconnect{.delay = 24h, .longest_delay = 24h}}}}) {
    for (const bool cancels : {false, true}) {
      auto run = tw::launch(tw::http_lines(url, how) | tw::sink([](const std::string&) {}));
      std::this_thread::sleep_for(20ms);
      if (cancels)
        run.cancel();
      else
        run.stop();
      EXPECT_NO_THROW(run.wait());
    }
  }
}

TEST(WebLines, AServerThatIsFasterWaits) {
  constexpr std::size_t all = std::size_t{48} << 20U;
  const std::string line(65'535, 'x');
  std::atomic<std::size_t> said{0};
  const web_server server({[&](const raw_peer& link, const std::string&) {
    link.say("HTTP/1.1 200 OK\r\n\r\n");
    while (said < all && link.say(line + '\n')) said += line.size() + 1;
  }});
  std::size_t seen = 0;
  tw::run(tw::http_lines(server.url()) | tw::sink([&](const std::string&) {
            if (seen++ > 0) return;
            // It comes to a halt, as what it says has no room.
            auto before = said.load();
            const auto stands = [&] { return std::exchange(before, said.load()) == before; };
            for (int i = 0; i < 5; i = stands() ? i + 1 : 0) std::this_thread::sleep_for(20ms);
            EXPECT_LT(said, all / 2);
          }));
  EXPECT_EQ(seen, all / (line.size() + 1));
}

// What is there already is not taken all at once.
TEST(WebLines, WhatIsReadAheadIsBounded) {
  constexpr std::size_t all = 1'000'000, most = 100'000;
  std::atomic<bool> said{false};
  const web_server server({[&](const raw_peer& link, const std::string&) {
    said = link.say(answer_of(std::string(all, 'x')));
    (void)link.hear();
  }});
  const tw::net::web::waker wakes;
  tw::net::web::answer from(tw::net::web::endpoint_of(server.url(), tw::http_lines_options{}), {}, wakes);
  std::size_t seen = 0;
  for (std::string some; seen < all; some.clear()) {
    EXPECT_EQ(from.more(some), tw::net::web::answer::found::bytes);
    EXPECT_LE(some.size(), most);
    EXPECT_TRUE(eventually([&] { return said.load(); }));
    seen += some.size();
  }
  EXPECT_EQ(seen, all);
}

TEST(WebLines, WhatIsWrongWithOptionsIsSaidBeforeTheRun) {
  const auto problems = [](const std::string& url, tw::http_lines_options how) {
    return problems_of([&] { lines_of(url, std::move(how)); });
  };
  const std::string good = "http://localhost/";
  EXPECT_THAT(
      problems("ftp://localhost/", {}),
      ElementsAre(HasSubstr("'ftp://localhost/' is no address that begins with http:// or https://")));
  EXPECT_THAT(problems("localhost", {}), ElementsAre(HasSubstr("'localhost' is no address")));
  EXPECT_THAT(problems("", {}), ElementsAre(HasSubstr("'' is no address")));
  EXPECT_THAT(problems(good, {.method = "HEAD"}), ElementsAre(HasSubstr(".method 'HEAD'")));
  EXPECT_THAT(problems(good, {.method = "GET /"}), ElementsAre(HasSubstr(".method 'GET /'")));
  EXPECT_THAT(problems(good, {.headers = {{"X", "1\r\nY: 2"}}}),
              ElementsAre(HasSubstr("cannot be sent: 'X'")));
  EXPECT_THAT(problems(good, {.bearer = "a\nb"}), ElementsAre(HasSubstr(".bearer has a line end")));
  EXPECT_THAT(problems(good, {.connect_within = 0ms}),
              ElementsAre(HasSubstr(".connect_within must be longer")));
  EXPECT_THAT(problems(good, {.longest_silence = -1ms}), ElementsAre(HasSubstr(".longest_silence must be")));
  EXPECT_THAT(problems(good, {.every = 0ms}), ElementsAre(HasSubstr(".every must be longer than 0 ms")));
  EXPECT_THAT(problems(good, {.reconnect = tw::web_reconnect{.tries = 0}}),
              ElementsAre(HasSubstr("1 of .tries")));
  EXPECT_THAT(problems(good, {.longest = 0}),
              ElementsAre(HasSubstr(".longest line must have at least 1 byte")));
}

}  // namespace
