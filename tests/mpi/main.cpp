// Every rank runs the same tests in the same order; what goes wrong on one of them is told by that one alone.
#include <thalweg/run/mpi.hpp>

#include <cstdio>
#include <memory>

#include <gtest/gtest.h>

#include "mpi/ranks.hpp"

namespace {

class failures_only final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", ranks::policy().rank(), result.file_name(),
                 result.line_number(), result.message());
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ranks::start(argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (ranks::policy().rank() != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new failures_only);
  return RUN_ALL_TESTS();
}
