#include <thalweg/stages/blocks.hpp>
#include <thalweg/stages/files.hpp>
#include <thalweg/stages/lines.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "naive_lines.hpp"
#include "scratch.hpp"
#include "stdin.hpp"
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

class Lines : public under_every_policy {
 protected:
  strings of(const fs::path& path, tw::lines_options how = {}) const {
    strings seen;
    tw::run(tw::lines(path, how) | tw::sink(seen), policy());
    strings in_farm;
    tw::run(tw::source(std::vector{path}) | tw::farm(tw::file_to_lines(how)) | tw::sink(in_farm), policy());
    EXPECT_EQ(seen, in_farm);
    return seen;
  }
  std::vector<std::string> blocks_of(const fs::path& path, std::int64_t size) const {
    const auto text = tw::map([](const std::vector<std::byte>& b) {
      return std::string(reinterpret_cast<const char*>(b.data()), b.size());
    });
    strings seen;
    tw::run(tw::blocks(path, size) | text | tw::sink(seen), policy());
    strings in_farm;
    tw::run(tw::source(std::vector{path}) | tw::farm(tw::file_to_blocks(size)) | text | tw::sink(in_farm),
            policy());
    EXPECT_EQ(seen, in_farm);
    return seen;
  }
  scratch dir;
};
FOR_EVERY_POLICY(Lines);

TEST_P(Lines, HaveNoEnds) {
  EXPECT_THAT(of(dir.write("f", "one\n\ntwo\n")), ElementsAre("one", "", "two"));
}

TEST_P(Lines, TheLastNeedsNoEnd) {
  EXPECT_THAT(of(dir.write("f", "one\ntwo")), ElementsAre("one", "two"));
  EXPECT_THAT(of(dir.write("g", "one")), ElementsAre("one"));
  EXPECT_THAT(of(dir.write("h", "\n")), ElementsAre(""));
  EXPECT_THAT(of(dir.write("i", "")), IsEmpty());
}

TEST_P(Lines, CarriageReturnsAreKeptUnlessAskedFor) {
  const auto path = dir.write("f", "a\r\nb\n\r\nc\rd\r\r\ne\r");
  EXPECT_THAT(of(path), ElementsAre("a\r", "b", "\r", "c\rd\r\r", "e\r"));
  EXPECT_THAT(of(path, {.crlf = true}), ElementsAre("a", "b", "", "c\rd\r", "e\r"));
}

