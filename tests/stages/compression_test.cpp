#include <thalweg/stages/compression.hpp>
#include <thalweg/stages/file_sink.hpp>
#include <thalweg/stages/lines.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "naive_lines.hpp"
#include "packed.hpp"
#include "scratch.hpp"
#include "small_files.hpp"
#include "stdin.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using strings = std::vector<std::string>;

tw::compression forced(const packed::way& way) {
  return way.name == "gzip" ? tw::gzip() : tw::zstd();
}

class Compression : public under_every_policy {
 protected:
  // The lines that came, and what the run failed with.
  std::pair<strings, std::string> all_of(const fs::path& path, const tw::lines_options& how) const {
    strings seen;
    const auto job = tw::lines(path, how) | tw::sink(seen);
    try {
      tw::run(job, policy());
    } catch (const tw::stage_error& e) {
      return {seen, e.what()};
    }
    return {seen, ""};
  }
  strings of(const fs::path& path, const tw::lines_options& how = {.compressed = tw::automatic}) const {
    auto [seen, failed] = all_of(path, how);
    EXPECT_EQ(failed, "");
    strings in_farm;
    tw::run(tw::source(std::vector{path}) | tw::farm(tw::file_to_lines(how)) | tw::sink(in_farm), policy());
    EXPECT_EQ(seen, in_farm);
    return seen;
  }
  std::string failure(const fs::path& path, tw::lines_options how = {.compressed = tw::automatic}) const {
    return all_of(path, how).second;
  }
  scratch dir;
};
FOR_EVERY_POLICY(Compression);

TEST_P(Compression, IsFoundOutByTheFirstBytes) {
  EXPECT_THAT(of(dir.write("plain", "one\ntwo")), ElementsAre("one", "two"));
  EXPECT_THAT(of(dir.write("short", "a")), ElementsAre("a"));
  EXPECT_THAT(of(dir.write("almost", "\x1f")), ElementsAre("\x1f"));
  EXPECT_THAT(of(dir.write("empty", "")), IsEmpty());
  for (const auto& way : packed::ways()) {
    const auto path = dir.write("any name", way.pack("one\n\ntwo"));
    EXPECT_THAT(of(path), ElementsAre("one", "", "two")) << way.name;
    EXPECT_THAT(of(path, {.compressed = forced(way)}), ElementsAre("one", "", "two")) << way.name;
    EXPECT_THAT(of(dir.write("nothing", way.pack(""))), IsEmpty()) << way.name;
  }
}

TEST_P(Compression, IsNotLookedForUnlessAskedFor) {
  const auto bytes = packed::gzip("one\n");
  EXPECT_EQ(of(dir.write("f", bytes), {}), naive_lines(bytes, false));
}

