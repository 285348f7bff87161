#include <thalweg/stages/file_sink.hpp>
#include <thalweg/thalweg.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
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
#include <sys/resource.h>
#include <sys/stat.h>

#include "scratch.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
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

// No file may become larger meanwhile: as a disk that is full.
class small_files {
 public:
  explicit small_files(rlim_t most) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{most, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  small_files(const small_files&) = delete;
  small_files& operator=(const small_files&) = delete;
  ~small_files() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

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

TEST(FileSinkCheck, AnEmptyPathIsRefused) {
  EXPECT_THAT(problems_of([] { tw::run(tw::source(strings{}) | tw::file_sink("")); }),
              ElementsAre(HasSubstr("'file_sink-1': its path is empty")));
}

}  // namespace
