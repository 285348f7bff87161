// Clients that behave badly, and too many of them.
#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using testing::StartsWith;

namespace {

std::size_t threads_now() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

raw_peer connected(const tw::live::server& to) {
  return raw_peer::connected_to(static_cast<std::uint16_t>(to.port()));
}

const std::string listens = "GET /api/events?since=0 HTTP/1.1\r\nHost: localhost\r\n\r\n";

}  // namespace

TEST(live_clients, a_hundred_at_once_are_answered_or_turned_away) {
  auto how = often();
  how.clients = 8;
  const tw::live::server page(tw::launch(endless()), how);
  std::vector<raw_peer> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(connected(page));
    ASSERT_TRUE(all.back().say(listens));
  }
  int heard = 0, refused = 0;
  for (const auto& one : all) {
    const auto status = status_of(one.hear(12));
    heard += status == 200 ? 1 : 0;
    refused += status == 503 ? 1 : 0;
  }
  EXPECT_EQ(heard, 8);
  EXPECT_EQ(refused, 92);
  EXPECT_EQ(get(page.port(), "/healthz").body, "running\n");
  // When one of them leaves there is room again.
  all.clear();
  EXPECT_TRUE(eventually([&] {
    const auto one = connected(page);
    one.say(listens);
    return status_of(one.hear(12)) == 200;
  }));
}

TEST(live_clients, who_never_reads_holds_up_nobody) {
  auto how = often();
  how.every = std::chrono::milliseconds(1);
  tw::live::server page(tw::launch(endless()), how);
  const auto deaf = connected(page);
  const int small = 1024;
  ::setsockopt(deaf.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  deaf.say(listens);
  const auto items = page.execution().stats().items();
  std::size_t heard = 0;
  (void)events_until(page.port(), "/api/events", [&](const event&) { return ++heard == 50; });
  EXPECT_EQ(heard, 50U);
  EXPECT_GT(page.execution().stats().items(), items);
  page.execution().stop();
  (void)page.wait();
}

TEST(live_clients, half_a_request_and_silence) {
  tw::live::server page(tw::launch(endless()), often());
  std::vector<raw_peer> silent;
  for (const auto* half : {"", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: local",
                           "POST /api/replicas HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"}) {
    silent.push_back(connected(page));
    silent.back().say(half);
  }
  EXPECT_EQ(get(page.port(), "/healthz").body, "running\n");
  // They do not hold up its end either.
}

TEST(live_clients, who_never_comes_to_an_end_does_not_hold_up_its_end) {
  std::atomic<bool> begun{false};
  auto page = std::make_unique<tw::live::server>(tw::launch(endless()), often());
  std::thread talker([&begun, one = connected(*page)] {
    one.say("GET / HTTP/1.1\r\nHost: localhost\r\n");
    while (one.say("X: y\r\n")) {
      begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_TRUE(eventually([&] { return begun.load(); }));
  page.reset();
  talker.join();
}

TEST(live_clients, who_never_comes_to_an_end_is_let_go) {
  const tw::live::server page(tw::launch(endless()), often());
  const auto one = connected(page);
  one.say("GET / HTTP/1.1\r\nHost: localhost\r\n");
  while (one.say("X: y\r\n")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(live_clients, many_who_never_come_to_an_end_hold_up_nobody) {
  auto how = often();
  how.clients = 2;  // and 8 places for others
  const tw::live::server page(tw::launch(endless()), how);
  std::vector<raw_peer> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(connected(page));
    all.back().say("GET / HTTP/1.1\r\n");
  }
  std::atomic<bool> over{false};
  std::thread talker([&] {
    while (!over) {
      for (const auto& one : all) one.say("X: y\r\n");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(get(page.port(), "/healthz").body, "running\n");
  over = true;
  talker.join();
}

TEST(live_clients, bytes_that_are_no_request) {
  const tw::live::server page(tw::launch(endless()), often());
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const auto& bytes :
       {std::string("\r\n\r\n"), std::string(100'000, 'x'), all,
        std::string("\x16\x03\x01\x02\x00\x01\x00", 7), std::string("GET /\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), "GET " + std::string(20'000, '/') + " HTTP/1.1\r\n\r\n"}) {
    const auto one = connected(page);
    one.say(bytes);
    one.hang_up();
    const auto answer = one.hear();
    const auto status = status_of(answer);
    EXPECT_TRUE(answer.empty() || (status >= 400 && status < 500)) << answer.substr(0, 200);
  }
  EXPECT_EQ(get(page.port(), "/healthz").body, "running\n");
}

TEST(live_clients, parts_of_an_answer_are_refused) {
  const tw::live::server page(tw::launch(endless()), often());
  EXPECT_EQ(
      status_of(answer_to(page.port(), "GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-3\r\n\r\n")),
      416);
}

TEST(live_clients, none_leaves_a_thread_behind) {
  const auto at_first = threads_now();
  {
    auto run = tw::launch(endless());
    (void)run.stats();
    const tw::live::server page(run, often());
    EXPECT_EQ(get(page.port(), "/healthz").status, 200);
    for (int i = 0; i < 50; ++i) {
      const auto one = connected(page);
      one.say(i % 2 == 0 ? listens : "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      EXPECT_THAT(one.hear(8), StartsWith("HTTP/1.1"));
    }
    // Those of the run, the one that looks, and the one that lets clients in.
    EXPECT_TRUE(
        eventually([&] { return threads_now() <= at_first + 2 + std::thread::hardware_concurrency() + 1; }));
    run.cancel();
    (void)run.wait();
  }
  EXPECT_TRUE(eventually([&] { return threads_now() <= at_first; })) << threads_now() << " " << at_first;
}

TEST(live_clients, the_program_keeps_what_it_does_with_signals) {
  struct sigaction before {
  }, after{};
  ::sigaction(SIGPIPE, nullptr, &before);
  const tw::live::server page(tw::launch(endless()), often());
  ::sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}
