// Options of stages for one run, and settings from a file or the environment.
#include <thalweg/run/settings.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <class F> std::string error_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const tw::error& e) {
    return e.what();
  }
  return "no error";
}

auto job() {
  auto pass = [](int x) { return x; };
  return tw::source(std::vector{1, 2, 3}, {.name = "read"}) |
         tw::farm(pass, {.replicas = 2, .name = "parse"}) |
         tw::farm(tw::map(pass, {.name = "pack"}) | tw::map(pass, {.name = "sum"}), {.name = "archive"}) |
         tw::map(pass, {.name = "check"}) | tw::sink([](int) {}, {.name = "write"});
}

tw::report run_with(std::vector<tw::stage_setting> stages) {
  return tw::run(job(), tw::threads{}, {.stages = std::move(stages)});
}

std::string refused(tw::stage_setting setting) {
  return error_of([&] { run_with({std::move(setting)}); });
}

TEST(StageSettings, HoldInPlaceOfWhatTheJobSays) {
  const auto r = run_with({{.stage = "parse", .replicas = 3}, {.stage = "check", .capacity = 7}});
  EXPECT_EQ(r.items(), 3U);
  EXPECT_EQ(r.stage("parse").replicas(), 3);
  EXPECT_EQ(r.stage("check").occupancy().capacity, 7U);
}

TEST(StageSettings, OfAFarmByItsNameOrAnyOfItsStages) {
  for (const auto* const name : {"archive", "archive/pack", "sum"}) {
    const auto r = run_with({{.stage = name, .replicas = 3, .capacity = 50}});
    EXPECT_EQ(r.stage("archive/pack").replicas(), 3) << name;
    EXPECT_EQ(r.stage("archive/sum").replicas(), 3) << name;
    EXPECT_EQ(r.stage("archive/pack").occupancy().capacity, 50U) << name;
  }
}

TEST(StageSettings, TheLastOneHolds) {
  const auto r = run_with({{.stage = "parse", .replicas = 3}, {.stage = "parse", .replicas = 1}});
  EXPECT_EQ(r.stage("parse").replicas(), 1);
}

TEST(StageSettings, HoldForOneRunOnly) {
  const auto again = job();
  (void)tw::run(again, tw::threads{}, {.stages = {{.stage = "parse", .replicas = 3}}});
  EXPECT_EQ(tw::run(again, tw::threads{}).stage("parse").replicas(), 2);
}

TEST(StageSettings, OfAGraphHoldForOneRunOnly) {
  tw::graph g;
  (void)g.add(tw::source(std::vector{1, 2}) |
              tw::farm([](int x) { return x; }, {.replicas = 2, .name = "f"}) | tw::sink([](int) {}));
  EXPECT_EQ(tw::run(g, tw::threads{}, {.stages = {{.stage = "f", .replicas = 3}}}).stage("f").replicas(), 3);
  EXPECT_EQ(tw::run(g, tw::threads{}).stage("f").replicas(), 2);
}

