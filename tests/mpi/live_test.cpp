// The page of a run on several ranks: rank 0 serves what all of them do.
#include <thalweg/run/mpi.hpp>

#include "live/client.hpp"
#include "mpi/ranks.hpp"
#include "support/eventually.hpp"

using namespace live_test;

TEST(Live, RankZeroShowsAllRanks) {
  auto run =
      tw::launch(tw::source([n = 0L]() mutable -> std::optional<long> { return n++; }, {.name = "read"}) |
                     tw::farm([](const long& x) { return x; }, {.name = "pass"}) |
                     tw::sink([](long) {}, {.name = "write"}),
                 ranks::away({"pass"}));
  if (!ranks::root()) {
    run.wait();
    return;
  }
  tw::live::server page(std::move(run), {.every = std::chrono::milliseconds(20), .announce = false});
  json last;
  EXPECT_TRUE(eventually([&] {
    const auto history = get(page.port(), "/api/state").as_json().at("history");
    if (history.empty()) return false;
    last = history.back();
    if (ranks::count() == 1) return last.at("stages").at(1).at("items_in") > 0;
    const auto rows = last.find("ranks");
    return rows != last.end() && rows->size() == static_cast<std::size_t>(ranks::count()) &&
           std::ranges::all_of(*rows, [](const json& row) { return row.at("messages") > 0; });
  })) << last;
  EXPECT_GT(last.at("stages").at(1).at("items_in"), 0) << "the farm is elsewhere";
  EXPECT_EQ(last.contains("ranks"), ranks::count() > 1);
  if (ranks::count() > 1) {
    EXPECT_GT(last.at("ranks").back().at("age_ns"), 0);
    EXPECT_FALSE(last.at("ranks").back().at("host").get<std::string>().empty());
  }
  page.execution().stop();
  EXPECT_EQ(page.wait().stage("pass").items_in(), page.wait().stage("read").items_out());
}
