#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "apps/inputs/registry.hpp"
#include "apps/support/application.hpp"
#include "apps/support/hash.hpp"
#include "stages/scratch.hpp"

using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct outcome {
  int code = -1;
  std::string out, complaints;
};

class InputsTool : public testing::Test {
 protected:
  InputsTool() {
    ::setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
    ::setenv("XDG_DATA_HOME", (dir / "data").c_str(), 1);
  }

  outcome run(const std::string& arguments) {
    const auto out = dir / "out", complaints = dir / "complaints";
    const auto command =
        std::string(THALWEG_INPUTS) + " " + arguments + " >" + out.string() + " 2>" + complaints.string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, scratch::read(out), scratch::read(complaints)};
  }

  scratch dir;
  /// Whichever is there: what the tool does is the same for all.
  const apps::application* any = apps::applications().empty() ? nullptr : apps::applications().front();
};

void expect_refused(const outcome& o, int code, const std::string& says) {
  EXPECT_EQ(o.code, code);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.complaints, HasSubstr(says));
}

}  // namespace

TEST_F(InputsTool, ListsApplications) {
  const auto text = run("list"), json = run("list --json");
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(json.code, 0);
  EXPECT_TRUE(json.out.starts_with("{"));
  for (const auto* app : apps::applications()) {
    EXPECT_THAT(text.out, HasSubstr(app->name + ": " + app->says));
    EXPECT_THAT(json.out, HasSubstr("\"name\": \"" + app->name + "\""));
    for (const auto& input : app->inputs) EXPECT_THAT(json.out, HasSubstr("\"name\": \"" + input + "\""));
  }
  for (const auto& missing : apps::missing_applications())
    EXPECT_THAT(text.out, HasSubstr("apt-get install " + missing.packages));
}

TEST_F(InputsTool, SaysWhatWasProbablyMeant) {
  if (any == nullptr) GTEST_SKIP() << "no application is built";
  expect_refused(run("path " + any->name + "s test"), 2, "did you mean '" + any->name + "'?");
  expect_refused(run("path " + any->name + " tset"), 2,
                 any->name + " has no input 'tset': did you mean 'test'?");
  expect_refused(run("path nothing-like-it test"), 2, "`thalweg_inputs list` shows all");
  expect_refused(run("genrate " + any->name + " test"), 2, "did you mean 'generate'?");
  expect_refused(run("path " + any->name), 2, "input is required");
  expect_refused(run("path --wrong"), 2, "");
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("--help").code, 0);
}

TEST_F(InputsTool, MakesInputsWhereTheyAreKept) {
  if (any == nullptr) GTEST_SKIP() << "no application is built";
  const auto folder = (dir / "thalweg/inputs" / any->name / "test").string();
  for (const std::string command : {"path ", "generate ", "generate --force "}) {
    const auto o = run(command + any->name + " test");
    EXPECT_EQ(o.code, 0);
    EXPECT_EQ(o.out, folder + "\n");
    EXPECT_THAT(o.complaints, IsEmpty());  // no progress bar where there is no terminal
    EXPECT_FALSE(std::filesystem::is_empty(folder));
  }
  EXPECT_THAT(run("list").out, HasSubstr("made, "));
}

TEST_F(InputsTool, MakesInputsInAFolder) {
  if (any == nullptr) GTEST_SKIP() << "no application is built";
  const auto command = "generate " + any->name + " test --to " + (dir / "here").string();
  EXPECT_EQ(run(command).code, 0);
  EXPECT_FALSE(std::filesystem::is_empty(dir / "here"));
  expect_refused(run(command), 1, "'" + (dir / "here").string() + "' is not empty");
  EXPECT_EQ(run(command + " --force").code, 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "thalweg"));
}

TEST_F(InputsTool, KnowsInputsOfTheUsersOwn) {
  if (any == nullptr) GTEST_SKIP() << "no application is built";
  const auto mine = dir.write("mine.txt", "mine").string();
  dir.write("data/thalweg/inputs.tsv", any->name + "\tmine\t" + mine + "\t" + apps::hash_of("right") +
                                           "\t4\t" + apps::hash_of("mine") + "\n");
  EXPECT_THAT(run("list").out, HasSubstr(mine));
  EXPECT_THAT(run("list --json").out, HasSubstr("\"registered\": true"));
  for (const std::string command : {"path ", "generate "})
    EXPECT_EQ(run(command + any->name + " mine").out, mine + "\n");
  expect_refused(run("generate --force " + any->name + " mine"), 2, "is a file of the user's");
  expect_refused(run("path " + any->name + " mien"), 2, "did you mean 'mine'?");
  dir.write("judged", "right");
  EXPECT_EQ(run("verify " + any->name + " mine " + (dir / "judged").string()).code, 0);
  dir.write("judged", "wrong");
  EXPECT_EQ(run("verify " + any->name + " mine " + (dir / "judged").string()).code, 1);
  std::filesystem::remove(mine);
  expect_refused(run("path " + any->name + " mine"), 1, "is not there");
  dir.write("data/thalweg/inputs.tsv", "damaged\n");
  expect_refused(run("list --json"), 1, "inputs.tsv:1: ");
}

TEST_F(InputsTool, JudgesOutputs) {
  if (any == nullptr || any->name != "bzip2") GTEST_SKIP() << "bzip2 is not built";
  const auto input = (dir / "thalweg/inputs/bzip2/test_d").string();
  ASSERT_EQ(run("path bzip2 test_d").code, 0);
  ASSERT_EQ(std::system(("bzip2 -dc " + input + "/text.xml.bz2 >" + (dir / "text").string()).c_str()), 0);
  const auto good = run("verify bzip2 test_d " + (dir / "text").string());
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.out, HasSubstr(": good: "));
  const auto wrong = run("verify bzip2 test_d " + input + "/text.xml.bz2");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.out, HasSubstr(": wrong: byte 0 of the text differs"));
  expect_refused(run("verify bzip2 test_d missing"), 1, "cannot open 'missing'");
}
