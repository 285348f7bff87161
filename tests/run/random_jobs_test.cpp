// Random jobs under every policy, against an interpreter that knows nothing of thalweg. See
// tests/support/random_jobs for how jobs are made up, built and predicted.
//
// THALWEG_JOBS=n runs n jobs in all (thousands by default, fewer under sanitizers), THALWEG_POLICIES=a,b,c
// only under these policies. What fails or hangs prints how to repeat it.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/difference.hpp"
#include "support/random_jobs/build.hpp"
#include "support/random_jobs/description.hpp"
#include "support/random_jobs/generate.hpp"
#include "support/random_jobs/operators.hpp"
#include "support/random_jobs/oracle.hpp"
#include "support/restless.hpp"
#include "support/scale.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace random_jobs;
using namespace std::chrono_literals;

constexpr int default_jobs = THALWEG_THREAD_SANITIZER ? 300 : THALWEG_ADDRESS_SANITIZER ? 600 : 3'000;

constexpr auto hangs_after = 40s;

int jobs_in_all() {
  if (const char* text = std::getenv("THALWEG_JOBS")) return std::max(1, std::atoi(text));
  return std::getenv("THALWEG_TEST_SCALE") != nullptr ? scaled(3'000) : default_jobs;
}

std::vector<std::string> policies() {
  std::vector<std::string> all{"sequential", "pool",    "pool:1",  "pool:2",    "pool:3",   "pool:4",
                               "pool:8",     "threads", "threads", "threads:1", "threads:3"};
  if (const char* text = std::getenv("THALWEG_POLICIES")) {
    all.clear();
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, ',');) all.push_back(name);
  }
  return all;
}
rc::Gen<std::string> any_policy() {
  return rc::gen::elementOf(policies());
}
rc::Gen<std::string> any_pool() {
  auto all = policies();
  std::erase_if(all, [](const std::string& name) { return !name.starts_with("pool"); });
  if (all.empty()) all.emplace_back("pool");
  return rc::gen::elementOf(std::move(all));
}

std::string how_to_repeat() {
  return "RC_PARAMS=\"seed=" + std::to_string(rc::detail::configuration().testParams.seed) +
         "\" THALWEG_JOBS=" + std::to_string(jobs_in_all()) + " --gtest_filter=RandomJobs." +
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

/// Runs a property for `percent` of all jobs.
template <class Property> void hold(int percent, const Property& property) {
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, jobs_in_all() * percent / 100);
  const auto result = rc::detail::checkTestable(property, metadata, params);
  if (!result.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    FAIL() << text.str() << "\nTo repeat: " << how_to_repeat();
  }
}

// --- running ---

struct outcome {
  std::shared_ptr<witness> left;
  tw::report report;
  std::exception_ptr error;
};

using action = std::function<void(tw::execution&, witness&)>;

std::string json_of(const job& j) {
  return tw::to_json(build(std::make_shared<witness>(j, false)));
}

/// Runs a job, on the calling thread as far as the policy does that, while `act` meddles from another.
outcome perform(const job& j, const std::string& policy, const action& act = nullptr, bool works = true) {
  const watchdog::watch limit(hangs_after, [&] {
    return "policy " + policy + "\n" + text_of(j) + json_of(j) + "\nTo repeat: " + how_to_repeat();
  });
  outcome o{std::make_shared<witness>(j, works), {}, nullptr};
  o.left->caller = std::this_thread::get_id();
  auto made = build(o.left);
  try {
    if (!act && j.seed % 2 == 0) {
      o.report = tw::run(std::move(made), tw::policy_from(policy));
    } else {
      auto e = tw::launch(std::move(made), tw::policy_from(policy));
      std::thread meddler;
      if (act) meddler = std::thread([&] { act(e, *o.left); });
      try {
        o.report = e.wait();
      } catch (...) {
        o.error = std::current_exception();
      }
      if (meddler.joinable()) meddler.join();
    }
  } catch (...) {
    o.error = std::current_exception();
  }
  return o;
}

// --- judging ---