TEST_P(Compression, OneFileMayHaveSeveralParts) {
  for (const auto& way : packed::ways()) {
    const auto path =
        dir.write("f", way.pack("one\ntw") + way.pack("") + way.pack("o\n") + way.pack("three"));
    EXPECT_THAT(of(path), ElementsAre("one", "two", "three")) << way.name;
  }
  EXPECT_THAT(of(dir.write("padded", packed::gzip("one\n") + std::string(100'000, '\0'))),
              ElementsAre("one"));
#if THALWEG_TEST_ZSTD
  // A frame that is to be skipped: 3 bytes.
  const std::string skipped("\x52\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_THAT(of(dir.write("s", skipped + packed::zstd("one\n") + skipped + packed::zstd("two"))),
              ElementsAre("one", "two"));
#endif
}

TEST_P(Compression, RandomTextsAsTheNaiveWay) {
  std::mt19937 random(5);
  for (const auto& way : packed::ways()) {
    for (const std::size_t size : {1U, 3'000U, 262'143U, 262'144U, 262'145U, 900'000U}) {
      for (const bool crlf : {false, true}) {
        const unsigned breaks = random() % 2 == 0 ? 80 : 300'000;  // short lines, and long ones
        const unsigned kinds = random() % 2 == 0 ? 2 : 256;        // much smaller when packed, and hardly
        std::string text(size, ' ');
        for (char& c : text) {
          const auto r = random() % breaks;
          c = r == 0 ? '\n' : r == 1 ? '\r' : static_cast<char>(random() % kinds);
        }
        std::string file;
        for (std::size_t at = 0; at < text.size();) {
          const auto part = random() % 3 == 0 ? random() % 100 : random() % (size + 1);
          file += way.pack(text.substr(at, part));
          at += part;
        }
        const tw::lines_options how{.crlf = crlf, .compressed = tw::automatic};
        ASSERT_TRUE(of(dir.write("f", file), how) == naive_lines(text, crlf)) << way.name << ' ' << size;
      }
    }
  }
}

TEST_P(Compression, AFileThatIsCutOffGivesItsBeginningAndAnError) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  const auto whole = naive_lines(text, false);
  for (const auto& way : packed::ways()) {
    const auto bytes = way.pack(text);
    for (std::size_t size = 0; size < bytes.size(); size += size < 8 ? 1 : 97) {
      const auto path = dir.write("cut", bytes.substr(0, size));
      const auto [seen, failed] = all_of(path, {.compressed = forced(way)});
      EXPECT_THAT(failed, HasSubstr("the compressed data ends too early")) << way.name << ' ' << size;
      EXPECT_THAT(failed, HasSubstr(path.string()));
      EXPECT_THAT(failed, HasSubstr("at byte " + std::to_string(size) + " of the file"));
      ASSERT_LE(seen.size(), whole.size());
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), whole.begin()));
    }
  }
}

// What was there before the damage comes, and nothing that is not whole.
TEST_P(Compression, NothingIsLostBeforeTheDamage) {
  for (const auto& way : packed::ways()) {
    const auto path = dir.write("f", way.pack("one\ntwo\nthr") + "rubbish");
    const tw::lines_options how{.compressed = tw::automatic};
    std::size_t lines = 0;
    const auto f = failure_of([&] {
      tw::run(tw::numbered_lines(path, how) | tw::sink([&](const tw::numbered_line& l) {
                EXPECT_EQ(l.text, l.number == 1 ? "one" : "two");
                ++lines;
              }),
              tw::sequential{});
    });
    EXPECT_EQ(lines, 2U) << way.name;
    EXPECT_THAT(f.cause, HasSubstr("behind line 2, at byte "));
    EXPECT_THAT(f.cause, HasSubstr("behind the " + way.name + " data there are other bytes"));
    EXPECT_THAT(f.cause, HasSubstr(path.string()));
  }
}

TEST_P(Compression, DamagedBytesAreAnErrorOrChangeNothing) {
  std::mt19937 random(6);
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string(random()) + "\n";
  const auto whole = naive_lines(text, false);
  for (const auto& way : packed::ways()) {
    const auto good = way.pack(text);
    for (int k = 0; k < 60; ++k) {
      auto bad = good;
      bad[random() % bad.size()] ^= static_cast<char>(1U << (random() % 8));
      const auto [seen, failed] = all_of(dir.write("f", bad), {.compressed = forced(way)});
      if (failed.empty()) {
        // What is not part of the content, such as a time. The frames of `packed::zstd` have no check sum.
        EXPECT_TRUE(seen == whole || way.name == "zstd");
      } else {
        EXPECT_THAT(failed, HasSubstr((dir / "f").string()));
      }
    }
  }
}

TEST_P(Compression, WhatIsNotWhatItShouldBe) {
  const auto plain = dir.write("plain", "just a text\n");
  EXPECT_THAT(
      failure(plain, {.compressed = tw::gzip()}),
      HasSubstr("behind line 0, at byte 0 of the file, the gzip data is damaged: incorrect header check"));
  auto wrong_sum = packed::gzip("one\n");
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_THAT(failure(dir.write("f", wrong_sum)), HasSubstr("behind line 1"));
  EXPECT_THAT(failure(dir.write("f", wrong_sum)), HasSubstr("incorrect data check"));
  EXPECT_THAT(failure(dir / "none"), HasSubstr("No such file"));
  EXPECT_THAT(failure(dir.path()), HasSubstr("Is a directory"));
#if THALWEG_TEST_ZSTD
  EXPECT_THAT(failure(plain, {.compressed = tw::zstd()}),
              HasSubstr("the zstd data is damaged: Unknown frame descriptor"));
#endif
}

