// What the server of a page answers, and to whom.
#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// A run that has ended.
tw::live::server ended_page() {
  return tw::live::server(
      tw::launch(tw::source(std::vector{1, 2, 3}, {.name = "three"}) | tw::sink([](int) {}, {.name = "end"})),
      often());
}

std::string request(const std::string& line, const std::string& headers = "Host: localhost\r\n") {
  return line + " HTTP/1.1\r\n" + headers + "\r\n";
}

}  // namespace

TEST(live_routes, the_page_and_its_parts_come_from_the_library) {
  const auto page = ended_page();
  const auto first = get(page.port(), "/");
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.header("Content-Type"), StartsWith("text/html"));
  EXPECT_THAT(first.header("Content-Security-Policy"), StartsWith("default-src 'self'"));
  EXPECT_EQ(first.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(first.header("Cache-Control"), "no-store");
  EXPECT_EQ(first.body, get(page.port(), "/assets/index.html").body);
  const auto charts = get(page.port(), "/assets/vendor/uPlot.js");
  EXPECT_EQ(charts.status, 200);
  EXPECT_THAT(charts.header("Content-Type"), StartsWith("text/javascript"));
  EXPECT_THAT(charts.body, HasSubstr("export"));
  EXPECT_THAT(get(page.port(), "/assets/vendor/uPlot.css").header("Content-Type"), StartsWith("text/css"));
  const auto head = answer_to(page.port(), request("HEAD /"));
  EXPECT_EQ(status_of(head), 200);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST(live_routes, nothing_else_is_there) {
  const auto page = ended_page();
  for (const auto* path :
       {"/favicon.ico", "/assets/", "/assets/../index.html", "/assets/%2e%2e/index.html", "/index.html",
        "/api", "/api/", "/api/stat", "/%00", "//", "/assets//etc/passwd"}) {
    const auto answer = answer_to(page.port(), request("GET " + std::string(path)));
    EXPECT_EQ(status_of(answer), 404) << path;
    EXPECT_THAT(answer, HasSubstr("nosniff"));
    EXPECT_TRUE(json::parse(answer.substr(answer.find("\r\n\r\n") + 4)).contains("error")) << answer;
  }
  for (const auto* line : {"PUT /", "DELETE /api/state", "OPTIONS /api/replicas", "PATCH /", "POST /",
                           "POST /api/state", "POST /api/destroy"})
    EXPECT_EQ(status_of(answer_to(page.port(), request(line, "Host: localhost\r\nContent-Length: 0\r\n"))),
              404)
        << line;
}

TEST(live_routes, only_who_names_this_machine_is_answered) {
  const auto page = ended_page();
  for (const auto* host : {"localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:80"})
    EXPECT_EQ(
        status_of(answer_to(page.port(), request("GET /healthz", "Host: " + std::string(host) + "\r\n"))),
        200)
        << host;
  for (const auto* host : {"example.org", "localhost.example.org", "127.0.0.1.example.org", "127.0.0.2",
                           "[::2]", "[::1", "[::1]x", "", "0.0.0.0"}) {
    EXPECT_EQ(
        status_of(answer_to(page.port(), request("GET /healthz", "Host: " + std::string(host) + "\r\n"))),
        421)
        << host;
    EXPECT_EQ(status_of(answer_to(page.port(), request("POST /api/stop", "Host: " + std::string(host) +
                                                                             "\r\nContent-Length: 0\r\n"))),
              421)
        << host;
  }
  EXPECT_EQ(status_of(answer_to(page.port(), request("GET /healthz", ""))), 421);
}

TEST(live_routes, where_all_may_ask_numbers_are_hosts_too) {
  auto how = often();
  how.address = "0.0.0.0";
  const tw::live::server page(tw::launch(endless()), how);
  EXPECT_THAT(page.url(), StartsWith("http://localhost:"));
  EXPECT_EQ(status_of(answer_to(page.port(), request("GET /healthz", "Host: 192.168.7.7:80\r\n"))), 200);
  EXPECT_EQ(status_of(answer_to(page.port(), request("GET /healthz", "Host: example.org\r\n"))), 421);
}

TEST(live_routes, whether_it_runs) {
  tw::live::server page(tw::launch(endless()), often());
  EXPECT_EQ(get(page.port(), "/healthz").body, "running\n");
  page.execution().stop();
  (void)page.wait();
  EXPECT_EQ(get(page.port(), "/healthz").body, "done\n");
}

TEST(live_routes, the_state_tells_the_graph_and_what_has_happened) {
  auto how = often();
  how.title = "A title";
  tw::live::server page(tw::launch(endless(), tw::pool{.workers = 2}), how);
  ASSERT_TRUE(eventually([&] { return get(page.port(), "/api/state").as_json()["history"].size() > 2; }));
  page.execution().stop();
  const auto report = page.wait();
  const auto state = get(page.port(), "/api/state").as_json();
  EXPECT_EQ(state["version"], 1);
  const auto& graph = state["graph"];
  EXPECT_EQ(graph["title"], "A title");
  EXPECT_EQ(graph["pid"], ::getpid());
  EXPECT_EQ(graph["policy"], report.policy());
  EXPECT_EQ(graph["workers"], 2);
  EXPECT_EQ(graph["control"], false);
  EXPECT_EQ(graph["every_ms"], 5);
  ASSERT_EQ(graph["stages"].size(), 3U);
  EXPECT_EQ(graph["stages"][1]["name"], "negate");
  EXPECT_EQ(graph["stages"][1]["farm"], true);
  EXPECT_EQ(graph["stages"][1]["inputs"], json::array({0}));
  const auto& last = state["history"].back();
  EXPECT_EQ(last["done"], true);
  EXPECT_EQ(last["items"], report.items());
  EXPECT_EQ(last["time_ns"], report.elapsed().count());
  EXPECT_EQ(last["stages"][2]["items_in"], report.items());
  std::int64_t before = -1;
  std::uint64_t latencies = 0;
  for (const auto& sample : state["history"]) {
    EXPECT_GT(sample["time_ns"], before);
    before = sample["time_ns"];
    EXPECT_EQ(sample["done"], &sample == &last);
    if (!sample.contains("latency_ns")) continue;
    std::uint64_t counted = 0;
    for (const auto& bucket : sample["latency_ns"]["buckets"]) counted += bucket[1].get<std::uint64_t>();
    EXPECT_EQ(counted, sample["latency_ns"]["count"]);
    latencies += counted;
  }
  EXPECT_EQ(latencies, report.latency().count());
}

TEST(live_routes, names_of_any_bytes_make_valid_json) {
  const std::string name = "a\"b\\c\x01\x1f\xff\xc0\x80<script>alert(1)\u2028";
  tw::live::server page(tw::launch(tw::source(std::vector{1}, {.name = name}) | tw::sink([](int) {})),
                        often());
  (void)page.wait();
  const auto state = get(page.port(), "/api/state").as_json();
  const auto shown = state["graph"]["stages"][0]["name"].get<std::string>();
  EXPECT_THAT(shown, StartsWith("a\"b\\c\x01\x1f\xEF\xBF\xBD"));
  EXPECT_THAT(shown, HasSubstr("<script>alert(1)\u2028"));
  const auto events = events_until(page.port(), "/api/events", is_end);
  EXPECT_EQ(events.front().data["stages"][0]["name"], shown);
}

TEST(live_routes, what_is_not_counted_is_left_out) {
  tw::live::server page(tw::launch(tw::source(std::vector{1, 2}) | tw::sink([](int) {}), {.observe = false}),
                        often());
  (void)page.wait();
  const auto last = get(page.port(), "/api/state").as_json()["history"].back();
  EXPECT_FALSE(last.contains("items"));
  EXPECT_FALSE(last.contains("latency_ns"));
  EXPECT_FALSE(last.contains("bottleneck"));
  EXPECT_FALSE(last["stages"][0].contains("items_out"));
  EXPECT_EQ(last["stages"][0]["errors"], 0);
  EXPECT_THAT(get(page.port(), "/metrics").body, testing::Not(HasSubstr("thalweg_items_total")));
}

TEST(live_routes, errors_that_are_skipped_appear) {
  auto job = tw::source(std::vector{1, 2, 3}) |
             tw::map([](int x) { return x == 2 ? throw 2 : x; }, {.on_error = tw::skip, .name = "picky"}) |
             tw::sink([](int) {});
  tw::live::server page(tw::launch(job), often());
  (void)page.wait();
  const auto stage = get(page.port(), "/api/state").as_json()["history"].back()["stages"][1];
  EXPECT_EQ(stage["errors"], 1);
  EXPECT_EQ(stage["skipped"], 1);
  EXPECT_THAT(get(page.port(), "/metrics").body,
              HasSubstr("thalweg_stage_skipped_total{stage=\"picky\"} 1\n"));
}