void fail(const std::string& policy, const std::string& what) {
  // RapidCheck runs a job again before it says why it failed, and another run may not.
  std::cerr << "under " << policy << ": " << what << '\n';
  RC_FAIL("under " + policy + ": " + what);
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

void check_complaints(const std::string& policy, const outcome& o) {
  const auto complaints = o.left->complaints();
  if (!complaints.empty()) fail(policy, complaints);
}

/// The sink got what it should, all of it.
void check_output(const job& j, const std::string& policy, const outcome& o, prediction expected) {
  auto seen = o.left->seen;
  if (!is_ordered(j)) {
    std::sort(seen.begin(), seen.end());
    std::sort(expected.seen.begin(), expected.seen.end());
  }
  if (seen != expected.seen) fail(policy, difference(expected.seen, seen));
  for (std::size_t s = 0; s < expected.buried.size(); ++s) {
    auto buried = o.left->counted[s].buried;
    std::sort(buried.begin(), buried.end());
    std::sort(expected.buried[s].begin(), expected.buried[s].end());
    if (buried != expected.buried[s])
      fail(policy,
           "dead letters of " + o.left->stages[s].path + ": " + difference(expected.buried[s], buried));
  }
}

/// The report counted what passed.
void check_report(const std::string& policy, const outcome& o, const prediction& expected) {
  const auto& stages = o.left->stages;
  RC_ASSERT(o.report.stages().size() == stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& got = o.report.stages()[s];
    const auto& want = expected.stages[s];
    const auto same = [&](const char* what, std::uint64_t a, std::uint64_t b) {
      if (a != b)
        fail(policy, stages[s].path + " reports " + what + " " + std::to_string(a) + " instead of " +
                         std::to_string(b));
    };
    if (got.name() != stages[s].path) fail(policy, got.name() + " instead of " + stages[s].path);
    if (stages[s].counted_in) same("in", got.items_in(), want.in);
    if (stages[s].counted_out) same("out", got.items_out(), want.out);
    same("errors", got.errors(), want.errors);
    same("retries", got.retries(), want.retries);
    same("skipped", got.skipped(), want.skipped);
    same("dead letters", got.dead_lettered(), want.buried);
  }
  if (o.report.items() != expected.stages.back().in)
    fail(policy, std::to_string(o.report.items()) + " items in the report");
}

/// Every operator that was started was told of the end; serial ones exist once.
void check_hooks(const std::string& policy, const outcome& o) {
  const auto& stages = o.left->stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& c = o.left->counted[s];
    const int started = c.started;
    const int ended = c.ended;
    if (started != ended || (stages[s].farm < 0 && started > 1) || (c.made != 0 && c.made != started)) {
      fail(policy, stages[s].path + " was made " + std::to_string(c.made) + ", started " +
                       std::to_string(started) + " and ended " + std::to_string(ended) + " times");
    }
  }
}

void check_complete(const job& j, const std::string& policy, const outcome& o, const prediction& expected) {
  if (o.error) fail(policy, "ended by " + text_of(o.error));
  check_complaints(policy, o);
  check_output(j, policy, o, expected);
  check_report(policy, o, expected);
  check_hooks(policy, o);
}

