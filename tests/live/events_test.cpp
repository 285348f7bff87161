// What those hear who listen.
#include <thread>

#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"

using namespace live_test;

namespace {

auto few() {
  return tw::source(std::vector{1, 2, 3}, {.name = "three"}) | tw::sink([](int) {}, {.name = "end"});
}

}  // namespace

TEST(live_events, first_the_graph_then_samples_and_the_end) {
  tw::live::server page(tw::launch(endless()), often());
  std::size_t samples = 0;
  const auto events = events_until(page.port(), "/api/events", [&](const event& one) {
    if (one.name == "sample" && ++samples == 3) page.execution().stop();
    return is_end(one);
  });
  ASSERT_GE(events.size(), 5U);
  EXPECT_EQ(events.front().name, "graph");
  EXPECT_EQ(events.front().data["stages"].size(), 3U);
  const auto& last = events.back();
  EXPECT_EQ(last.name, "end");
  EXPECT_EQ(last.data["done"], true);
  EXPECT_EQ(last.data["items"], page.wait().items());
  std::int64_t before = -1;
  for (const auto& one : events) {
    if (one.name == "graph") continue;
    EXPECT_GT(one.data["time_ns"], before);
    before = one.data["time_ns"];
  }
}

TEST(live_events, who_comes_late_hears_what_is_kept) {
  tw::live::server page(tw::launch(endless()), often());
  ASSERT_TRUE(eventually([&] { return get(page.port(), "/api/state").as_json()["history"].size() > 4; }));
  page.execution().stop();
  (void)page.wait();
  const auto history = get(page.port(), "/api/state").as_json()["history"];
  const auto since = history[1]["time_ns"].get<std::int64_t>();
  const auto events = events_until(page.port(), "/api/events?since=" + std::to_string(since), is_end);
  ASSERT_EQ(events.size(), history.size() - 1);  // the graph, and all but two
  for (std::size_t i = 1; i < events.size(); ++i) EXPECT_EQ(events[i].data, history[i + 1]);
  EXPECT_EQ(events_until(page.port(), "/api/events", is_end).size(), 2U);
  EXPECT_EQ(events_until(page.port(), "/api/events?since=9000000000000000000", is_end).size(), 2U);
  EXPECT_EQ(get(page.port(), "/api/events?since=soon").status, 400);
  EXPECT_EQ(get(page.port(), "/api/events?since=").status, 400);
}

TEST(live_events, old_samples_are_forgotten) {
  auto how = often();
  how.history = {};
  tw::live::server page(tw::launch(endless()), how);
  ASSERT_TRUE(eventually([&] { return get(page.port(), "/metrics").status == 200; }));
  page.execution().stop();
  (void)page.wait();
  EXPECT_EQ(get(page.port(), "/api/state").as_json()["history"].size(), 1U);
}

TEST(live_events, a_run_that_ends_before_the_first_sample) {
  auto how = often();
  how.every = std::chrono::hours(1);
  tw::live::server page(tw::launch(few()), how);
  EXPECT_EQ(page.wait().items(), 3U);
  const auto events = events_until(page.port(), "/api/events?since=0", is_end);
  EXPECT_EQ(events.back().data["items"], 3);
}

TEST(live_events, a_run_that_had_ended_before) {
  auto run = tw::launch(few());
  (void)run.wait();
  tw::live::server page(run, often());
  EXPECT_EQ(get(page.port(), "/healthz").body, "done\n");
  const auto events = events_until(page.port(), "/api/events", is_end);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events.back().data["items"], 3);
  EXPECT_EQ(page.wait().items(), 3U);
}

TEST(live_events, the_end_comes_without_wait) {
  tw::live::server page(tw::launch(few()), often());
  EXPECT_EQ(events_until(page.port(), "/api/events", is_end).back().data["items"], 3);
}

TEST(live_events, a_run_that_fails_ends_too) {
  tw::live::server page(
      tw::launch(tw::source(std::vector{1}) | tw::sink([](int) { throw 7; }, {.name = "bad"})), often());
  EXPECT_EQ(failure_of([&] { (void)page.wait(); }).stage, "bad");
  EXPECT_EQ(get(page.port(), "/healthz").body, "done\n");
  EXPECT_EQ(events_until(page.port(), "/api/events", is_end).back().data["stages"][1]["errors"], 1);
}

TEST(live_events, destruction_ends_those_who_listen) {
  auto run = tw::launch(endless());
  auto page = std::make_unique<tw::live::server>(run, often());
  const auto port = page->port();
  std::atomic<int> heard{0}, left{0};
  std::vector<std::thread> listeners;
  for (int i = 0; i < 8; ++i) {
    listeners.emplace_back([&, port] {
      bool first = true;
      (void)events_until(port, "/api/events", [&](const event&) {
        if (std::exchange(first, false)) ++heard;
        return false;
      });
      ++left;
    });
  }
  ASSERT_TRUE(eventually([&] { return heard == 8; }));
  page.reset();
  for (auto& one : listeners) one.join();
  EXPECT_EQ(left, 8);
  EXPECT_EQ(get(port, "/healthz").status, 0);
  EXPECT_FALSE(run.done());
  run.cancel();
}

TEST(live_events, a_server_that_takes_the_run_ends_it) {
  std::atomic<bool> ended{false};
  {
    tw::live::server page(
        tw::launch(endless(), {.at_end = [&](const tw::run_end& e) { ended = e.cancelled; }}), often());
  }
  EXPECT_TRUE(ended);
}

TEST(live_events, what_cannot_be_served_is_an_error) {
  const tw::live::server first(tw::launch(endless()), often());
  auto run = tw::launch(endless());
  auto how = often();
  how.port = first.port();
  EXPECT_THROW(tw::live::server(run, how), tw::network_error);
  how = often();
  how.address = "no.such.host.invalid";
  EXPECT_THROW(tw::live::server(run, how), tw::network_error);
  how = often();
  how.port = 70'000;
  EXPECT_THROW(tw::live::server(run, how), tw::error);
  how = often();
  how.every = std::chrono::nanoseconds(1);
  EXPECT_THROW(tw::live::server(run, how), tw::error);
  how = often();
  how.clients = 0;
  EXPECT_THROW(tw::live::server(run, how), tw::error);
  EXPECT_FALSE(run.done());
  EXPECT_THROW(
      tw::live::server(tw::launch(tw::source(std::vector{1}) |
                                  tw::farm([](int x) { return x; }, {.replicas = -1}) | tw::sink([](int) {})),
                       often()),
      tw::invalid_job);
  run.cancel();
}
