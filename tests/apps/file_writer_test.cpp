#include "apps/file_writer/file_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/file_writer/inputs.hpp"
#include "apps/support/hash.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace writer = apps::file_writer;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

constexpr writer::recipe few{5, 10, 300'000, 7, false};

std::vector<writer::file> files(const writer::recipe& of) {
  std::vector<writer::file> all;
  writer::source source(of);
  while (auto next = source()) all.push_back(std::move(*next));
  return all;
}

void run(const writer::recipe& of, const fs::path& output, bool backwards = false) {
  apps::output_folder folder(output, writer::is_output);
  writer::sink sink(folder.inside() / writer::list_file, of);
  auto all = files(of);
  if (backwards) std::ranges::reverse(all);
  for (auto& one : all) sink(writer::write(folder.inside(), of.sync, std::move(one)));
  sink.close();
  folder.close();
}

}  // namespace

TEST(FileWriter, SourceFollowsTheRecipe) {
  const writer::recipe many{10'000, 100, 1'099, 1, false};
  const auto all = files(many);
  ASSERT_EQ(all.size(), many.files);
  EXPECT_EQ(all[17].number, 17U);
  EXPECT_EQ(all[17].name, "file0000017.bin");
  EXPECT_NE(all[0].seed, all[1].seed);
  std::uint64_t bytes = 0, least = many.most, most = 0;
  for (const auto& one : all) {
    bytes += one.size;
    least = std::min(least, one.size);
    most = std::max(most, one.size);
  }
  EXPECT_EQ(least, many.least);
  EXPECT_GT(most, 1'090U);
  EXPECT_LE(most, many.most);
  EXPECT_NEAR(static_cast<double>(bytes) / many.files, 350, 10);
}

// Made by another implementation of xoshiro256** and splitmix64: that in tests/bench/program_test.py.
TEST(FileWriter, BytesAreThoseOfTheSeed) {
  const scratch dir;
  const auto written = writer::write(dir.path(), true, {0, "a", 20, 42, {}});
  const auto bytes = scratch::read(dir / "a");
  EXPECT_EQ(
      bytes,
      std::string("\026\307\056\014\056\013\170\025\176\072\021\155\206\331\004\141\241\231\344\071", 20));
  EXPECT_EQ(written.hash, apps::hash_of(bytes));
  writer::write(dir.path(), false, {0, "long", 200'001, 42, {}});
  EXPECT_EQ(apps::hash_of_file(dir / "long"),
            "e92f2082f5e5248a319184d1231b901ec44c239bac468751fa118c0ff92bad21");
  writer::write(dir.path(), false, {0, "none", 0, 42, {}});
  EXPECT_EQ(scratch::read(dir / "none"), "");
  EXPECT_THAT(message_of([&] { writer::write(dir.path(), false, {0, "a", 20, 42, {}}); }), HasSubstr("/a'"));
  EXPECT_THAT(message_of([&] { writer::write(dir / "x", false, {0, "a", 20, 42, {}}); }), HasSubstr("/x/a'"));
}

TEST(FileWriter, OutputIsTheSameWhateverComesFirst) {
  const scratch dir;
  run(few, dir / "a");
  run(few, dir / "b/", true);
  EXPECT_THAT(dir.names(), ElementsAre("a", "b"));
  for (const auto& entry : fs::directory_iterator(dir / "a"))
    EXPECT_TRUE(scratch::read(entry.path()) == scratch::read(dir / "b" / entry.path().filename()));
  const auto all = files(few);
  std::string list;
  for (auto one : all) {
    one.hash = apps::hash_of_file(dir / "a" / one.name);
    list += one.name + "," + std::to_string(one.size) + "," + one.hash + "\n";
  }
  EXPECT_EQ(scratch::read(dir / "a" / writer::list_file), list);
}

TEST(FileWriter, SinkRefusesWhatIsMissingOrComesTwice) {
  const scratch dir;
  const auto all = files(few);
  writer::sink sink(dir / "list", few);
  sink(all[1]);
  EXPECT_THAT(message_of([&] { sink(all[1]); }), EndsWith("file 1 came twice"));
  EXPECT_THAT(message_of([&] { sink.close(); }), EndsWith("file 0 is missing"));
}

TEST(FileWriter, OnlyItsOwnOutputIsReplaced) {
  const scratch dir;
  const auto refused = [&] {
    return testing::Value(message_of([&] { run(few, dir / "a"); }), HasSubstr("a' is there already"));
  };
  run({3, 0, 10, 1, false}, dir / "a");
  run(few, dir / "a");  // three files before, five now
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "a"), {}), 6);
  dir.write("a/mine", "");
  EXPECT_TRUE(refused());
  fs::rename(dir / "a/mine", dir / "a/file0000000.bin");
  run(few, dir / "a");
  fs::remove(dir / "a" / "file0000000.bin");
  EXPECT_TRUE(refused());
  fs::remove_all(dir / "a");
  fs::create_directory(dir / "a");
  EXPECT_TRUE(refused());
  fs::create_directory(dir / "a" / writer::list_file);
  EXPECT_TRUE(refused());
  fs::remove_all(dir / "a");
  dir.write("a", "a file");
  EXPECT_TRUE(refused());
  EXPECT_EQ(scratch::read(dir / "a"), "a file");
  EXPECT_THAT(dir.names(), ElementsAre("a"));
  EXPECT_THAT(message_of([&] { run(few, dir / "none/a"); }), HasSubstr("none/a'"));
}

