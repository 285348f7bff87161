#include "apps/ferret/ferret.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <ferret.hpp>
#include <gtest/gtest.h>

#include "apps/ferret/inputs.hpp"
#include "apps/support/cache.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;
namespace ferret = apps::ferret;
namespace fs = std::filesystem;

class Ferret : public run_test {
 protected:
  static void SetUpTestSuite() { input = apps::provide_input(ferret::about(), "test"); }

  void begin(std::initializer_list<std::string> more = {}) { begin_with(input, more); }
  static void search(spb::Item& item) {
    spb::Segmentation::op(item);
    spb::Extract::op(item);
    spb::Vectorization::op(item);
    spb::Rank::op(item);
  }

  inline static fs::path input;
};

TEST_F(Ferret, FindsTheSameInAnyOrderAndInBatches) {
  begin({"-in-memory"});
  for (spb::Item item; spb::Source::op(item);) {
    search(item);
    spb::Sink::op(item);
  }
  end();
  const auto good = read(output());
  const auto verdict = ferret::verify("test", input, output());
  EXPECT_TRUE(verdict.good) << verdict.says;

  begin({"-batch-size", "5"});
  std::vector<spb::Item> all;
  for (spb::Item item; spb::Source::op(item);) all.push_back(std::move(item));
  EXPECT_EQ(all.size(), 5U);
  std::reverse(all.begin(), all.end());
  for (auto& item : all) {
    search(item);
    spb::Sink::op(item);
  }
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(Ferret, AQueryThatIsMissingIsAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "query 0 is missing");
}

TEST_F(Ferret, PicturesAndCollectionAreNeverTheOutput) {
  const auto pictures = path("pictures");
  fs::create_directory(pictures);
  fs::copy(input / "database.features", pictures);
  write(pictures / "a.ppm", "P6 2 1 255\nabcdef");
  are_never_the_output(pictures, {pictures / "a.ppm", pictures / "database.features"});
}

TEST_F(Ferret, DamagedQueriesAreNamed) {
  fs::copy(input, path("cut"));
  fs::resize_file(path("cut") / "queries.pack", fs::file_size(path("cut") / "queries.pack") - 10);
  with_arguments(spb::init_bench, path("cut"));
  spb::Item item;
  while (spb::Source::op(item)) spb::Sink::op(item);
  EXPECT_EXIT(spb::Metrics::stop(), ExitedWithCode(1), "queries.pack");
  fs::remove(path("cut") / "database.features");
  EXPECT_EXIT(with_arguments(spb::init_bench, path("cut")), ExitedWithCode(1), "database.features");
}

}  // namespace
