#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <primes.hpp>

#include "apps/support/hash.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;

/// The numbers from 10 to 30.
class Primes : public run_test {
 protected:
  void SetUp() override { write(range, "first 10\nlast 30\n"); }
  void begin(std::initializer_list<std::string> more = {}) { begin_with(range, more); }

  const std::filesystem::path range = path("range.txt");
  const std::string good = "11\n13\n17\n19\n23\n29\n";
};

TEST_F(Primes, AreFoundInAnyOrderAndInBatches) {
  begin();
  run_in_order<spb::Item, spb::Source, spb::Primality, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
  begin({"-batch-size", "4", "-in-memory"});
  run_in_reverse<spb::Item, spb::Source, spb::Primality, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(Primes, ThreadsMayShareTheStream) {
  begin();
  run_in_two_threads<spb::Item, spb::Source, spb::Primality, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(Primes, ANumberThatIsMissingIsAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "output' is not written: number 10 is missing");
  EXPECT_FALSE(std::filesystem::exists(output()));
}

TEST_F(Primes, ARangeThatIsNoneIsNamed) {
  write(range, "first 10\nlast 9\n");
  EXPECT_EXIT(begin(), ExitedWithCode(1), "range.txt' has last 9");
}

TEST_F(Primes, ARangeMayHaveAName) {
  ::setenv("XDG_DATA_HOME", path("data").c_str(), 1);
  const auto name_it = [&](const std::string& hash) {
    std::filesystem::create_directories(path("data/thalweg"));
    write(path("data/thalweg/inputs.tsv"), "primes\tmine\t" + range.string() + "\t" + hash + "\t1\t-\n");
  };
  const auto run_on_it = [&] {
    begin_with("mine", {"-verify"});
    run_in_order<spb::Item, spb::Source, spb::Primality, spb::Sink>();
    end();
  };
  name_it(apps::hash_of(good));
  run_on_it();
  EXPECT_EQ(read(output()), good);
  name_it(apps::hash_of("other"));
  EXPECT_EXIT(run_on_it(), ExitedWithCode(1), "the output is wrong: the SHA-256 of ");
  name_it("-");
  EXPECT_EXIT(run_on_it(), ExitedWithCode(1), "-verify: what should come of 'mine' is not known");
  EXPECT_EXIT(begin_with("mien"), ExitedWithCode(1), "did you mean 'mine'");
  std::filesystem::remove(range);
  EXPECT_EXIT(run_on_it(), ExitedWithCode(1), "range.txt', which is not there");
  ::unsetenv("XDG_DATA_HOME");
}

TEST_F(Primes, TheRangeIsNeverTheOutput) {
  are_never_the_output(range, {range});
}

}  // namespace