TEST_P(Compression, ADamagedFileCanBeLeftOut) {
  const auto good = dir.write("good", packed::gzip("a\nb\n"));
  const auto bytes = packed::gzip("c\nd\n");
  const auto bad = dir.write("bad", bytes.substr(0, bytes.size() - 1));
  const tw::lines_options how{.compressed = tw::automatic};
  strings seen;
  const auto r = tw::run(
      tw::lines({bad, good}, how, {.on_error = tw::retry(2).then(tw::skip)}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre("c", "d", "a", "b")) << "what was whole stays";
  EXPECT_EQ(r.stage("lines-0").skipped(), 1U);
  seen.clear();
  tw::run(
      tw::source(std::vector{bad, good}) | tw::file_to_lines(how, {.on_error = tw::skip}) | tw::sink(seen),
      policy());
  EXPECT_THAT(seen, ElementsAre("a", "b")) << "here all of a file, or nothing";
}

TEST_P(Compression, ALineThatUnpacksToTooMuchIsAnError) {
  for (const auto& way : packed::ways()) {
    const auto path = dir.write("bomb", way.pack("a\n" + std::string(5'000'000, 'x')));
    EXPECT_THAT(failure(path, {.compressed = tw::automatic, .longest = 1'000}),
                HasSubstr("line 2 has more than 1000 bytes"));
  }
}

TEST_P(Compression, TheRestOfALineThatIsLeftOutMayBeDamaged) {
  const auto bytes = packed::gzip("a\n" + std::string(2'000'000, 'x'));
  const auto bad = dir.write("bad", bytes.substr(0, bytes.size() - 9));
  const auto good = dir.write("good", "b\n");
  strings seen;
  const auto r =
      tw::run(tw::lines({bad, good}, {.compressed = tw::automatic, .longest = 10}, {.on_error = tw::skip}) |
                  tw::sink(seen),
              policy());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  EXPECT_EQ(r.stage("lines-0").skipped(), 2U);
}

TEST_P(Compression, OfTheStandardInput) {
  for (const auto& way : packed::ways()) {
    as_stdin in;
    in.write(way.pack("a\nb"));
    in.close();
    EXPECT_THAT(all_of("-", {.compressed = tw::automatic}).first, ElementsAre("a", "b"));
  }
}

TEST_P(Compression, OfAPipeByteByByte) {
  const auto path = dir / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const auto& way : packed::ways()) {
    std::thread writer([&] {
      std::ofstream out(path);
      for (const char c : way.pack("a\nb\n") + way.pack("c")) out << c << std::flush;
    });
    const auto [seen, failed] = all_of(path, {.compressed = tw::automatic});
    writer.join();
    EXPECT_THAT(seen, ElementsAre("a", "b", "c"));
    EXPECT_EQ(failed, "");
  }
}

TEST_P(Compression, StopEndsTheWaitForItsFirstBytes) {
  as_stdin in;
  in.write("\x1f");
  strings seen;
  auto e = tw::launch(tw::stdin_lines({.compressed = tw::automatic}) | tw::sink(seen), policy());
  e.stop();
  EXPECT_EQ(e.wait().items(), 0U);
}

TEST_P(Compression, WritesWhatOthersCanRead) {
  strings lines;
  for (int i = 0; i < 60'000; ++i) lines.push_back("some line " + std::to_string(i * 7919));
  for (const auto& way : packed::ways()) {
    const auto target = dir / ("out" + way.ending);
    for (const auto& how : {forced(way), tw::compression(tw::automatic)}) {
      tw::run(tw::source(lines) | tw::file_sink(target, {.compressed = how}), policy());
      EXPECT_LT(fs::file_size(target), 400'000U);
      EXPECT_TRUE(of(target, {.compressed = forced(way)}) == lines);
      tw::run(tw::source(strings{}) | tw::file_sink(target, {.compressed = how}), policy());
      EXPECT_GT(fs::file_size(target), 0U) << "a file of nothing is a file";
      EXPECT_THAT(of(target, {.compressed = forced(way)}), IsEmpty());
    }
  }
  tw::run(tw::source(strings{"a"}) | tw::file_sink(dir / "out.txt", {.compressed = tw::automatic}), policy());
  EXPECT_EQ(scratch::read(dir / "out.txt"), "a\n");
  EXPECT_EQ(dir.names().size(), packed::ways().size() + 1) << "no temporary file is left";
}

TEST_P(Compression, TheSameBytesAsFromZlib) {
  const auto target = dir / "out.gz";
  tw::run(tw::source(strings{"one", "two"}) | tw::file_sink(target, {.compressed = tw::gzip(9)}), policy());
  EXPECT_EQ(scratch::read(target), packed::gzip("one\ntwo\n", 9));
}

TEST_P(Compression, AFullDiskIsAnErrorAndTheTargetStays) {
  std::mt19937 random(7);
  std::string noise(1'000'000, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  for (const auto& way : packed::ways()) {
    for (const std::size_t size : {std::size_t{60'000}, noise.size()}) {  // fails at the end, or before
      const auto target = dir.write("target", "before");
      const auto f = failure_of([&] {
        const small_files full(50'000);
        tw::run(tw::source(strings{noise.substr(0, size), noise.substr(0, size)}) |
                    tw::file_sink(target, {.compressed = forced(way)}),
                policy());
      });
      EXPECT_THAT(f.cause, HasSubstr(target.string()));
      EXPECT_THAT(f.cause, HasSubstr("too large"));
      EXPECT_EQ(scratch::read(target), "before");
      EXPECT_THAT(dir.names(), ElementsAre("target"));
    }
  }
}

TEST_P(Compression, AFailedRunLeavesNoFile) {
  const auto f = failure_of([&] {
    tw::run(tw::source(strings{"a", "b"}) | tw::map([](const std::string& s) {
              return s == "b" ? throw std::runtime_error("no") : s;
            }) | tw::file_sink(dir / "out.gz", {.compressed = tw::automatic}),
            policy());
  });
  EXPECT_EQ(f.cause, "no");
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(CompressionCheck, WhatIsNotPossibleIsRefused) {
  const auto writing = [](tw::file_sink_options how) {
    return problems_of([&] { tw::run(tw::source(strings{}) | tw::file_sink("f", how)); });
  };
  EXPECT_THAT(writing({.compressed = tw::gzip(10)}),
              ElementsAre(HasSubstr("'file_sink-1': its .compressed: the level of gzip is 1 to 9, not 10")));
  EXPECT_THAT(writing({.compressed = tw::gzip(0)}), ElementsAre(HasSubstr("not 0")));
  EXPECT_THAT(
      writing({.compressed = tw::automatic, .append = true}),
      ElementsAre(HasSubstr("a file that grows (.append, .flush_every, .rotate) cannot be .compressed")));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::lines("f", {.compressed = tw::gzip(-1)}) | tw::sink([](const std::string&) {}));
              }),
              ElementsAre(HasSubstr("'lines-0': its .compressed: the level of gzip")));
  EXPECT_THROW(tw::compression(7), tw::error);
#if THALWEG_TEST_ZSTD
  EXPECT_THAT(writing({.compressed = tw::zstd(23)}),
              ElementsAre(HasSubstr("the level of zstd is 1 to 22, not 23")));
#else
  EXPECT_THAT(writing({.compressed = tw::zstd()}), ElementsAre(HasSubstr("built without zstd")));
#endif
}

#if !THALWEG_TEST_ZSTD
TEST(CompressionCheck, FilesOfZstdAreRecognisedWithoutIt) {
  const scratch dir;
  const auto path = dir.write("f", "\x28\xb5\x2f\xfd and so on");
  const auto f = failure_of(
      [&] { tw::run(tw::lines(path, {.compressed = tw::automatic}) | tw::sink([](const std::string&) {})); });
  EXPECT_THAT(f.cause, HasSubstr("built without zstd"));
  EXPECT_THAT(f.cause, HasSubstr(path.string()));
}
#endif

}  // namespace
