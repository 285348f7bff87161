#include <thalweg/model/errors.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using thalweg::cancelled;
using thalweg::invalid_job;
using thalweg::stage_error;
using thalweg::model::message_of;

TEST(Errors, AnInvalidJobTellsAllProblems) {
  const invalid_job one({"stage 'a': is wrong"});
  EXPECT_STREQ(one.what(), "this job cannot run: stage 'a': is wrong");
  const invalid_job two({"stage 'a': is wrong", "stage 'b': too"});
  EXPECT_THAT(two.problems(), ElementsAre("stage 'a': is wrong", "stage 'b': too"));
  EXPECT_THAT(two.what(), HasSubstr("stage 'a': is wrong"));
  EXPECT_THAT(two.what(), HasSubstr("stage 'b': too"));
}

template <class E> stage_error failed(E why, int replica = 0) {
  try {
    try {
      throw why;
    } catch (...) {
      throw stage_error("shop/divide", replica, message_of(std::current_exception()));
    }
  } catch (const stage_error& e) {
    return e;
  }
}

TEST(Errors, AStageErrorNamesStageReplicaAndCause) {
  const auto e = failed(std::domain_error("zero"), 3);
  EXPECT_EQ(e.stage(), "shop/divide");
  EXPECT_EQ(e.replica(), 3);
  EXPECT_STREQ(e.what(), "stage 'shop/divide' (replica 3): zero");
  EXPECT_STREQ(failed(std::domain_error("zero")).what(), "stage 'shop/divide': zero");
}

TEST(Errors, TheCauseIsNested) {
  const auto e = failed(std::domain_error("zero"));
  EXPECT_THROW(std::rethrow_if_nested(e), std::domain_error);
  EXPECT_THROW(std::rethrow_exception(e.cause()), std::domain_error);
}

TEST(Errors, StageErrorsAreCaughtAsErrorsOfTheLibraryAndOfTheStandard) {
  static_assert(std::is_base_of_v<thalweg::error, stage_error>);
  static_assert(std::is_base_of_v<thalweg::error, invalid_job>);
  static_assert(std::is_base_of_v<std::runtime_error, thalweg::error>);
  SUCCEED();
}

struct oddity {};

TEST(Errors, WhatIsNoStandardExceptionHasAMessageToo) {
  EXPECT_STREQ(failed("text").what(), "stage 'shop/divide': text");
  EXPECT_STREQ(failed(std::string("more text")).what(), "stage 'shop/divide': more text");
  EXPECT_STREQ(failed(7).what(), "stage 'shop/divide': an exception of type int");
  EXPECT_THAT(failed(oddity{}).what(), HasSubstr("oddity"));
}

TEST(Errors, CatchingStandardExceptionsDoesNotSwallowCancellation) {
  static_assert(!std::is_base_of_v<std::exception, cancelled>);
  EXPECT_THAT(cancelled{}.what(), HasSubstr("cancelled"));
}

}  // namespace