/// The sink got nothing but what `all` begins with; without an order, nothing but what is in it.
void check_beginning(const job& j, const std::string& policy, const outcome& o, std::vector<long> all) {
  auto seen = o.left->seen;
  if (is_ordered(j)) {
    if (seen.size() > all.size() || !std::equal(seen.begin(), seen.end(), all.begin()))
      fail(policy, "no beginning of what it should be: " + difference(all, seen));
  } else {
    std::sort(seen.begin(), seen.end());
    std::sort(all.begin(), all.end());
    if (!std::includes(all.begin(), all.end(), seen.begin(), seen.end()))
      fail(policy, "items that should not be: " + difference(all, seen));
  }
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
      rc::gen::set(&moment::items, rc::gen::oneOf(rc::gen::inRange(0L, 10L), rc::gen::inRange(0L, 1'000L))),
      rc::gen::set(&moment::microseconds,
                   rc::gen::oneOf(rc::gen::inRange(0, 50), rc::gen::inRange(0, 2'000))));
}

void await(const moment& m, const tw::execution& e, const witness& w) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(m.microseconds);
  while (std::chrono::steady_clock::now() < until && w.arrived.load(std::memory_order_relaxed) < m.items &&
         !e.done()) {
    std::this_thread::yield();
  }
}

/// A job that goes on until it is stopped, where that costs little.
job endless(job j) {
  // What is on its way when it is stopped drains; where one item becomes thousands, that may take minutes.
  for (const auto& s : stages_of(j)) {
    if (s.what->large > 0) return j;
  }
  if (j.items >= 8 && j.from != origin::vector && j.from != origin::list) j.items = 1L << 40;
  return j;
}

long given_by(const job& j, const outcome& o) {
  // Only operators of our own can count what they gave.
  const bool range = j.from == origin::vector || j.from == origin::list;
  return range ? static_cast<long>(o.report.stages().front().items_out()) : o.left->given.load();
}

// --- the properties ---

void does_what_it_should(joins how, const budget& most = {}) {
  const auto j = *any_job(how, most);
  const auto policy = *any_policy();
  const auto expected = predict(j);
  check_complete(j, "sequential", perform(j, "sequential", nullptr, false), expected);
  check_complete(j, policy, perform(j, policy), expected);
}

TEST(RandomJobs, JoinedAtRunTime) {
  hold(35, [] { does_what_it_should(joins::at_run_time); });
}

TEST(RandomJobs, TypedAsOnePipeline) {
  hold(20, [] { does_what_it_should(joins::typed); });
}

TEST(RandomJobs, LongStreams) {
  hold(2, [] { does_what_it_should(joins::either, {.items = 400'000, .work_ns = 80'000'000}); });
}

/// A stage that can throw, and where.
rc::Gen<std::pair<std::size_t, fatal>> any_fatality(const job& j) {
  std::vector<std::pair<std::size_t, fatal>> all;
  const auto stages = stages_of(j);
  const bool range = j.from == origin::vector || j.from == origin::list;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto what = stages[s].what->what;
    if (what == verb::batch || what == verb::unbatch || (s == 0 && range)) continue;
    if (what != verb::copies && what != verb::gather) {
      all.emplace_back(s, fatal::item);
      all.emplace_back(s, fatal::item);
    }
    if (what == verb::filter) continue;
    all.emplace_back(s, fatal::on_start);
    all.emplace_back(s, fatal::on_end);
    const auto* p = stages[s].piece < 0 ? nullptr : &j.pieces[static_cast<std::size_t>(stages[s].piece)];
    const bool made = what == verb::partial ||
                      (p != nullptr && (p->shape == form::farm_own || p->shape == form::farm_own_line));
    if (made) all.emplace_back(s, fatal::factory);
  }
  return rc::gen::elementOf(std::move(all));
}

op& op_of(job& j, std::size_t number) {
  if (number == 0) return j.source;
  for (auto& p : j.pieces) {
    if (number <= p.ops.size()) return p.ops[number - 1];
    number -= p.ops.size();
  }
  return j.sink;
}

TEST(RandomJobs, AnErrorEndsTheRun) {
  hold(12, [] {
    auto j = *any_job(joins::either);
    const auto [number, where] = *any_fatality(j);
    const auto policy = *any_policy();
    auto& o = op_of(j, number);
    o.dies = where;
    for (auto& p : j.pieces) p.first.forgiving = p.second.forgiving = false;
    j.sinks.forgiving = false;
    if (where == fatal::item) {
      o.fails_one_in = *rc::gen::elementOf(std::vector{1, 10, 100});
      o.fails_times = 9;
      o.then = verdict::stop;
    }
    RC_LOG() << "it dies at " << stages_of(j)[number].path << " (" << text_of(where) << ")";
    const auto expected = predict(j);
    const auto ran = perform(j, policy);

    const auto stages = stages_of(j);
    const auto& at = stages[number];
    // A replica exists once an item has come; behind partial sums nobody knows how many there are.
    const bool reached = at.farm < 0 || (expected.stages[number].in > 0 && at.counted_in);
    const bool source_fails = number == 0 && where == fatal::item && expected.stages[0].errors > 0;
    const bool must_fail = where == fatal::item ? expected.died >= 0 || source_fails : reached;
    if (must_fail && !ran.error) fail(policy, "no error came out");
    if (ran.error) {
      try {
        std::rethrow_exception(ran.error);
      } catch (const tw::stage_error& e) {
        if (e.stage() != ran.left->stages[number].path)
          fail(policy, "the error names " + e.stage() + ": " + e.what());
        try {
          std::rethrow_exception(e.cause());
        } catch (const refusal& why) {
          RC_ASSERT(why.stage == number);
        }
      }
    }
    check_complaints(policy, ran);
    check_beginning(j, policy, ran, expected.seen);
  });
}

TEST(RandomJobs, StopDrains) {
  hold(10, [] {
    const auto j = endless(*any_job(joins::either));
    const auto when = *any_moment();
    const auto policy = *any_policy();
    const auto ran = perform(j, policy, [&](tw::execution& e, witness& w) {
      await(when, e, w);
      e.stop();
    });
    auto expected = predict(j, given_by(j, ran));
    if (j.source.fails_one_in > 0 && !ran.report.stages().empty()) {
      // It may have failed at an item that it never came to give.
      const auto& source = ran.report.stages().front();
      expected.stages[0].errors = source.errors();
      expected.stages[0].retries = source.retries();
      expected.stages[0].skipped = source.skipped();
    }
    check_complete(j, policy, ran, expected);
  });
}

TEST(RandomJobs, CancelEndsAtOnce) {
  hold(8, [] {
    const auto j = endless(*any_job(joins::either));
    const auto when = *any_moment();
    const auto policy = *any_policy();
    const auto ran = perform(j, policy, [&](tw::execution& e, witness& w) {
      await(when, e, w);
      e.cancel();
    });
    if (ran.error) fail(policy, "ended by " + text_of(ran.error));
    check_complaints(policy, ran);
    check_beginning(j, policy, ran, predict(j, std::min(j.items, ran.left->given.load())).seen);
  });
}

TEST(RandomJobs, AnExecutionIsDestroyed) {
  hold(5, [] {
    const auto j = endless(*any_job(joins::either));
    const auto when = *any_moment();
    const auto policy = *any_policy();
    outcome ran{std::make_shared<witness>(j, true), {}, nullptr};
    {
      const watchdog::watch limit(hangs_after, [&] {
        return "policy " + policy + "\n" + text_of(j) + json_of(j) + "\nTo repeat: " + how_to_repeat();
      });
      ran.left->caller = std::this_thread::get_id();
      const auto e = tw::launch(build(ran.left), tw::policy_from(policy));
      await(when, e, *ran.left);
    }
    check_complaints(policy, ran);
    check_beginning(j, policy, ran, predict(j, std::min(j.items, ran.left->given.load())).seen);
  });
}

TEST(RandomJobs, PauseAndResume) {
  hold(5, [] {
    const auto j = *any_job(joins::either);
    const auto moments =
        *rc::gen::resize(8, rc::gen::container<std::vector<moment>>(rc::gen::resize(100, any_moment())));
    const auto policy = *any_policy();
    std::uint64_t counted = 0;
    const auto ran = perform(j, policy, [&](tw::execution& e, witness& w) {
      bool paused = false;
      for (const auto& m : moments) {
        await({w.arrived + m.items, m.microseconds / 4}, e, w);
        if (std::exchange(paused, !paused)) {
          e.resume();
        } else {
          e.pause();
        }
        counted = std::max(counted, e.stats().items());
      }
      e.resume();
    });
    check_complete(j, policy, ran, predict(j));
    RC_ASSERT(counted <= ran.report.items());
  });
}

TEST(RandomJobs, TheyAdaptThemselves) {
  hold(10, [] {
    const auto j = *any_job(joins::either);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const auto policy = *any_policy();
    const auto ran = perform(j, policy, [&](tw::execution& e, witness&) { e.adapt(somehow(seed)); });
    check_complete(j, policy, ran, predict(j));
    for (const auto& note : ran.report.notes()) RC_ASSERT(note.find("has ended") == std::string::npos);
  });
}

TEST(RandomJobs, ReplicasChange) {
  hold(5, [] {
    const auto j = *any_job(joins::either);
    const auto stages = stages_of(j);
    std::vector<std::string> farms;
    for (const auto& s : stages) {
      if (s.farm < 0) continue;
      const auto* p = s.piece < 0 ? nullptr : &j.pieces[static_cast<std::size_t>(s.piece)];
      const bool blocking = p == nullptr ? j.sinks.blocking : p->first.blocking || p->second.blocking;
      if (!blocking) farms.push_back(s.path);
    }
    RC_PRE(!farms.empty());
    const auto changes =
        *rc::gen::resize(10, rc::gen::container<std::vector<std::pair<std::string, int>>>(rc::gen::resize(
                                 100, rc::gen::pair(rc::gen::elementOf(farms), rc::gen::inRange(1, 9)))));
    const auto when = *any_moment();
    const auto policy = *any_pool();
    std::vector<int> asked, noted;
    const auto ran = perform(j, policy, [&](tw::execution& e, witness& w) {
      for (const auto& [farm, replicas] : changes) {
        await({w.arrived + when.items / 4, when.microseconds / 4}, e, w);
        e.set_replicas(farm, replicas);
        asked.push_back(replicas);
      }
      const auto so_far = e.stats();
      for (const auto& one : so_far.resizes()) noted.push_back(one.to);
    });
    check_complete(j, policy, ran, predict(j));
    // All of them, but for those that were asked for once the run was over.
    RC_ASSERT(noted.size() <= asked.size());
    RC_ASSERT(std::equal(noted.begin(), noted.end(), asked.begin()));
  });
}

}  // namespace
