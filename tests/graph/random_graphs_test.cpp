// Random graphs under every policy, against an interpreter that knows nothing of thalweg. See
// tests/support/random_graphs for how graphs are made up, built and predicted.
//
// THALWEG_GRAPHS=n runs n graphs in all, THALWEG_POLICIES=a,b,c only under these policies. What fails or
// hangs prints how to repeat it.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/random_graphs/build.hpp"
#include "support/random_graphs/compare.hpp"
#include "support/random_graphs/description.hpp"
#include "support/random_graphs/generate.hpp"
#include "support/random_graphs/operators.hpp"
#include "support/random_graphs/oracle.hpp"
#include "support/restless.hpp"
#include "support/scale.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace random_graphs;
using namespace std::chrono_literals;

constexpr int default_graphs = THALWEG_THREAD_SANITIZER ? 150 : THALWEG_ADDRESS_SANITIZER ? 300 : 400;

std::chrono::seconds hangs_after() {
  const char* text = std::getenv("THALWEG_HANGS_AFTER");
  return std::chrono::seconds(text != nullptr ? std::atoi(text) : 40);
}

int graphs_in_all() {
  if (const char* text = std::getenv("THALWEG_GRAPHS")) return std::max(1, std::atoi(text));
  return std::getenv("THALWEG_TEST_SCALE") != nullptr ? scaled(400) : default_graphs;
}

rc::Gen<std::string> any_policy() {
  std::vector<std::string> all{"sequential", "pool", "pool:1", "pool:3", "pool:4", "threads", "threads:3"};
  if (const char* text = std::getenv("THALWEG_POLICIES")) {
    all.clear();
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, ',');) all.push_back(name);
  }
  return rc::gen::elementOf(std::move(all));
}

std::string how_to_repeat() {
  return "RC_PARAMS=\"seed=" + std::to_string(rc::detail::configuration().testParams.seed) +
         "\" THALWEG_GRAPHS=" + std::to_string(graphs_in_all()) + " --gtest_filter=RandomGraphs." +
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

// What went wrong last, and whether something did. While a failing graph is being made smaller, each
// candidate is run several times: many failures are a matter of luck.
std::string last_failure;
int tries() {
  return last_failure.empty() ? 1 : 12;
}

/// Runs a property for `percent` of all graphs.
template <class Property> void hold(int percent, const Property& property) {
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, graphs_in_all() * percent / 100);
  const auto result = rc::detail::checkTestable(property, metadata, params);
  if (!result.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    FAIL() << text.str() << "\nThe last failure: " << std::exchange(last_failure, {})
           << "\nTo repeat: " << how_to_repeat();
  }
}

void fail(const std::string& policy, const witness& w, const std::string& what) {
  last_failure = "under " + policy + ": " + what + "\n" + w.described.text();
  RC_FAIL(last_failure);
}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something unknown";
  }
}

// --- running ---

using action = std::function<void(tw::execution&, witness&)>;

struct outcome {
  tw::report report;
  std::exception_ptr error;
};

/// Runs a graph while `act` meddles from another thread.
outcome perform(tw::graph& g, witness& w, const std::string& policy, const action& act = nullptr) {
  const watchdog::watch limit(hangs_after(), [&] {
    return "policy " + policy + "\n" + w.described.text() + "\nTo repeat: " + how_to_repeat();
  });
  outcome o;
  try {
    if (!act) {
      o.report = tw::run(g, tw::policy_from(policy));
    } else {
      auto e = tw::launch(g, tw::policy_from(policy));
      std::thread meddler([&] { act(e, w); });
      try {
        o.report = e.wait();
      } catch (...) {
        o.error = std::current_exception();
      }
      meddler.join();
    }
  } catch (...) {
    o.error = std::current_exception();
  }
  return o;
}

struct made {
  explicit made(const description& d, bool works = true) : left(std::make_shared<witness>(layout(d))) {
    left->works = works;
  }
  tw::graph& build() {
    random_graphs::build(left, g);
    return g;
  }
  std::shared_ptr<witness> left;
  tw::graph g;
};

// --- judging ---

/// The sinks got what they should: all of it, or a beginning.
void check_output(const std::string& policy, const witness& w, const prediction& expected, bool all) {
  const auto problem = mismatch(w, expected, all);
  if (!problem.empty()) fail(policy, w, problem);
}