TEST(StageSettings, RefuseWhatCannotBe) {
  EXPECT_THAT(refused({.stage = "prase", .replicas = 2}),
              HasSubstr("run_options.stages: there is no stage 'prase'; did you mean 'parse'?"));
  EXPECT_THAT(refused({.stage = "nothing-like-it", .replicas = 2}),
              HasSubstr("the stages are: read, parse, archive/pack, archive/sum, check, write"));
  EXPECT_THAT(refused({.stage = "check", .replicas = 2, .from = "run.conf:3"}),
              HasSubstr("run.conf:3: stage 'check' is serial, so .replicas does nothing"));
  EXPECT_THAT(refused({.stage = "parse", .replicas = 0}), HasSubstr("must be at least 1, not 0"));
  EXPECT_THAT(refused({.stage = "parse", .replicas = 5'000, .from = "here"}),
              HasSubstr("here: stage 'parse': allows 5000 replicas"));
  EXPECT_THAT(refused({.stage = "read", .capacity = 5, .from = "there"}),
              HasSubstr("there: stage 'read': is a source: nothing waits in front of it"));
  EXPECT_THAT(refused({.stage = "write", .pin = {100'000}}), HasSubstr("stage 'write'"));
}

TEST(StageSettings, RefuseANameThatMeansSeveral) {
  auto pass = [](int x) { return x; };
  const auto twice =
      tw::source(std::vector{1}) | tw::farm(tw::map(pass, {.name = "m"}) | tw::map(pass), {.name = "a"}) |
      tw::farm(tw::map(pass, {.name = "m"}) | tw::map(pass), {.name = "b"}) | tw::sink([](int) {});
  EXPECT_THAT(error_of([&] { tw::run(twice, {.stages = {{.stage = "m", .replicas = 2}}}); }),
              HasSubstr("'m' is more than one stage; write one of: a/m, b/m"));
}

class Settings : public testing::Test {
 protected:
  Settings() {
    const std::string name = "settings_" + std::to_string(getpid()) + ".conf";
    path = (std::filesystem::temp_directory_path() / name).string();
  }
  ~Settings() override {
    std::filesystem::remove(path);
    for (const auto& name : names_) ::unsetenv(name.c_str());
  }
  void write(const std::string& text) const { std::ofstream(path) << text; }
  [[nodiscard]] tw::settings read(const std::string& text) const {
    write(text);
    return tw::settings::from_file(path);
  }
  [[nodiscard]] std::string wrong(const std::string& text) const {
    return error_of([&] { (void)read(text); });
  }
  void set(const std::string& name, const std::string& value) {
    names_.push_back(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }

  std::string path;

 private:
  std::vector<std::string> names_;
};

TEST_F(Settings, OfAFile) {
  const auto s = read(
      "# how it runs here\n"
      "policy = threads:4\n"
      "\n"
      "replicas = parse=2, archive = 3   # of three cores\n"
      "replicas = f#2/x=1\n"
      "capacity=check=100\n"
      "  pin = write=0-2+5\r\n"
      "rate = ticks = 500 ; day=wave,60,10,100,poisson=7;\tx=1e3\n"
      "progress = yes\n"
      "monitor = run.jsonl\n"
      "every = 250ms\n"
      "trace = run.json");
  EXPECT_EQ(s.policy().name(), "threads:4");
  const auto o = s.options();
  EXPECT_TRUE(o.progress);
  EXPECT_EQ(o.monitor, "run.jsonl");
  EXPECT_EQ(o.every, 250ms);
  EXPECT_EQ(o.trace, "run.json");
  ASSERT_EQ(o.stages.size(), 8U);
  EXPECT_EQ(o.stages[0].stage, "parse");
  EXPECT_EQ(o.stages[0].replicas, 2);
  EXPECT_EQ(o.stages[0].from, path + ":4");
  EXPECT_EQ(o.stages[1].stage, "archive");
  EXPECT_EQ(o.stages[1].replicas, 3);
  EXPECT_EQ(o.stages[2].stage, "f#2/x");
  EXPECT_EQ(o.stages[3].capacity, 100);
  EXPECT_EQ(o.stages[3].replicas, tw::automatic);
  EXPECT_THAT(o.stages[4].pin, ElementsAre(0, 1, 2, 5));
  EXPECT_EQ(o.stages[5].stage, "ticks");
  EXPECT_EQ(o.stages[5].rate->at(0), 500);
  EXPECT_FALSE(o.stages[4].rate.has_value());
  EXPECT_EQ(o.stages[6].stage, "day");
  EXPECT_EQ(o.stages[6].rate->at(15), 100);
  EXPECT_EQ(o.stages[6].rate->seed(), 7U);
  EXPECT_EQ(o.stages[7].rate->at(0), 1'000);
}

TEST_F(Settings, LeaveWhatTheyDoNotSay) {
  const auto s = read("progress = no\n");
  EXPECT_EQ(s.policy(tw::threads{.replicas = 2}).name(), "threads:2");
  EXPECT_EQ(s.policy().name(), "pool");
  const auto o = s.options({.progress = true, .monitor = "mine", .every = 1s, .stages = {{.stage = "a"}}});
  EXPECT_FALSE(o.progress);
  EXPECT_EQ(o.monitor, "mine");
  EXPECT_EQ(o.every, 1s);
  EXPECT_EQ(o.stages.size(), 1U);
}

TEST_F(Settings, OfTheEnvironment) {
  set("THALWEG_POLICY", "pool:2");
  set("THALWEG_REPLICAS", "parse=3");
  set("THALWEG_EVERY", " 2 s ");
  set("THALWEG_PROGRESS", "");
  const auto s = tw::settings::from_environment();
  EXPECT_EQ(s.policy(tw::sequential{}).name(), "pool:2");
  EXPECT_EQ(s.options().every, 2s);
  EXPECT_FALSE(s.options().progress);
  EXPECT_EQ(s.options().stages.at(0).from, "THALWEG_REPLICAS");
  EXPECT_EQ(tw::run(job(), s.policy(), s.options()).stage("parse").replicas(), 3);
}

TEST_F(Settings, OfTheEnvironmentHaveRates) {
  write("0\n0\n0\n");  // three moments
  set("THALWEG_RATE", "ticks=trace," + path);
  const auto endless = tw::paced([n = 0]() mutable { return std::optional(n++); }, 1.0, {.name = "ticks"}) |
                       tw::sink([](int) {});
  EXPECT_EQ(tw::run(endless, tw::settings::from_environment().options()).items(), 3U);
  set("THALWEG_RATE", "ticks=2");
  EXPECT_THAT(error_of([&] { tw::run(job(), tw::settings::from_environment().options()); }),
              HasSubstr("THALWEG_RATE: there is no stage 'ticks'; the job has no paced source"));
}

TEST_F(Settings, OfTheEnvironmentHoldInPlaceOfThoseOfItsFile) {
  write("policy = threads:4\nmonitor = of_file\nreplicas = parse=4\n");
  set("THALWEG_SETTINGS", path);
  set("THALWEG_MONITOR", "of_variable");
  set("THALWEG_REPLICAS", "parse=1");
  const auto s = tw::settings::from_environment();
  EXPECT_EQ(s.policy().name(), "threads:4");
  EXPECT_EQ(s.options().monitor, "of_variable");
  EXPECT_EQ(tw::run(job(), tw::threads{}, {.stages = s.options().stages}).stage("parse").replicas(), 1);
}

TEST_F(Settings, SayWhereAMistakeIs) {
  const auto at = [&](int line) { return path + ":" + std::to_string(line) + ": "; };
  EXPECT_THAT(wrong("\nreplica = parse=2\n"),
              HasSubstr(at(2) + "unknown key 'replica'; did you mean 'replicas'?"));
  EXPECT_THAT(wrong("something\n"), HasSubstr("unknown key 'something'; the keys are: policy, replicas"));
  EXPECT_THAT(wrong("policy\n"), HasSubstr(at(1) + "'policy' has no value: write policy = ..."));
  EXPECT_THAT(wrong("policy = \n"), HasSubstr("'policy' has no value"));
  EXPECT_THAT(wrong("policy = thread:4\n"), AllOf(HasSubstr(at(1)), HasSubstr("unknown policy 'thread:4'")));
  EXPECT_THAT(wrong("every = 1s\n\nevery = 2s\n"), HasSubstr(at(3) + "'every' is already in line 1"));
  EXPECT_THAT(wrong("replicas = parse\n"), HasSubstr(at(1) + "'parse' must be stage=value"));
  EXPECT_THAT(wrong("replicas = parse=2,\n"), HasSubstr("'' must be stage=value"));
  EXPECT_THAT(wrong("replicas = =2\n"), HasSubstr("must be stage=value"));
  for (const auto* const bad : {"0", "-1", "2x", "2.5", "99999999999", "two"})
    EXPECT_THAT(wrong("replicas = parse=" + std::string(bad) + "\n"),
                HasSubstr(at(1) + "'" + bad + "' must be a whole number from 1 to"));
  EXPECT_THAT(wrong("capacity = parse=0\n"), HasSubstr("'0' must be a whole number"));
  EXPECT_THAT(wrong("pin = parse=3-1\n"), HasSubstr("'1' must be a whole number from 3 to"));
  EXPECT_THAT(wrong("pin = parse=1+\n"), HasSubstr("'' must be a whole number from 0 to"));
  EXPECT_THAT(wrong("pin = parse=0-2000000000\n"), HasSubstr("too many processors"));
  for (const auto* const bad : {"100", "ms", "0ms", "1.5s", "-1s", "3 weeks", "9223372036854775807s"})
    EXPECT_THAT(wrong("every = " + std::string(bad) + "\n"), HasSubstr(at(1) + "'")) << bad;
  EXPECT_THAT(wrong("rate = read\n"), HasSubstr("of rate are separated by semicolons"));
  EXPECT_THAT(wrong("rate = read=0\n"), HasSubstr(at(1) + "rate: it must be above 0 items per second"));
  EXPECT_THAT(wrong("\nrate = read=saw,1\n"), HasSubstr(at(2) + "rate: 'saw' is no pattern"));
  EXPECT_THAT(wrong("rate = read=5, ticks=6\n"), HasSubstr("; several stages are separated by semicolons"));
  EXPECT_THAT(wrong("progress = perhaps\n"), HasSubstr("'perhaps' must be yes or no"));
  set("THALWEG_CAPACITY", "parse:3");
  EXPECT_THAT(error_of([] { (void)tw::settings::from_environment(); }),
              HasSubstr("THALWEG_CAPACITY: 'parse:3' must be stage=value"));
}

TEST_F(Settings, SayWhereAStageIsNamedThatDoesNotExist) {
  const auto s = read("# here\nreplicas = compres=2\n");
  EXPECT_THAT(error_of([&] { tw::run(job(), s.policy(), s.options()); }),
              HasSubstr(path + ":2: there is no stage 'compres'"));
}

TEST_F(Settings, SayThatThereIsNoFile) {
  EXPECT_THAT(error_of([] { (void)tw::settings::from_file("/no/such/run.conf"); }),
              AllOf(HasSubstr("/no/such/run.conf"), HasSubstr("No such file")));
  EXPECT_THAT(error_of([] { (void)tw::settings::from_file("/tmp"); }), HasSubstr("Is a directory"));
}

}  // namespace
