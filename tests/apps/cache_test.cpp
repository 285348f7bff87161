#include "apps/support/cache.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class InputCache : public testing::Test {
 protected:
  InputCache() {
    ::setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
    app.name = "fake";
    app.inputs = {"test"};
    app.generate = [this](std::string_view input, const fs::path& folder, const apps::progress& told) {
      if (told) told(1, 2);
      apps::output_file out(folder / "file");
      out.write(std::string(input) + " " + std::to_string(++made));
      out.close();
    };
  }
  [[nodiscard]] std::string file() const { return scratch::read(apps::input_folder(app, "test") / "file"); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& e : fs::directory_iterator(apps::input_cache() / "fake"))
      found.push_back(e.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  scratch dir;
  apps::application app;
  std::atomic<int> made = 0;
};

}  // namespace

TEST_F(InputCache, IsWhereTheSystemWantsIt) {
  EXPECT_EQ(apps::input_cache(), dir / "thalweg/inputs");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(apps::input_cache(), "/home/somebody/.cache/thalweg/inputs");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(apps::input_folder(app, "test"), "/home/somebody/.cache/thalweg/inputs/fake/test");
  ::unsetenv("HOME");
  EXPECT_TRUE(apps::input_cache().is_absolute());
}

TEST_F(InputCache, MakesAnInputOnce) {
  EXPECT_FALSE(apps::input_is_there(app, "test"));
  int told = 0;
  const auto folder = apps::provide_input(app, "test", [&](std::uint64_t, std::uint64_t) { ++told; });
  EXPECT_EQ(folder, dir / "thalweg/inputs/fake/test");
  EXPECT_TRUE(apps::input_is_there(app, "test"));
  EXPECT_EQ(file(), "test 1");
  EXPECT_EQ(told, 1);
  apps::provide_input(app, "test");
  EXPECT_EQ(file(), "test 1");
  apps::provide_input(app, "test", {}, true);
  EXPECT_EQ(file(), "test 2");
  EXPECT_THAT(names(), ElementsAre(".test.lock", "test"));
}

TEST_F(InputCache, MakesAnInputAgainOfWhichThereIsANewEdition) {
  apps::provide_input(app, "test");
  app.edition = 2;
  EXPECT_FALSE(apps::input_is_there(app, "test"));
  apps::provide_input(app, "test");
  EXPECT_EQ(file(), "test 2");
}

TEST_F(InputCache, MakesAnInputAgainOfWhichSomethingHasGone) {
  const auto folder = apps::provide_input(app, "test");
  fs::resize_file(folder / "file", 3);
  EXPECT_FALSE(apps::input_is_there(app, "test"));
  apps::provide_input(app, "test");
  EXPECT_EQ(file(), "test 2");
  fs::remove(folder / "file");
  apps::provide_input(app, "test");
  EXPECT_EQ(file(), "test 3");
  EXPECT_TRUE(apps::input_is_there(app, "test"));
}

TEST_F(InputCache, KeepsTheHashesOfItsFiles) {
  const auto quick = app.generate;
  app.generate = [&](std::string_view input, const fs::path& folder, const apps::progress& told) {
    quick(input, folder, told);
    fs::create_directory(folder / "b");
    apps::write_file(folder / "b" / "c", "more");
  };
  const auto folder = apps::provide_input(app, "test");
  EXPECT_EQ(scratch::read(folder / apps::hashes_file),
            apps::hash_of("more") + "  b/c\n" + apps::hash_of("test 1") + "  file\n");
}

TEST_F(InputCache, HoldsNothingThatIsNotComplete) {
  const auto good = app.generate;
  app.generate = [&](std::string_view input, const fs::path& folder, const apps::progress& told) {
    good(input, folder, told);
    throw apps::error("the disk is full");
  };
  EXPECT_EQ(message_of([&] { apps::provide_input(app, "test"); }), "the disk is full");
  EXPECT_FALSE(apps::input_is_there(app, "test"));
  EXPECT_THAT(names(), ElementsAre(".test.lock"));
  app.generate = good;
  apps::provide_input(app, "test");
  EXPECT_EQ(file(), "test 2");
}

TEST_F(InputCache, WhatAKilledProcessLeftIsRemoved) {
  dir.write("thalweg/inputs/fake/.test.12345-0.tmp/file", "half");
  dir.write("thalweg/inputs/fake/.other.12345-0.tmp/file", "half");
  dir.write("thalweg/inputs/fake/test/file", "no stamp");
  apps::provide_input(app, "test");
  EXPECT_THAT(names(), ElementsAre(".other.12345-0.tmp", ".test.lock", "test"));
  EXPECT_EQ(file(), "test 1");
}

TEST_F(InputCache, MakesAnInputOnceForAllWhoWantItAtTheSameTime) {
  const auto quick = app.generate;
  app.generate = [&](std::string_view input, const fs::path& folder, const apps::progress& told) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    quick(input, folder, told);
  };
  std::atomic<int> waited = 0, right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        apps::provide_input(app, "test", {}, false, [&] { ++waited; });
        if (file() == "test 1") ++right;
      });
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(right, 4);
  EXPECT_LE(waited, 3);
  EXPECT_THAT(names(), ElementsAre(".test.lock", "test"));
}

TEST_F(InputCache, NamesTheFolderThatCannotBeCreated) {
  dir.write("thalweg", "a file");
  EXPECT_THAT(message_of([&] { apps::provide_input(app, "test"); }), HasSubstr((dir / "thalweg").string()));
}

TEST_F(InputCache, FillsAFolderOfTheUsers) {
  const auto folder = dir / "a/b";
  apps::make_input_in(folder, app, "test");
  EXPECT_EQ(scratch::read(folder / "file"), "test 1");
  EXPECT_EQ(message_of([&] { apps::make_input_in(folder, app, "test"); }),
            "'" + folder.string() + "' is not empty");
  dir.write("a/b/mine", "mine");
  apps::make_input_in(folder, app, "test", {}, true);
  EXPECT_EQ(scratch::read(folder / "file"), "test 2");
  EXPECT_EQ(scratch::read(folder / "mine"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
  EXPECT_FALSE(apps::input_is_there(app, "test"));
}