void check_report(const std::string& policy, const witness& w, const tw::report& r,
                  const prediction& expected) {
  const auto& l = w.described;
  std::uint64_t sunk = 0;
  for (std::size_t i = 0; i < l.nodes.size(); ++i) {
    const auto& n = l.nodes[i];
    const auto name = n.name(i);
    const auto& want = expected.nodes[i];
    const auto& got = r.stage(name);
    const auto same = [&](const char* what, std::uint64_t a, std::uint64_t b) {
      if (a != b)
        fail(policy, w,
             name + " reports " + what + " " + std::to_string(a) + " instead of " + std::to_string(b));
    };
    if (n.what == verb::sink) sunk += want.in;
    if (n.what != verb::loop && n.what != verb::source) same("in", got.items_in(), want.in);
    const bool several = n.what == verb::line || n.what == verb::farm_line || n.what == verb::batch ||
                         n.what == verb::loop || n.what == verb::count_window ||
                         n.what == verb::time_window || n.what == verb::reduce;
    if (!several && n.what != verb::sink) same("out", got.items_out(), want.out);
  }
  if (r.items() != sunk)
    fail(policy, w, "the report counts " + std::to_string(r.items()) + " items, not " + std::to_string(sunk));
}

void check_complete(const std::string& policy, const witness& w, const outcome& o,
                    const prediction& expected) {
  if (o.error) fail(policy, w, "ended by " + text_of(o.error));
  if (!w.complaints().empty()) fail(policy, w, w.complaints());
  check_output(policy, w, expected, true);
  check_report(policy, w, o.report, expected);
}

// --- meddling ---