TEST(FileWriter, WhatCameMeanwhileIsNotReplaced) {
  const scratch dir;
  {
    apps::output_folder folder(dir / "a", writer::is_output);
    apps::write_file(folder.inside() / "b", "text");
    dir.write("a/other", "");
    EXPECT_THAT(message_of([&] { folder.close(); }), HasSubstr("a' is there already"));
  }
  EXPECT_THAT(dir.names(), ElementsAre("a"));
  EXPECT_TRUE(fs::exists(dir / "a/other"));
}

TEST(FileWriter, RecipeThatIsNoneIsNamed) {
  const scratch dir;
  const auto wrong = [&](const std::string& text) {
    return message_of([&] { writer::read_recipe(dir.write("a.txt", text)); });
  };
  EXPECT_EQ(writer::read_recipe(dir.write("a.txt", writer::text_of(few))), few);
  EXPECT_THAT(wrong("files 0\nleast 1\nmost 2\nseed 1\nsync 0\n"), HasSubstr("files 0"));
  EXPECT_THAT(wrong("files 1\nleast 3\nmost 2\nseed 1\nsync 0\n"), HasSubstr("most 2"));
  EXPECT_THAT(wrong("files 1\nleast 1\nmost 2\nseed 1\nsync 2\n"), HasSubstr("sync 2"));
  EXPECT_THAT(wrong("files 1\nleast 1\nmost 2\nseed 1\n"), EndsWith("a.txt' has no 'sync'"));
}

TEST(FileWriterInputs, HaveTheClassesOfAllApplications) {
  const scratch dir;
  for (const auto name : apps::classes) {
    EXPECT_THAT(writer::about().inputs, testing::Contains(name));
    writer::generate(name, dir.path(), {});
    EXPECT_GE(writer::read_recipe(dir / writer::recipe_file).files, 300U);
  }
  EXPECT_EQ(message_of([&] { writer::generate("tiny", dir.path(), {}); }), "file_writer has no input 'tiny'");
}

TEST(FileWriterVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in;
  in.write(writer::recipe_file, writer::text_of(few));
  const auto says = [&] { return writer::verify("test", in.path(), in / "out").says; };
  EXPECT_THAT(says(), HasSubstr("cannot open"));
  run(few, in / "out");
  EXPECT_TRUE(writer::verify("test", in.path(), in / "out").good) << says();
  EXPECT_THAT(says(), testing::StartsWith("5 files of "));

  const auto first = scratch::read(in / "out/file0000000.bin");
  auto wrong = first;
  wrong.back() ^= 1;
  in.write("out/file0000000.bin", wrong);
  EXPECT_THAT(says(), HasSubstr("byte " + std::to_string(first.size() - 1) + " of "));
  EXPECT_FALSE(writer::verify("test", in.path(), in / "out").good);
  in.write("out/file0000000.bin", first + "x");
  EXPECT_THAT(says(), HasSubstr("bytes instead of " + std::to_string(first.size())));
  in.write("out/file0000000.bin", first);
  in.write("out/more", "");
  EXPECT_THAT(says(), EndsWith("has more than the files of the list"));
  fs::remove(in / "out/more");
  const auto list = scratch::read(in / "out/list.csv");
  in.write("out/list.csv", list + "x,0,\n");
  EXPECT_THAT(says(), HasSubstr("more lines than there are files"));
  in.write("out/list.csv", list.substr(1));
  EXPECT_THAT(says(), HasSubstr("another line than that of "));
  in.write("out/list.csv", list);
  EXPECT_THAT(says(), testing::StartsWith("5 files of "));
  fs::remove(in / "out/file0000004.bin");
  EXPECT_THAT(says(), HasSubstr("file0000004.bin"));
}
