#include "apps/support/registered_input.hpp"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/hash.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

class RegisteredInputs : public testing::Test {
 protected:
  RegisteredInputs() { ::setenv("XDG_DATA_HOME", dir.path().c_str(), 1); }

  void list(const std::string& lines) const { dir.write("thalweg/inputs.tsv", "# a comment\n" + lines); }
  static std::string line(const std::string& app, const std::string& name, const std::string& hash) {
    return app + "\t" + name + "\t/some/where/a, b.txt\t" + hash + "\t12\t" + apps::hash_of("in") + "\n";
  }
  static std::string complaint() {
    return message_of([] { apps::registered_inputs("primes"); });
  }

  scratch dir;
};

}  // namespace

TEST_F(RegisteredInputs, AreWhereTheSystemWantsThem) {
  EXPECT_EQ(apps::registered_inputs_file(), dir / "thalweg/inputs.tsv");
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(apps::registered_inputs_file(), "/home/somebody/.local/share/thalweg/inputs.tsv");
}

TEST_F(RegisteredInputs, ThereAreNoneWithoutAList) {
  EXPECT_TRUE(apps::registered_inputs("primes").empty());
  EXPECT_FALSE(apps::find_registered_input("primes", "mine"));
}

TEST_F(RegisteredInputs, AreFoundByApplicationAndName) {
  list(line("primes", "mine", "-") + "\n" + line("bzip2", "mine", apps::hash_of("x")));
  EXPECT_EQ(apps::registered_inputs("primes").size(), 1U);
  const auto plain = apps::find_registered_input("primes", "mine");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->file, "/some/where/a, b.txt");
  EXPECT_EQ(plain->output_hash, "");
  EXPECT_EQ(apps::find_registered_input("bzip2", "mine")->output_hash, apps::hash_of("x"));
  EXPECT_FALSE(apps::find_registered_input("primes", "other"));
}

TEST_F(RegisteredInputs, PathsAreNoNames) {
  list("damaged\n");
  EXPECT_FALSE(apps::find_registered_input("primes", "./mine"));
}

TEST_F(RegisteredInputs, DamagedListIsNamedWithItsLine) {
  list(line("primes", "mine", "-") + "damaged\n");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("thalweg/inputs.tsv:3: "), HasSubstr("with tabs between them")));
  list("primes\tmine\trelative.txt\t-\t1\t-\n");
  EXPECT_THAT(complaint(), HasSubstr("inputs.tsv:2: "));
  list("primes\t\t/a\t-\t1\t-\n");
  EXPECT_THAT(complaint(), HasSubstr("inputs.tsv:2: "));
  list(line("bzip2", "mine", "12ab"));
  EXPECT_THAT(complaint(), HasSubstr("inputs.tsv:2: '12ab' is neither a SHA-256 nor an MD5"));
  list(line("bzip2", "mine", std::string(64, 'g')));
  EXPECT_THAT(complaint(), HasSubstr("gg' is neither"));
}

TEST_F(RegisteredInputs, OutputsAreComparedByTheirHashes) {
  const auto output = dir.write("out", "right");
  const apps::registered_input sha{"mine", "/in", apps::hash_of("right")};
  const apps::registered_input md5{"mine", "/in", apps::hash_of("right", apps::hash::md5)};
  EXPECT_TRUE(apps::verify_registered(sha, output).good);
  EXPECT_THAT(apps::verify_registered(md5, output).says, HasSubstr("MD5"));
  EXPECT_TRUE(apps::verify_registered(md5, output).good);
  dir.write("out", "wrong");
  EXPECT_FALSE(apps::verify_registered(md5, output).good);
  const auto verdict = apps::verify_registered(sha, output);
  EXPECT_FALSE(verdict.good);
  EXPECT_THAT(verdict.says, AllOf(HasSubstr("out' is " + apps::hash_of("wrong")), EndsWith(sha.output_hash)));
}

TEST_F(RegisteredInputs, WithoutAHashThereIsNothingToCompareWith) {
  const apps::registered_input mine{"mine", "/in", ""};
  EXPECT_THAT(message_of([&] { apps::verify_registered(mine, dir / "out"); }),
              HasSubstr("what should come of the input 'mine' is not known"));
}
