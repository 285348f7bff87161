#include <thalweg/thalweg.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"

namespace tw = thalweg;
using namespace graphs;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

// source -> tee -> (left -> left-end, right -> right-end)
struct shape {
  tw::graph g;
  tw::tee<int>& t;
  shape() : t(g.configure(g.add<tw::tee<int>>(), {.name = "tee"})) {
    g.connect(g.add(tw::source(std::vector{1, 2}, {.name = "source"})).out, t.in);
    for (const std::string side : {"left", "right"}) {
      auto line = g.add(tw::map([](int x) { return x; }, {.name = side}));
      g.connect(t.branch(), line.in, {.capacity = side == "left" ? 7 : 9});
      g.connect(line.out, g.add(tw::sink([](int) {}, {.name = side + "-end"})).in);
    }
  }
};

struct names : tw::graph_visitor {
  std::vector<std::string> seen;
  std::vector<std::pair<std::size_t, std::size_t>> crossed;
  std::string stop;
  bool visit(const tw::graph_node& n) override {
    seen.push_back(n.name);
    return n.name != stop;
  }
  void cross(const tw::graph_edge& e) override { crossed.emplace_back(e.from, e.to); }
};

std::vector<std::string> walked(const tw::graph& g, tw::direction where, tw::search how,
                                std::vector<std::size_t> from = {}, const std::string& stop = "") {
  names v;
  v.stop = stop;
  g.walk(v, where, how, std::move(from));
  return v.seen;
}

TEST(Walk, DownstreamAndUpstreamBreadthAndDepthFirst) {
  const shape s;
  using tw::direction;
  using tw::search;
  EXPECT_THAT(walked(s.g, direction::downstream, search::breadth_first),
              ElementsAre("source", "tee", "left", "right", "left-end", "right-end"));
  EXPECT_THAT(walked(s.g, direction::downstream, search::depth_first),
              ElementsAre("source", "tee", "left", "left-end", "right", "right-end"));
  EXPECT_THAT(walked(s.g, direction::upstream, search::breadth_first),
              ElementsAre("left-end", "right-end", "left", "right", "tee", "source"));
  EXPECT_THAT(walked(s.g, direction::upstream, search::depth_first),
              ElementsAre("left-end", "left", "tee", "source", "right-end", "right"));
}

TEST(Walk, BeginsWhereItIsToldAndGoesNoFurtherThanItIsLet) {
  const shape s;
  using tw::direction;
  using tw::search;
  EXPECT_THAT(walked(s.g, direction::downstream, search::breadth_first, {2}), ElementsAre("left", "left-end"));
  EXPECT_THAT(walked(s.g, direction::upstream, search::breadth_first, {3}),
              ElementsAre("left-end", "left", "tee", "source"));
  EXPECT_THAT(walked(s.g, direction::downstream, search::breadth_first, {}, "left"),
              ElementsAre("source", "tee", "left", "right", "right-end"));
}

TEST(Walk, CrossesEachConnectionOnceAndGoesRoundLoops) {
  tw::graph g;
  auto& h = g.add<halver>();
  g.connect(g.add(tw::source(std::vector{1})).out, h.fresh);
  g.connect(h.again, h.back);
  g.connect(h.done, g.add(tw::sink([](int) {})).in);
  names v;
  g.walk(v);
  EXPECT_THAT(v.seen, SizeIs(3));
  EXPECT_THAT(v.crossed, testing::UnorderedElementsAre(std::pair(1, 0), std::pair(0, 0), std::pair(0, 2)));
}

TEST(Walk, NodesAndEdgesSayWhatTheyAre) {
  const shape s;
  EXPECT_EQ(s.g.size(), 6U);
  const auto tee = s.g.node(0);
  EXPECT_EQ(tee.id, 0U);
  EXPECT_EQ(tee.name, "tee");
  EXPECT_EQ(tee.pattern, "tee");
  ASSERT_THAT(tee.inputs, SizeIs(1));
  EXPECT_EQ(tee.inputs[0].name, "in");
  EXPECT_EQ(*tee.inputs[0].type, typeid(int));
  EXPECT_TRUE(tee.inputs[0].connected);
  ASSERT_THAT(tee.outputs, SizeIs(2));
  EXPECT_EQ(tee.outputs[1].name, "branch-1");
  const auto source = s.g.node(1);
  EXPECT_THAT(source.inputs, IsEmpty());
  EXPECT_EQ(source.pattern, "source");
  const auto edges = s.g.edges();
  ASSERT_THAT(edges, SizeIs(5));
  EXPECT_EQ(edges[0].from, 1U);
  EXPECT_EQ(edges[0].to, 0U);
  EXPECT_EQ(edges[3].from_port, 1U);
  EXPECT_EQ(edges[3].opts->capacity, 9);
  EXPECT_THROW((void)s.g.node(6), std::out_of_range);
}

TEST(GraphStages, IdsAndNamesStayTheSameFromRunToRun) {
  tw::graph g;
  auto& c = g.add<counter>(3);
  auto& k = g.configure(g.add<collector>(), {.name = "all"});
  g.connect(c.out, k.in);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(c.id(), 0U);
    EXPECT_EQ(k.id(), 1U);
    EXPECT_EQ(c.name(), "counter-0");
    EXPECT_EQ(k.name(), "all");
    tw::run(g);
  }
}

TEST(GraphStages, LogUnderTheirNamesFromALevelOfTheirOwnOn) {
  struct talking : collector {
    void on_end() override {
      log().debug("details");
      log().info("news");
      log().warning("trouble");
    }
  };
  std::vector<std::string> lines;
  tw::observe::set_log_handler([&](tw::observe::severity, std::string_view who, std::string_view line) {
    lines.push_back(std::string(who) + ": " + std::string(line));
  });
  tw::graph g;
  auto& t = g.add<tw::tee<int>>();
  auto& quiet = g.configure(g.add<talking>(), {.name = "quiet"});
  auto& loud = g.configure(g.add<talking>(), {.name = "loud"});
  quiet.log().set_level(tw::observe::severity::warning);
  loud.log().set_level(tw::observe::severity::debug);
  g.connect(g.add(tw::source(std::vector{1})).out, t.in);
  g.connect(t.branch(), quiet.in);
  g.connect(t.branch(), loud.in);
  tw::run(g, tw::sequential{});
  tw::observe::set_log_handler(nullptr);
  EXPECT_THAT(lines, testing::UnorderedElementsAre("quiet: trouble", "loud: details", "loud: news", "loud: trouble"));
}

TEST(GraphPictures, ShowStagesAndConnections) {
  shape s;
  const auto dot = tw::to_dot(s.g);
  EXPECT_THAT(dot, AllOf(HasSubstr("digraph"), HasSubstr("label=\"tee\\ntee\""), HasSubstr("s1 -> s0"),
                         HasSubstr("s0 -> s2"), HasSubstr("s0 -> s4"), HasSubstr("s2 -> s3")));
  const auto json = tw::to_json(s.g);
  EXPECT_THAT(json, AllOf(HasSubstr("\"name\":\"left-end\""), HasSubstr("\"from\":1,\"to\":0"),
                          HasSubstr("\"from\":0,\"to\":4")));
  EXPECT_EQ(tw::run(s.g).items(), 4U) << "a picture uses nothing up";
}

}  // namespace