/// A random moment of a run: when so many items have arrived, or after some time.
struct moment {
  long items = 0;
  int microseconds = 0;
};
std::ostream& operator<<(std::ostream& out, const moment& m) {
  return out << m.items << " items or " << m.microseconds << " us";
}
rc::Gen<moment> any_moment() {
  return rc::gen::build<moment>(
      rc::gen::set(&moment::items, rc::gen::oneOf(rc::gen::inRange(0L, 10L), rc::gen::inRange(0L, 2'000L))),
      rc::gen::set(&moment::microseconds,
                   rc::gen::oneOf(rc::gen::inRange(0, 50), rc::gen::inRange(0, 3'000))));
}
void await(const moment& m, const tw::execution& e, const witness& w) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(m.microseconds);
  const auto items = w.arrived.load() + m.items;
  while (std::chrono::steady_clock::now() < until && w.arrived.load(std::memory_order_relaxed) < items &&
         !e.done()) {
    std::this_thread::yield();
  }
}

/// A graph that has enough to do for somebody to meddle with it.
description longer(description d, std::uint64_t most = 200'000) {
  for (auto& s : d.sources) s.items *= 10;
  return settled(std::move(d), most);
}

// --- the properties ---

TEST(RandomGraphs, DoWhatTheyShould) {
  hold(50, [] {
    const auto d = *any_description();
    const auto policy = *any_policy();
    made m(d);
    const auto expected = predict(m.left->described);
    auto& g = m.build();
    for (int i = 0; i < 2 * tries(); ++i) {
      m.left->forget();
      check_complete(policy + ", run " + std::to_string(i), *m.left, perform(g, *m.left, policy), expected);
    }
  });
}

TEST(RandomGraphs, DoWhatTheyShouldOneAfterTheOther) {
  hold(10, [] {
    const auto d = *any_description();
    made m(d, false);
    const auto expected = predict(m.left->described);
    check_complete("sequential", *m.left, perform(m.build(), *m.left, "sequential"), expected);
  });
}

TEST(RandomGraphs, AnErrorEndsTheRun) {
  hold(15, [] {
    const auto d = *any_description();
    const auto policy = *any_policy();
    made m(d);
    auto& w = *m.left;
    const auto expected = predict(w.described);
    std::vector<std::size_t> can;
    for (std::size_t i = 0; i < w.described.nodes.size(); ++i) {
      const auto what = w.described.nodes[i].what;
      const bool ours = what != verb::batch && what != verb::fan && what != verb::split &&
                        what != verb::tee && what != verb::stamp &&
                        (what < verb::merge || what > verb::merge_ordered) &&
                        (what != verb::source || w.described.sources[i].from != origin::range);
      if (ours && expected.nodes[i].calls > 0) can.push_back(i);
    }
    RC_PRE(!can.empty());
    w.throws = *rc::gen::elementOf(can);
    w.at_call = 1 + *rc::gen::inRange(0UL, 100'000UL) % expected.nodes[w.throws].calls;
    const auto name = w.described.nodes[w.throws].name(w.throws);
    RC_LOG() << name << " throws at call " << w.at_call << "\n";
    const auto ran = perform(m.build(), w, policy);
    if (!ran.error) fail(policy, w, "no error came out");
    try {
      std::rethrow_exception(ran.error);
    } catch (const tw::stage_error& e) {
      if (e.stage() != name) fail(policy, w, "the error names " + e.stage() + ": " + e.what());
      try {
        std::rethrow_exception(e.cause());
      } catch (const refusal& why) {
        RC_ASSERT(why.number == w.throws);
      }
    } catch (const std::exception& e) {
      fail(policy, w, std::string("no stage_error: ") + e.what());
    }
    if (!w.complaints().empty()) fail(policy, w, w.complaints());
    check_output(policy, w, expected, false);
  });
}

TEST(RandomGraphs, StopDrains) {
  hold(12, [] {
    const auto d = longer(*any_description());
    const auto when = *any_moment();
    const auto policy = *any_policy();
    made m(d);
    auto& w = *m.left;
    const auto ran = perform(m.build(), w, policy, [&](tw::execution& e, witness& v) {
      await(when, e, v);
      e.stop();
    });
    if (ran.error) fail(policy, w, "ended by " + text_of(ran.error));
    std::vector<long> given;
    for (std::size_t i = 0; i < w.described.sources.size(); ++i) {
      given.push_back(static_cast<long>(ran.report.stage(w.described.nodes[i].name(i)).items_out()));
      const auto called = static_cast<long>(w.nodes[i].calls);
      if (w.described.sources[i].from != origin::range && (given[i] > called || given[i] < called - 1))
        fail(policy, w,
             "source " + std::to_string(i) + " gave " + std::to_string(called) +
                 " items, but the report says " + std::to_string(given[i]));
    }
    check_complete(policy, w, ran, predict(w.described, given));
  });
}

TEST(RandomGraphs, CancelEndsAtOnce) {
  hold(8, [] {
    const auto d = longer(*any_description());
    const auto when = *any_moment();
    const auto policy = *any_policy();
    made m(d);
    auto& w = *m.left;
    const auto ran = perform(m.build(), w, policy, [&](tw::execution& e, witness& v) {
      await(when, e, v);
      e.cancel();
    });
    if (ran.error) fail(policy, w, "ended by " + text_of(ran.error));
    if (!w.complaints().empty()) fail(policy, w, w.complaints());
    check_output(policy, w, predict(w.described), false);
  });
}

TEST(RandomGraphs, AnExecutionIsDestroyed) {
  hold(5, [] {
    const auto d = longer(*any_description());
    const auto when = *any_moment();
    const auto policy = *any_policy();
    made m(d);
    auto& w = *m.left;
    auto& g = m.build();
    {
      const watchdog::watch limit(hangs_after(), [&] {
        return "policy " + policy + "\n" + w.described.text() + "\nTo repeat: " + how_to_repeat();
      });
      const auto e = tw::launch(g, tw::policy_from(policy));
      await(when, e, w);
    }
    if (!w.complaints().empty()) fail(policy, w, w.complaints());
    check_output(policy, w, predict(w.described), false);
    // What one run has left is no part of the next.
    w.forget();
    check_complete(policy + " again", w, perform(g, w, policy), predict(w.described));
  });
}

TEST(RandomGraphs, PauseAndResume) {
  hold(8, [] {
    const auto d = *any_description();
    const auto moments =
        *rc::gen::resize(8, rc::gen::container<std::vector<moment>>(rc::gen::resize(100, any_moment())));
    const auto policy = *any_policy();
    made m(d);
    auto& w = *m.left;
    const auto ran = perform(m.build(), w, policy, [&](tw::execution& e, witness& v) {
      bool paused = false;
      for (const auto& at : moments) {
        await({at.items, at.microseconds / 4}, e, v);
        if (std::exchange(paused, !paused)) {
          e.resume();
        } else {
          e.pause();
        }
        (void)e.stats();
      }
      e.resume();
    });
    check_complete(policy, w, ran, predict(w.described));
  });
}

TEST(RandomGraphs, TheyAdaptThemselves) {
  hold(10, [] {
    const auto d = longer(*any_description(), 100'000);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const auto policy = *any_policy();
    made m(d);
    auto& w = *m.left;
    const auto ran =
        perform(m.build(), w, policy, [&](tw::execution& e, witness&) { e.adapt(somehow(seed)); });
    check_complete(policy, w, ran, predict(w.described));
  });
}

TEST(RandomGraphs, ReplicasChange) {
  hold(10, [] {
    const auto d = longer(*any_description(), 100'000);
    const auto policy = *rc::gen::element<std::string>("pool", "pool:3", "pool:4", "pool:1");
    made m(d);
    auto& w = *m.left;
    std::vector<std::string> farms;
    for (std::size_t i = 0; i < w.described.nodes.size(); ++i) {
      const auto what = w.described.nodes[i].what;
      if (what == verb::farm || what == verb::farm_line) farms.push_back(w.described.nodes[i].name(i));
    }
    RC_PRE(!farms.empty());
    const auto changes =
        *rc::gen::resize(10, rc::gen::container<std::vector<std::pair<std::string, int>>>(rc::gen::resize(
                                 100, rc::gen::pair(rc::gen::elementOf(farms), rc::gen::inRange(1, 9)))));
    const auto when = *any_moment();
    const auto ran = perform(m.build(), w, policy, [&](tw::execution& e, witness& v) {
      for (const auto& [farm, replicas] : changes) {
        await({when.items / 4, when.microseconds / 4}, e, v);
        e.set_replicas(farm, replicas);
      }
    });
    check_complete(policy, w, ran, predict(w.described));
  });
}

}  // namespace
