#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <hash_search.hpp>

#include "apps/support/hash.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;

/// Hashes of four numbers, one of them beyond the range.
class HashSearch : public run_test {
 protected:
  void SetUp() override {
    write_lines(list, {apps::hash_of("300"), apps::hash_of("7"), apps::hash_of("501"), apps::hash_of("500")});
    write(range, "first 5\nlast 500\n");
  }
  void begin(std::initializer_list<std::string> more = {}) { begin_with(list, more); }

  const std::filesystem::path list = path("hashes.txt"), range = path("range.txt");
  const std::string good = "300\n7\n-\n500\n";
};

TEST_F(HashSearch, FindsTheNumbersInAnyOrderAndInBatches) {
  begin();
  run_in_order<spb::Item, spb::Source, spb::Search, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
  begin({"-batch-size", "3", "-in-memory"});
  run_in_reverse<spb::Item, spb::Source, spb::Search, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(HashSearch, ThreadsMayShareTheStream) {
  begin();
  run_in_two_threads<spb::Item, spb::Source, spb::Search, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(HashSearch, AHashThatIsMissingIsAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "output' is not written: hash 1 is missing");
  EXPECT_FALSE(std::filesystem::exists(output()));
}

TEST_F(HashSearch, AListOrARangeThatIsNoneIsNamed) {
  std::filesystem::remove(range);
  EXPECT_EXIT(begin(), ExitedWithCode(1), "range.txt");
  write_lines(list, {apps::hash_of("300"), "300"});
  EXPECT_EXIT(begin(), ExitedWithCode(1), "hashes.txt:2: not 64 hexadecimal digits");
}

TEST_F(HashSearch, ListAndRangeAreNeverTheOutput) {
  are_never_the_output(list, {list, range});
}

}  // namespace
