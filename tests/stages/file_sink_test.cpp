#include <thalweg/stages/file_sink.hpp>
#include <thalweg/stages/tee.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "scratch.hpp"
#include "small_files.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using strings = std::vector<std::string>;

class FileSink : public under_every_policy {
 protected:
  scratch dir;
  fs::path target = dir / "target";
};
FOR_EVERY_POLICY(FileSink);

TEST_P(FileSink, WritesLines) {
  tw::run(tw::source(strings{"one", "", "two"}) | tw::file_sink(target), policy());
  EXPECT_EQ(scratch::read(target), "one\n\ntwo\n");
  tw::run(tw::source(strings{"a", "b"}) | tw::file_sink(target, {.line_end = "\r\n"}), policy());
  EXPECT_EQ(scratch::read(target), "a\r\nb\r\n");
  tw::run(tw::source(strings{"a", "b"}) | tw::file_sink(target, {.line_end = "", .sync = true}), policy());
  EXPECT_EQ(scratch::read(target), "ab");
  EXPECT_THAT(dir.names(), ElementsAre("target"));
}

TEST_P(FileSink, WritesBytesAsTheyAre) {
  const std::vector<std::byte> bytes{std::byte{'x'}, std::byte{0}};
  tw::run(tw::source(std::vector{bytes, bytes}) | tw::file_sink(target), policy());
  EXPECT_EQ(scratch::read(target), std::string("x\0x\0", 4));
  tw::run(tw::source(std::vector<std::vector<char>>{{'a'}, {}, {'b', 'c'}}) | tw::file_sink(target),
          policy());
  EXPECT_EQ(scratch::read(target), "abc");
  tw::run(tw::source(std::vector{std::array<unsigned char, 2>{'d', 'e'}}) | tw::file_sink(target), policy());
  EXPECT_EQ(scratch::read(target), "de");
  tw::run(tw::source(std::vector{std::span<const std::byte>(bytes)}) | tw::file_sink(target), policy());
  EXPECT_EQ(scratch::read(target), std::string("x\0", 2));
}

TEST_P(FileSink, WritesViewsAndPaths) {
  tw::run(tw::source(std::vector<std::string_view>{"a"}) | tw::file_sink(target), policy());
  EXPECT_EQ(scratch::read(target), "a\n");
  tw::run(tw::source(std::vector<fs::path>{"b/c"}) | tw::file_sink(target), policy());
  EXPECT_EQ(scratch::read(target), "b/c\n");
}

TEST_P(FileSink, OfNothingIsAnEmptyFile) {
  tw::run(tw::source(strings{}) | tw::file_sink(target), policy());
  EXPECT_TRUE(fs::exists(target));
  EXPECT_EQ(scratch::read(target), "");
  EXPECT_THAT(dir.names(), ElementsAre("target"));
}

TEST_P(FileSink, RandomPiecesMakeUpTheFile) {
  std::mt19937 random(6);
  for (const unsigned longest : {20U, 5'000U, 600'000U}) {
    strings pieces(longest > 100'000 ? 12 : 1'000);
    std::string expected;
    for (auto& p : pieces) {
      p.assign(random() % longest, static_cast<char>('a' + random() % 26));
      expected += p + "|";
    }
    tw::run(tw::source(pieces) | tw::file_sink(target, {.line_end = "|"}), policy());
    ASSERT_TRUE(scratch::read(target) == expected);
  }
}

TEST_P(FileSink, TheTargetStaysUntilTheEnd) {
  dir.write("target", "before");
  std::string meanwhile;
  const auto look = [&](std::string s) {
    meanwhile = scratch::read(target);
    return s;
  };
  tw::run(tw::source(strings{"a", "b"}) | tw::map(look) | tw::file_sink(target), policy());
  EXPECT_EQ(meanwhile, "before");
  EXPECT_EQ(scratch::read(target), "a\nb\n");
}

