#include <thalweg/stages/files.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

class Files : public under_every_policy {
 protected:
  std::vector<fs::path> found(tw::files_options how = {}, tw::options opts = {}) const {
    std::vector<fs::path> seen;
    tw::run(tw::files(dir.path(), std::move(how), std::move(opts)) | tw::sink(seen), policy());
    return seen;
  }
  scratch dir;
};
FOR_EVERY_POLICY(Files);

TEST_P(Files, GivesTheFilesOfADirectorySorted) {
  for (const auto* name : {"c", "a", "b", "below/d"}) dir.write(name, "");
  EXPECT_THAT(found(), ElementsAre(dir / "a", dir / "b", dir / "c"));
}

TEST_P(Files, OfAnEmptyDirectoryAreNone) {
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(found({.recursive = true, .sorted = false}), IsEmpty());
}

TEST_P(Files, RecursivelyInTheOrderOfPaths) {
  for (const auto* name : {"a.txt", "a/x", "a/y/z", "b", "a-b", "c/q"}) dir.write(name, "");
  fs::create_directories(dir / "empty");
  EXPECT_THAT(found({.recursive = true}),
              ElementsAre(dir / "a/x", dir / "a/y/z", dir / "a-b", dir / "a.txt", dir / "b", dir / "c/q"));
}

TEST_P(Files, ThatMatchAPattern) {
  for (const auto* name : {"a.txt", "b.log", ".c.txt", "txt/d.txt", "txt/e"}) dir.write(name, "");
  EXPECT_THAT(found({.pattern = "*.txt"}), ElementsAre(dir / ".c.txt", dir / "a.txt"));
  EXPECT_THAT(found({.recursive = true, .pattern = "[de]*"}), ElementsAre(dir / "txt/d.txt", dir / "txt/e"));
}

TEST_P(Files, LinksToFilesAreFilesAndLinksToDirectoriesAreNotFollowed) {
  dir.write("real/file", "");
  fs::create_symlink(dir / "real/file", dir / "to_file");
  fs::create_directory_symlink(dir.path(), dir / "real/loop");
  fs::create_symlink(dir / "nowhere", dir / "to_nothing");
  EXPECT_THAT(found({.recursive = true}), ElementsAre(dir / "real/file", dir / "to_file"));
  EXPECT_THAT(found({.recursive = true, .sorted = false}),
              UnorderedElementsAre(dir / "real/file", dir / "to_file"));
}

TEST_P(Files, RandomTreesAsTheStandardLibraryListsThem) {
  std::mt19937 random(5);
  for (int round = 0; round < 10; ++round) {
    const scratch tree;
    const auto letter = [&] { return std::string(1, "ab-./"[random() % 5]); };
    for (int i = 0; i < 40; ++i) {
      std::string name = "n";
      for (unsigned k = random() % 8; k > 0; --k) name += letter() + "x";
      std::error_code taken;
      const auto path = tree.path() / name;
      fs::create_directories(path.parent_path(), taken);
      std::ofstream(path) << i;
    }
    std::vector<fs::path> expected;
    for (const auto& e : fs::recursive_directory_iterator(tree.path()))
      if (e.is_regular_file()) expected.push_back(e.path());
    std::sort(expected.begin(), expected.end());
    for (const bool sorted : {true, false}) {
      std::vector<fs::path> seen;
      tw::run(tw::files(tree.path(), {.recursive = true, .sorted = sorted}) | tw::sink(seen), policy());
      if (!sorted) std::sort(seen.begin(), seen.end());
      ASSERT_EQ(seen, expected);
    }
  }
}

TEST_P(Files, AMissingDirectoryIsNamed) {
  const auto f = failure_of([&] {
    tw::run(tw::files(dir / "none", {}, {.name = "list"}) | tw::sink([](const fs::path&) {}), policy());
  });
  EXPECT_EQ(f.stage, "list");
  EXPECT_THAT(f.cause, HasSubstr((dir / "none").string()));
  EXPECT_THAT(f.cause, HasSubstr("No such file"));
}

TEST_P(Files, AFileIsNoDirectory) {
  dir.write("file", "");
  const auto f =
      failure_of([&] { tw::run(tw::files(dir / "file") | tw::sink([](const fs::path&) {}), policy()); });
  EXPECT_THAT(f.cause, HasSubstr((dir / "file").string()));
}

TEST_P(Files, ADirectoryThatMayNotBeReadIsNamedOrSkipped) {
  for (const auto* name : {"a/1", "b/2", "c/3"}) dir.write(name, "");
  fs::permissions(dir.path(), fs::perms::all);
  fs::permissions(dir / "b", fs::perms::none);
  const without_privileges here;
  if (!here.ok()) GTEST_SKIP() << "cannot give up privileges";
  for (const bool sorted : {true, false}) {
    const auto f = failure_of([&] { found({.recursive = true, .sorted = sorted}); });
    EXPECT_THAT(f.cause, HasSubstr((dir / "b").string()));
    EXPECT_THAT(f.cause, HasSubstr("Permission denied"));
    EXPECT_THAT(found({.recursive = true, .sorted = sorted}, {.on_error = tw::skip}),
                UnorderedElementsAre(dir / "a/1", dir / "c/3"));
    EXPECT_THAT(
        failure_of([&] { found({.recursive = true, .sorted = sorted}, {.on_error = tw::retry(2)}); }).cause,
        HasSubstr((dir / "b").string()))
        << "a retry is no skip";
  }
  EXPECT_THAT(failure_of([&] {
                tw::run(tw::source(std::vector{dir.path()}) | tw::directory_to_files({.recursive = true}) |
                            tw::sink([](const fs::path&) {}),
                        policy());
              }).cause,
              HasSubstr((dir / "b").string()));
}

TEST_P(Files, OfManyDirectoriesInAFarm) {
  std::vector<fs::path> folders;
  std::vector<fs::path> expected;
  for (const std::string name : {"b", "a", "c"}) {
    folders.push_back(dir / name);
    for (const std::string file : {"1", "2", "3"}) expected.push_back(dir.write(name + "/" + file, ""));
  }
  std::vector<fs::path> seen;
  tw::run(tw::source(folders) | tw::farm(tw::directory_to_files(), {.replicas = 3}) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected);
}

TEST_P(Files, AJobRunsAgain) {
  dir.write("a", "");
  const auto job = tw::files(dir.path());
  for (const std::size_t expected : {1U, 2U}) {
    std::vector<fs::path> seen;
    tw::run(job | tw::sink(seen), policy());
    EXPECT_EQ(seen.size(), expected);
    dir.write("b", "");
  }
}

TEST(FilesCheck, AnEmptyPatternIsRefused) {
  const auto problems =
      problems_of([] { tw::run(tw::files("/", {.pattern = ""}) | tw::sink([](const fs::path&) {})); });
  EXPECT_THAT(problems, ElementsAre(HasSubstr("'files-0': its pattern is empty")));
}

}  // namespace