TEST_P(Lines, RandomTextsAsTheNaiveWay) {
  std::mt19937 random(3);
  // Lines of nothing, of some bytes, and longer than what is read at once; ends where the reads meet.
  for (const std::size_t size : {10U, 5'000U, 262'143U, 262'144U, 262'145U, 700'000U}) {
    for (const unsigned breaks : {3U, 100U, 400'000U}) {
      if (breaks == 3 && size > 5'000 && size != 262'145) continue;  // very many lines, and nothing new
      std::string text(size, ' ');
      for (char& c : text) {
        const auto r = random() % breaks;
        c = r == 0 ? '\n' : r == 1 ? '\r' : static_cast<char>(random() % 256);
      }
      const auto path = dir.write("f", text);
      for (const bool crlf : {false, true}) ASSERT_TRUE(of(path, {.crlf = crlf}) == naive_lines(text, crlf));
    }
  }
}

TEST_P(Lines, AnEndInTwoPartsIsStillOne) {
  for (const std::size_t first : {262'143U, 262'144U, 524'287U, 524'288U}) {
    const auto path = dir.write("f", std::string(first - 1, 'x') + "\r\n" + std::string(300'000, 'y'));
    const auto seen = of(path, {.crlf = true});
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].size(), first - 1);
    EXPECT_EQ(seen[1].size(), 300'000U);
  }
}

TEST_P(Lines, BlocksMakeUpTheFile) {
  std::mt19937 random(4);
  for (const std::size_t bytes : {0U, 1U, 9U, 10U, 4'097U, 262'144U, 600'001U}) {
    std::string text(bytes, ' ');
    for (char& c : text) c = static_cast<char>(random());
    const auto path = dir.write("f", text);
    for (const std::size_t size :
         {std::size_t{10}, std::size_t{4'096}, std::size_t{300'000}, std::size_t{1} << 40U}) {
      const auto seen = blocks_of(path, static_cast<std::int64_t>(size));
      ASSERT_EQ(seen.size(), (bytes + size - 1) / size);
      std::string all;
      for (const auto& b : seen) {
        ASSERT_TRUE(b.size() == size || &b == &seen.back());
        all += b;
      }
      ASSERT_TRUE(all == text);
    }
  }
}

TEST_P(Lines, OfManyFilesInOrder) {
  std::vector<fs::path> paths;
  strings expected;
  for (int i = 0; i < 50; ++i) {
    std::string text;
    for (int k = 0; k < i * 20; ++k) {
      expected.push_back(std::to_string(i) + "/" + std::to_string(k));
      text += expected.back() + "\n";
    }
    paths.push_back(dir.write(std::to_string(i), text));
  }
  strings seen;
  tw::run(tw::source(paths) | tw::farm(tw::file_to_lines(), {.replicas = 3}) | tw::sink(seen), policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(Lines, WhatCannotBeReadIsNamed) {
  const auto cause = [&](auto job) {
    return failure_of([&] { tw::run(job | tw::sink([](const auto&) {}), policy()); }).cause;
  };
  const auto none = dir / "none";
  EXPECT_THAT(cause(tw::lines(none)), HasSubstr(none.string()));
  EXPECT_THAT(cause(tw::lines(none)), HasSubstr("No such file"));
  EXPECT_THAT(cause(tw::blocks(none, 1)), HasSubstr(none.string()));
  EXPECT_THAT(cause(tw::source(std::vector{none}) | tw::file_to_lines()), HasSubstr(none.string()));
  EXPECT_THAT(cause(tw::source(std::vector{none}) | tw::file_to_blocks(1)), HasSubstr(none.string()));
  EXPECT_THAT(cause(tw::lines(dir.path())), HasSubstr("Is a directory"));
  const auto secret = dir.write("secret", "x");
  fs::permissions(dir.path(), fs::perms::all);
  fs::permissions(secret, fs::perms::none);
  const without_privileges here;
  if (!here.ok()) GTEST_SKIP() << "cannot give up privileges";
  EXPECT_THAT(cause(tw::lines(secret)), HasSubstr("Permission denied"));
  EXPECT_THAT(cause(tw::lines(secret)), HasSubstr(secret.string()));
}

TEST_P(Lines, AMissingFileCanBeSkippedOrWaitedFor) {
  const auto there = dir.write("there", "a\nb\n");
  strings seen;
  tw::run(tw::source(std::vector{dir / "none", there, dir / "none"}) |
              tw::file_to_lines({}, {.on_error = tw::skip}) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  std::thread writer([&] {
    std::this_thread::sleep_for(20ms);
    std::ofstream(dir / "later.new") << "c\n";
    fs::rename(dir / "later.new", dir / "later");
  });
  seen.clear();
  tw::run(tw::lines(dir / "later", {}, {.on_error = tw::retry(12, 10ms)}) | tw::sink(seen), policy());
  writer.join();
  EXPECT_THAT(seen, ElementsAre("c"));
  const auto f = failure_of([&] {
    tw::run(tw::lines(dir / "none", {}, {.on_error = tw::skip}) | tw::sink([](const std::string&) {}),
            policy());
  });
  EXPECT_THAT(f.cause, HasSubstr("cannot open the file"));
  const auto g = failure_of([&] {
    tw::run(tw::blocks(dir / "none", 1, {.on_error = tw::skip}) | tw::sink([](const auto&) {}), policy());
  });
  EXPECT_THAT(g.cause, HasSubstr("cannot open the file"));
}

TEST_P(Lines, AJobRunsAgainAndIsNotShared) {
  const auto path = dir.write("f", "a\nb\n");
  std::atomic<int> seen{0};
  const auto job = tw::lines(path) | tw::sink([&](const std::string&) { ++seen; });
  tw::run(job, policy());
  auto one = tw::launch(job, policy());
  auto two = tw::launch(job, policy());
  one.wait();
  two.wait();
  EXPECT_EQ(seen, 6);
}

TEST_P(Lines, OfTheStandardInput) {
  as_stdin in;
  in.write("a\r\nb");
  in.close();
  strings seen;
  tw::run(tw::stdin_lines({.crlf = true}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
}

TEST_P(Lines, OfTheStandardInputAmongFiles) {
  const auto path = dir.write("f", "file");
  for (const char* name : {"-", "/dev/stdin"}) {
    as_stdin in;
    in.write("a\nb");
    in.close();
    strings seen;
    tw::run(tw::lines({path, fs::path(name), path}) | tw::sink(seen), policy());
    EXPECT_THAT(seen, ElementsAre("file", "a", "b", "file"));
  }
  as_stdin in;
  in.write("a");
  in.close();
  strings files;
  tw::run(tw::numbered_lines("-") | tw::sink([&](const tw::numbered_line& l) { files.push_back(l.file); }),
          policy());
  EXPECT_THAT(files, ElementsAre("standard input"));
}

TEST_P(Lines, OfTheStandardInputComeAsTheyAreWritten) {
  as_stdin in;
  std::atomic<int> seen{0};
  auto e = tw::launch(tw::stdin_lines() | tw::farm([](std::string s) { return s; }) |
                          tw::sink([&](const std::string&) { ++seen; }),
                      policy());
  for (int i = 1; i < 4; ++i) {
    in.write("line\nand a part ");
    EXPECT_TRUE(eventually([&] { return seen == i; }));
  }
  in.close();
  e.wait();
  EXPECT_EQ(seen, 4);
}

TEST_P(Lines, StopAndCancelEndTheWaitForInput) {
  for (const bool cancel : {false, true}) {
    as_stdin in;
    strings seen;
    std::atomic<bool> first{false};
    auto e = tw::launch(tw::stdin_lines() | tw::sink([&](const std::string& s) {
                          seen.push_back(s);
                          first = true;
                        }),
                        policy());
    in.write("whole\npart");
    EXPECT_TRUE(eventually([&] { return first.load(); }));
    std::this_thread::sleep_for(5ms);
    if (cancel) {
      e.cancel();
    } else {
      e.stop();
    }
    e.wait();
    EXPECT_THAT(seen, ElementsAre("whole"));
  }
}

TEST_P(Lines, OfAPipeThatSomebodyWrites) {
  const auto path = dir / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream out(path);
    for (int i = 0; i < 1000; ++i) {
      out << i << '\n';
      if (i % 100 == 0) out.flush();
    }
  });
  strings seen;
  tw::run(tw::lines(path) | tw::sink(seen), policy());
  writer.join();
  ASSERT_EQ(seen.size(), 1000U);
  EXPECT_EQ(seen.back(), "999");
}

// How many items of a stream come when it is stopped at the first one.
template <class Job> std::uint64_t items_until_stopped(Job job, const tw::any_policy& policy) {
  std::atomic<bool> first{false};
  std::atomic<bool> stopped{false};
  auto e = tw::launch(std::move(job) | tw::sink(
                                           [&](const auto&) {
                                             first = true;
                                             eventually([&] { return stopped.load(); });
                                           },
                                           {.capacity = 64}),
                      policy);
  EXPECT_TRUE(eventually([&] { return first.load(); }));
  e.stop();
  stopped = true;
  return e.wait().items();
}

TEST_P(Lines, StopEndsTheReading) {
  constexpr std::size_t all = 400'000;
  std::string text;
  for (std::size_t i = 0; i < all; ++i) text += "01234567890123456789\n";
  const auto path = dir.write("f", text);
  const auto files = tw::source(std::vector{path, path, path});
  EXPECT_LT(items_until_stopped(files | tw::file_to_lines(), policy()), all / 4);
  EXPECT_LT(items_until_stopped(files | tw::farm(tw::file_to_lines(), {.replicas = 2}), policy()), all / 4);
  EXPECT_LT(items_until_stopped(files | tw::file_to_blocks(20), policy()), all / 4);
}

TEST_P(Lines, StopEndsTheListing) {
  constexpr int all = 300;
  for (int i = 0; i < all; ++i) (void)dir.write(std::to_string(i), "");
  for (const bool sorted : {true, false}) {
    const auto many = tw::source(std::vector(2000, dir.path())) | tw::directory_to_files({.sorted = sorted});
    EXPECT_LT(items_until_stopped(many, policy()), 2000U * all / 4);
  }
}

TEST_P(Lines, StopEndsTheWaitForAPipe) {
  const auto path = dir / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int writer = ::open(path.c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  const std::string text = "whole\npart";
  ASSERT_EQ(::write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  strings seen;
  std::atomic<bool> reads{false};
  auto e = tw::launch(tw::source([&, given = false]() mutable -> std::optional<fs::path> {
                        reads = true;
                        return std::exchange(given, true) ? std::nullopt : std::optional(path);
                      }) | tw::file_to_lines() |
                          tw::sink(seen),
                      policy());
  EXPECT_TRUE(eventually([&] { return reads.load(); }));
  std::this_thread::sleep_for(5ms);  // it most likely waits for the rest of the line then
  e.stop();
  e.wait();
  EXPECT_THAT(seen, testing::AnyOf(ElementsAre("whole"), IsEmpty()));
  ::close(writer);
}

TEST_P(Lines, OfSeveralFilesAsOneAfterTheOther) {
  const auto a = dir.write("a", "1\n2");
  const auto b = dir.write("b", "");
  const auto c = dir.write("c", "3\n");
  const auto seen_of = [&](auto job) {
    strings seen;
    tw::run(std::move(job) | tw::sink(seen), policy());
    return seen;
  };
  EXPECT_THAT(seen_of(tw::lines({a, b, c})), ElementsAre("1", "2", "3"));
  EXPECT_THAT(seen_of(tw::lines(strings{c.string(), a.string(), a.string()})),
              ElementsAre("3", "1", "2", "1", "2"));
  const std::vector<const char*> names{b.c_str(), c.c_str()};
  EXPECT_THAT(seen_of(tw::lines(names)), ElementsAre("3"));
  EXPECT_THAT(seen_of(tw::lines(std::vector<fs::path>{})), IsEmpty());
}

TEST_P(Lines, OfSeveralFilesWithoutThoseThatCannotBeRead) {
  const auto a = dir.write("a", "1\n2\n");
  const std::vector<fs::path> paths{dir / "none", a, dir.path(), a, dir / "none"};
  strings seen;
  const auto r = tw::run(tw::lines(paths, {}, {.on_error = tw::skip}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre("1", "2", "1", "2"));
  EXPECT_EQ(r.stage("lines-0").skipped(), 3U);
  const auto f = failure_of([&] { tw::run(tw::lines({a, dir / "none"}) | tw::sink(seen), policy()); });
  EXPECT_THAT(f.cause, HasSubstr((dir / "none").string()));
}

TEST_P(Lines, KnowTheirPlaces) {
  const auto a = dir.write("a", "x\r\n\r\ny");
  const auto b = dir.write("b", "z\n");
  strings seen;
  const auto show = tw::map([&](const tw::numbered_line& l) {
    return fs::path(l.file).filename().string() + ":" + std::to_string(l.number) + ":" + l.text;
  });
  tw::run(tw::numbered_lines({a, b, a}, {.crlf = true}) | show | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre("a:1:x", "a:2:", "a:3:y", "b:1:z", "a:1:x", "a:2:", "a:3:y"));
  seen.clear();
  tw::run(tw::source(std::vector{b, a}) | tw::farm(tw::file_to_numbered_lines({.crlf = true}) | show) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre("b:1:z", "a:1:x", "a:2:", "a:3:y"));
}

TEST(LinesCheck, ANumberedLineTravels) {
  const tw::numbered_line sent{"text", "file", 7};
  std::vector<std::byte> bytes;
  tw::byte_writer to(bytes);
  to(sent);
  tw::byte_reader from(bytes);
  tw::numbered_line got;
  from(got);
  EXPECT_EQ(got.text, "text");
  EXPECT_EQ(got.file, "file");
  EXPECT_EQ(got.number, 7);
}

TEST_P(Lines, OneThatIsTooLongIsNamedOrLeftOut) {
  const std::string longest(10, 'x');
  for (const std::size_t more : {1U, 300'000U}) {  // within what is read at once, and across
    const auto path =
        dir.write("f", longest + "\nb\n" + longest + std::string(more, 'y') + "\nc\n\n" + longest + "z");
    strings seen;
    const auto f = failure_of([&] { tw::run(tw::lines(path, {.longest = 10}) | tw::sink(seen), policy()); });
    EXPECT_THAT(f.cause, HasSubstr("line 3 has more than 10 bytes"));
    EXPECT_THAT(f.cause, HasSubstr(path.string()));
    seen.clear();
    const auto g = failure_of([&] {
      tw::run(tw::lines(path, {.longest = 10}, {.on_error = tw::retry(2)}) | tw::sink(seen), policy());
    });
    EXPECT_EQ(g.cause, f.cause);
    EXPECT_THAT(seen, testing::AnyOf(IsEmpty(), ElementsAre(longest), ElementsAre(longest, "b")));
    for (const bool list : {false, true}) {
      strings places;
      const auto keep =
          tw::sink([&](const tw::numbered_line& l) { places.push_back(std::to_string(l.number) + l.text); });
      const tw::options skip{.on_error = tw::skip};
      const auto r = list ? tw::run(tw::numbered_lines({path}, {.longest = 10}, skip) | keep, policy())
                          : tw::run(tw::numbered_lines(path, {.longest = 10}, skip) | keep, policy());
      EXPECT_THAT(places, ElementsAre("1" + longest, "2b", "4c", "5"));
      EXPECT_EQ(r.stage("numbered_lines-0").skipped(), 2U);
    }
  }
}

TEST(LinesCheck, NoLineCanBeShorterThanNothing) {
  EXPECT_THAT(problems_of([] { tw::run(tw::lines("f", {.longest = 0}) | tw::sink([](const auto&) {})); }),
              ElementsAre(HasSubstr("'lines-0': its .longest line must have at least 1 byte, not 0")));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector<fs::path>{}) | tw::file_to_lines({.longest = -1}) |
                        tw::sink([](const auto&) {}));
              }),
              ElementsAre(HasSubstr("'file_to_lines-1'")));
}

TEST(LinesCheck, BlocksOfNothingAreRefused) {
  EXPECT_THAT(problems_of([] { tw::run(tw::blocks("/dev/null", 0) | tw::sink([](const auto&) {})); }),
              ElementsAre(HasSubstr("'blocks-0': a block must hold at least 1 byte, not 0")));
  EXPECT_THAT(
      problems_of([] {
        tw::run(tw::source(std::vector<fs::path>{}) | tw::file_to_blocks(-1) | tw::sink([](const auto&) {}));
      }),
      ElementsAre(HasSubstr("'file_to_blocks-1'")));
}

TEST(LinesCheck, ASmallFileMakesASmallBlock) {
  const scratch dir;
  const auto path = dir.write("f", "abc");
  std::size_t capacity = 0;
  tw::run(tw::blocks(path, 1 << 20) |
          tw::sink([&](const std::vector<std::byte>& b) { capacity = b.capacity(); }));
  EXPECT_LE(capacity, 6U);
}

TEST(LinesCheck, ABlockOfAFileThatDoesNotSayHowLongItIs) {
  std::string text;
  tw::run(tw::blocks("/proc/self/status", 1 << 30) | tw::sink([&](const std::vector<std::byte>& b) {
            text.assign(reinterpret_cast<const char*>(b.data()), b.size());
          }));
  EXPECT_THAT(text, HasSubstr("Threads:"));
  EXPECT_EQ(text.find('\0'), std::string::npos) << "no more than was read";
}

}  // namespace