TEST_P(FileSink, AFailedRunLeavesNothingBehind) {
  for (const bool existed : {false, true}) {
    if (existed) dir.write("target", "before");
    for (const int at : {0, 1, 5'000}) {
      auto failing = tw::source(std::views::iota(0, 10'000)) | tw::map([at](int x) {
                       return x == at ? throw std::runtime_error("no") : std::to_string(x);
                     });
      failure_of([&] { tw::run(failing | tw::file_sink(target), policy()); });
      EXPECT_THAT(dir.names(), existed ? testing::Matcher<strings>(ElementsAre("target")) : IsEmpty());
      if (existed) {
        EXPECT_EQ(scratch::read(target), "before");
      }
    }
  }
}

TEST_P(FileSink, AFailureInAnEndHookLeavesNothingBehind) {
  struct failing {
    std::string operator()(std::string s) { return s; }
    void on_end() { throw std::runtime_error("at the end"); }
  };
  failure_of(
      [&] { tw::run(tw::source(strings{"a"}) | tw::map(failing{}) | tw::file_sink(target), policy()); });
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST_P(FileSink, ACancelledRunLeavesNothingBehindThoughItsExecutionLives) {
  std::atomic<int> passed{0};
  auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<std::string> {
                        return std::to_string(n++);
                      }) | tw::map([&](std::string s) {
                        ++passed;
                        return s;
                      }) | tw::file_sink(target),
                      policy());
  EXPECT_TRUE(eventually([&] { return passed > 100'000; }));
  e.cancel();
  e.wait();
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST_P(FileSink, AFailedRunLeavesNothingBehindThoughItsExecutionLives) {
  auto e = tw::launch(tw::source(std::views::iota(0, 100'000)) | tw::map([](int x) {
                        return x == 99'999 ? throw std::runtime_error("no") : std::to_string(x);
                      }) | tw::file_sink(target),
                      policy());
  failure_of([&] { e.wait(); });
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST_P(FileSink, AnExecutionThatIsGoneBeforeTheFirstItemLeavesNothingBehind) {
  {
    auto e = tw::launch(tw::source([](std::stop_token stop) -> std::optional<std::string> {
                          while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
                          return {};
                        }) | tw::file_sink(target),
                        policy());
    std::this_thread::sleep_for(10ms);
    e.cancel();
    EXPECT_NO_THROW(e.wait());
  }
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST_P(FileSink, AStoppedRunKeepsWhatCameThrough) {
  auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<std::string> {
                        return std::to_string(n++);
                      }) | tw::file_sink(target),
                      policy());
  EXPECT_TRUE(eventually([&] { return e.stats().items() > 1000; }));
  e.stop();
  const auto items = e.wait().items();
  std::string expected;
  for (std::uint64_t i = 0; i < items; ++i) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(scratch::read(target) == expected);
}

TEST_P(FileSink, AJobRunsAgain) {
  const auto job = tw::source(strings{"a"}) | tw::file_sink(target);
  tw::run(job, policy());
  fs::remove(target);
  auto one = tw::launch(job, policy());
  auto two = tw::launch(job, policy());
  one.wait();
  two.wait();
  EXPECT_EQ(scratch::read(target), "a\n");
  EXPECT_THAT(dir.names(), ElementsAre("target"));
}

TEST_P(FileSink, PermissionsAndLinksAreKept) {
  dir.write("real", "before");
  fs::permissions(dir / "real", fs::perms::owner_all);
  fs::create_symlink(dir / "real", target);
  tw::run(tw::source(strings{"a"}) | tw::file_sink(target), policy());
  EXPECT_TRUE(fs::is_symlink(target));
  EXPECT_EQ(scratch::read(dir / "real"), "a\n");
  EXPECT_EQ(fs::status(dir / "real").permissions(), fs::perms::owner_all);
  tw::run(tw::source(strings{"a"}) | tw::file_sink(dir / "new"), policy());
  const auto mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(static_cast<mode_t>(fs::status(dir / "new").permissions()), 0666U & ~mask);
}

TEST_P(FileSink, WhatCannotBeWrittenIsNamed) {
  const auto cause = [&](const fs::path& path) {
    return failure_of([&] { tw::run(tw::source(strings{"a"}) | tw::file_sink(path), policy()); }).cause;
  };
  EXPECT_THAT(cause(dir / "none/file"), HasSubstr((dir / "none/file").string()));
  EXPECT_THAT(cause(dir.path()), HasSubstr("Is a directory"));
  // A pipe of our own stands for devices, too: those of the machine are not at risk if this fails.
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(cause(dir / "pipe"), HasSubstr((dir / "pipe").string()));
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
  EXPECT_THAT(cause(dir / std::string(300, 'x')), HasSubstr("name too long"));
  const auto longest = dir / std::string(255, 'x');
  tw::run(tw::source(strings{"a"}) | tw::file_sink(longest), policy());
  EXPECT_EQ(scratch::read(longest), "a\n");
}

// /dev/stdout is such a link where the output of the program is a pipe.
TEST_P(FileSink, ALinkToWhatHasNoPathIsNotReplaced) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const auto link = dir / "link";
  fs::create_symlink("/proc/self/fd/" + std::to_string(pipe[1]), link);
  const auto cause =
      failure_of([&] { tw::run(tw::source(strings{"a"}) | tw::file_sink(link), policy()); }).cause;
  EXPECT_THAT(cause, HasSubstr("not a regular file"));
  EXPECT_THAT(cause, HasSubstr(link.string()));
  EXPECT_TRUE(fs::is_symlink(link));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_P(FileSink, ADirectoryThatMayNotBeWrittenIsNamed) {
  fs::permissions(dir.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const without_privileges here;
  if (!here.ok()) GTEST_SKIP() << "cannot give up privileges";
  const auto f = failure_of(
      [&] { tw::run(tw::source(strings{"a"}) | tw::file_sink(target, {}, {.name = "save"}), policy()); });
  EXPECT_EQ(f.stage, "save");
  EXPECT_THAT(f.cause, HasSubstr(target.string()));
  EXPECT_THAT(f.cause, HasSubstr("Permission denied"));
}

TEST_P(FileSink, WhenTheDiskIsFullTheTargetIsNamedAndStays) {
  dir.write("target", "before");
  const strings pieces(100, std::string(100'000, 'x'));
  for (const std::size_t items : {1U, 100U}) {  // fails at the end, or before
    for (const auto& on_error : {tw::stop, tw::skip, tw::retry(1)}) {
      const auto f = failure_of([&] {
        const small_files full(50'000);
        tw::run(tw::source(strings(pieces.begin(), pieces.begin() + static_cast<int>(items))) |
                    tw::file_sink(target, {}, {.on_error = on_error}),
                policy());
      });
      EXPECT_THAT(f.cause, HasSubstr(target.string()));
      EXPECT_THAT(f.cause, HasSubstr("too large"));
      EXPECT_EQ(scratch::read(target), "before");
      EXPECT_THAT(dir.names(), ElementsAre("target"));
    }
  }
}

TEST_P(FileSink, AFullDiskEndsTheRunWhenItIsFoundOutThoughItemsMayBeSkipped) {
  std::atomic<int> given{0};
  const auto f = failure_of([&] {
    const small_files full(50'000);
    tw::run(tw::source([&, n = 0]() mutable -> std::optional<std::string> {
              ++given;
              return ++n < 100'000 ? std::optional(std::string(10'000, 'x')) : std::nullopt;
            }) | tw::file_sink(target, {}, {.on_error = tw::skip}),
            policy());
  });
  EXPECT_THAT(f.cause, HasSubstr("too large"));
  EXPECT_LT(given, 100'000) << "the end of the stream was not waited for";
}

// --- a file that grows ---

TEST_P(FileSink, AppendsToWhatIsThere) {
  dir.write("target", "before\n");
  for (int i = 0; i < 2; ++i)
    tw::run(tw::source(strings{"a", "b"}) | tw::file_sink(target, {.append = true}), policy());
  EXPECT_EQ(scratch::read(target), "before\na\nb\na\nb\n");
  EXPECT_THAT(dir.names(), ElementsAre("target"));
  tw::run(tw::source(strings{"a"}) | tw::file_sink(dir / "new", {.sync = true, .append = true}), policy());
  EXPECT_EQ(scratch::read(dir / "new"), "a\n");
}

TEST_P(FileSink, WhatWasWrittenStaysHoweverTheRunEnds) {
  failure_of([&] {
    tw::run(tw::source(std::views::iota(0, 10)) | tw::map([](int x) {
              return x == 5 ? throw std::runtime_error("no") : std::to_string(x);
            }) | tw::file_sink(target, {.append = true}),
            policy());
  });
  // The run may have failed before the sink began, and made the file.
  EXPECT_THAT(dir.names(), AnyOf(IsEmpty(), ElementsAre("target")));
  EXPECT_TRUE(std::string("0\n1\n2\n3\n4\n").starts_with(scratch::read(target)));
  const auto written = [&] {
    std::error_code none;
    const auto size = fs::file_size(dir / "cancelled", none);
    return none ? 0 : size;
  };
  auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<std::string> {
                        return std::to_string(n++);
                      }) | tw::file_sink(dir / "cancelled", {.append = true}),
                      policy());
  EXPECT_TRUE(eventually([&] { return written() > 100'000; }));
  e.cancel();
  e.wait();
  EXPECT_GT(written(), 100'000U);
  EXPECT_THAT(dir.names(), Contains("cancelled"));
}

TEST_P(FileSink, WhatComesCanBeSeenAfterThePeriod) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1") GTEST_SKIP() << "its one worker is in the source";
  dir.write("target", "before");
  for (const bool append : {false, true}) {
    const std::string before = append ? scratch::read(target) : "";
    bool seen = false;
    tw::run(tw::source([&, n = 0]() mutable -> std::optional<std::string> {
              if (n == 1) seen = eventually([&] { return scratch::read(target) == before + "0\n"; });
              return n < 2 ? std::optional(std::to_string(n++)) : std::nullopt;
            }) | tw::file_sink(target, {.append = append, .flush_every = 2ms}),
            policy());
    EXPECT_TRUE(seen) << scratch::read(target);
    EXPECT_EQ(scratch::read(target), before + "0\n1\n");
  }
  EXPECT_THAT(dir.names(), ElementsAre("target"));
}

TEST_P(FileSink, IsPutAsideWhenItIsLarge) {
  std::mt19937 random(5);
  for (int round = 0; round < 6; ++round) {
    const scratch place;
    const auto path = place / "log";
    const auto most = static_cast<std::int64_t>(20 + random() % 2'000);
    strings items(200 + random() % 300);
    for (auto& s : items) s.assign(random() % 100, static_cast<char>('a' + random() % 26));
    tw::run(tw::source(items) | tw::file_sink(path, {.rotate = {.bytes = most}}), policy());
    // By the simplest means.
    strings files(1);
    for (const auto& s : items) {
      if (!files.back().empty() && static_cast<std::int64_t>(files.back().size() + s.size() + 1) > most)
        files.emplace_back();
      files.back() += s + "\n";
    }
    EXPECT_EQ(scratch::read(path), files.back());
    for (std::size_t i = 0; i + 1 < files.size(); ++i)
      ASSERT_EQ(scratch::read(place / ("log." + std::to_string(i + 1))), files[i]);
    EXPECT_EQ(place.names().size(), files.size());
  }
}

TEST_P(FileSink, TheNextRunPutsAsideOrAppends) {
  const auto run = [&](bool append, std::int64_t keep) {
    tw::run(tw::source(strings{"aaa", "bbb"}) |
                tw::file_sink(target, {.append = append, .rotate = {.bytes = 4, .keep = keep}}),
            policy());
  };
  run(false, 0);
  run(true, 0);
  EXPECT_THAT(dir.names(), ElementsAre("target", "target.1", "target.2", "target.3"));
  run(false, 2);
  EXPECT_THAT(dir.names(), ElementsAre("target", "target.4", "target.5"));
  dir.write("target.x", "not one of them");
  dir.write("target.08x", "nor this");
  dir.write("target.20260131", "nor what others name by the day");
  dir.write("target.9223372036854775807", "nor by a large number");
  run(true, 1);
  EXPECT_THAT(dir.names(), ElementsAre("target", "target.08x", "target.20260131", "target.7",
                                       "target.9223372036854775807", "target.x"));
  EXPECT_EQ(scratch::read(target), "bbb\n");
  EXPECT_EQ(scratch::read(dir / "target.7"), "aaa\n");
}

TEST_P(FileSink, AnItemLargerThanAFileHasOneOfItsOwn) {
  const std::string large(600'000, 'x');
  tw::run(tw::source(strings{"a", large, "b"}) | tw::file_sink(target, {.rotate = {.bytes = 10}}), policy());
  EXPECT_EQ(scratch::read(dir / "target.1"), "a\n");
  EXPECT_TRUE(scratch::read(dir / "target.2") == large + "\n");
  EXPECT_EQ(scratch::read(target), "b\n");
}

TEST_P(FileSink, IsPutAsideWhenItIsOldAndNamedByTime) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1") GTEST_SKIP() << "its one worker is in the source";
  bool aside = false;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<std::string> {
            // Three files: one waits until each is put aside.
            if (n > 0 && n < 3)
              aside = eventually([&] { return dir.names().size() == static_cast<std::size_t>(n) + 1; });
            return n < 3 ? std::optional(std::to_string(n++)) : std::nullopt;
          }) | tw::file_sink(target, {.rotate = {.every = 2ms, .named_by_time = true}}),
          policy());
  EXPECT_TRUE(aside);
  std::string all;
  for (const auto& name : dir.names()) {
    if (name != "target") {
      EXPECT_THAT(name, testing::MatchesRegex("target\\.[0-9]{8}T[0-9]{6}Z(-[0-9]+)?"));
    }
    all += scratch::read(dir / name);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, "\n\n\n012");
}

// Collects the lines of the log meanwhile.
class log_lines {
 public:
  log_lines() {
    tw::observe::set_log_handler([this](tw::observe::severity, std::string_view, std::string_view line) {
      const std::lock_guard hold(lock_);
      all_ += std::string(line) + "\n";
    });
  }
  log_lines(const log_lines&) = delete;
  log_lines& operator=(const log_lines&) = delete;
  ~log_lines() { tw::observe::set_log_handler(nullptr); }
  [[nodiscard]] std::string all() const {
    const std::lock_guard hold(lock_);
    return all_;
  }

 private:
  mutable std::mutex lock_;
  std::string all_;
};

TEST_P(FileSink, AFullDiskIsToldWhenItHappensAndItemsAreSkipped) {
  const log_lines log;
  bool told = false;
  const auto f = failure_of([&] {
    tw::run(tw::source([&, n = 0]() mutable -> std::optional<std::string> {
              if (++n > 20'000) {
                told = told || one_thread() || GetParam() == "pool:1" ||
                       eventually([&] { return !log.all().empty(); });
                return {};
              }
              return std::string(100, 'x');
            }) | tw::file_sink("/dev/full", {.append = true}, {.on_error = tw::skip, .name = "w"}),
            policy());
  });
  EXPECT_THAT(f.cause, HasSubstr("No space left")) << "what is left cannot be written at the end";
  EXPECT_TRUE(told);
  EXPECT_THAT(log.all(), HasSubstr("/dev/full"));
  EXPECT_EQ(log.all().find("No space left"), log.all().rfind("No space left")) << "told once";
  // Without a policy the run ends at once.
  EXPECT_THAT(failure_of([&] {
                tw::run(tw::source([]() -> std::optional<std::string> { return std::string(100, 'x'); }) |
                            tw::file_sink("/dev/full", {.append = true}),
                        policy());
              }).cause,
              HasSubstr("No space left"));
}

TEST_P(FileSink, GoesOnWhenThereIsRoomAgain) {
  const log_lines log;
  std::atomic<bool> room{false};
  std::uint64_t skipped = 0;
  std::uint64_t given = 0;
  {
    auto full = std::make_unique<small_files>(400'000);
    const auto r =
        tw::run(tw::source([&]() -> std::optional<std::string> {
                  // Under one worker it is the source alone that can tell how far the sink is.
                  if (!room && (given == 20'000 || log.all().find("too large") != std::string::npos)) {
                    EXPECT_TRUE(eventually([&] {
                      return one_thread() || GetParam() == "pool:1" ||
                             log.all().find("too large") != std::string::npos;
                    }));
                    full.reset();
                    room = true;
                  }
                  if (given == 60'000) return {};
                  ++given;
                  return std::string(99, 'x');
                }) | tw::file_sink(target, {.append = true}, {.on_error = tw::skip, .name = "w"}),
                policy());
    skipped = r.stage("w").skipped();
  }
  EXPECT_THAT(log.all(), HasSubstr("can be written again"));
  const auto text = scratch::read(target);
  EXPECT_EQ(text.size(), 100 * (given - skipped)) << "what was not skipped is there, as a whole";
  EXPECT_GT(skipped, 0U);
}

TEST(FileSinkCheck, OptionsThatMakeNoSense) {
  const auto problems = [](tw::file_sink_options how) {
    return problems_of([&] { tw::run(tw::source(strings{}) | tw::file_sink("f", how)); });
  };
  EXPECT_THAT(problems({.flush_every = -1s}), ElementsAre(HasSubstr(".flush_every is negative")));
  EXPECT_THAT(problems({.rotate = {.bytes = -1}}), ElementsAre(HasSubstr(".rotate.bytes is negative")));
  EXPECT_THAT(problems({.rotate = {.every = -1s}}), ElementsAre(HasSubstr(".rotate.every is negative")));
  EXPECT_THAT(problems({.rotate = {.bytes = 1, .keep = -1}}),
              ElementsAre(HasSubstr(".rotate.keep is negative")));
  EXPECT_THAT(problems({.append = true, .rotate = {.keep = 3}}), ElementsAre(HasSubstr("does not say when")));
  EXPECT_THAT(problems({.rotate = {.named_by_time = true}}), ElementsAre(HasSubstr("does not say when")));
  EXPECT_THAT(failure_of([] {
                tw::run(tw::source(strings{"a"}) | tw::file_sink("/dev/null", {.rotate = {.bytes = 1}}));
              }).cause,
              HasSubstr("not a regular file"));
}

TEST(FileSinkCheck, AnEmptyPathIsRefused) {
  EXPECT_THAT(problems_of([] { tw::run(tw::source(strings{}) | tw::file_sink("")); }),
              ElementsAre(HasSubstr("'file_sink-1': its path is empty")));
}

}  // namespace
