#include "spb/detail/options.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spb::detail::options;
using testing::HasSubstr;

options parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  return spb::detail::parse(static_cast<int>(arguments.size()), arguments.data());
}

std::string complaint(const std::vector<const char*>& arguments) {
  try {
    parsed(arguments);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

TEST(Options, AreReadWithOneDashOrTwo) {
  const auto o = parsed({"-input", "small", "--nthreads", "4", "-batch-size", "10", "--batch-interval", "0.5",
                         "-output", "out", "-json", "results"});
  EXPECT_EQ(o.input, "small");
  EXPECT_EQ(o.nthreads, 4);
  EXPECT_EQ(o.batch_size, 10U);
  EXPECT_EQ(o.batch_interval, 0.5);
  EXPECT_EQ(o.output, "out");
  EXPECT_EQ(o.json, "results");
  EXPECT_EQ(o.given, (std::vector<std::string_view>{"input", "nthreads", "batch-size", "batch-interval",
                                                    "output", "json"}));
  EXPECT_EQ(parsed({"-feed", "there:1"}).feed, "there:1");
  EXPECT_FALSE(o.latency || o.throughput || o.memory_usage || o.in_memory || o.verify || o.help);
  EXPECT_EQ(o.monitor_ms, 0);
}

TEST(Options, HaveSpbenchsLettersToo) {
  const auto o =
      parsed({"-i", "small", "-t", "4", "-b10", "-B", "0.5", "-m250", "-I", "-l", "-T", "-r", "-u", "-2"});
  EXPECT_EQ(o.input, "small");
  EXPECT_EQ(o.nthreads, 4);
  EXPECT_EQ(o.batch_size, 10U);
  EXPECT_EQ(o.batch_interval, 0.5);
  EXPECT_EQ(o.monitor_ms, 250);
  EXPECT_TRUE(o.in_memory && o.latency && o.throughput && o.memory_usage);
  EXPECT_EQ(o.user_args, std::vector<std::string>{"-2"});
  EXPECT_TRUE(parsed({"-h"}).help);
  EXPECT_THAT(complaint({"-t"}), HasSubstr("-t wants a value"));
  EXPECT_THAT(complaint({"-tx"}), HasSubstr("there is no option '-tx'"));
  EXPECT_THAT(complaint({"-l4"}), HasSubstr("-l4: -latency has no value"));
  EXPECT_THAT(complaint({"-x"}), HasSubstr("there is no option '-x'"));
}

TEST(Options, SwitchesAndWhatMayComeAgain) {
  const auto o = parsed({"-latency", "-throughput", "-memory-usage", "-in-memory", "-verify", "-help",
                         "-monitor", "250", "-user-arg", "tbb", "-user-arg", "-2"});
  EXPECT_TRUE(o.latency && o.throughput && o.memory_usage && o.in_memory && o.verify && o.help);
  EXPECT_EQ(o.monitor_ms, 250);
  EXPECT_EQ(o.user_args, (std::vector<std::string>{"tbb", "-2"}));
}

TEST(Options, Frequencies) {
  EXPECT_EQ(parsed({"-frequency", "12.5"}).frequency.value().at(3), 12.5);
  EXPECT_EQ(parsed({"-freq-patt", "wave,10,1,5"}).frequency.value().at(2.5), 5);
  EXPECT_EQ(parsed({}).late, thalweg::when_late::catch_up);
  EXPECT_EQ(parsed({"-when-late", "skip"}).late, thalweg::when_late::skip);
  EXPECT_EQ(parsed({"-when-late", "closed-loop"}).late, thalweg::when_late::closed_loop);
  EXPECT_THAT(complaint({"-when-late", "drop"}), HasSubstr("'drop' is none of catch-up, skip"));
}

TEST(Options, SayWhatIsWrong) {
  EXPECT_THAT(complaint({"-nthread", "2"}), HasSubstr("no option '-nthread': did you mean -nthreads"));
  EXPECT_THAT(complaint({"input"}), HasSubstr("'input'"));
  EXPECT_THAT(complaint({"-input"}), HasSubstr("-input wants a value"));
  EXPECT_THAT(complaint({"-nthreads", "0"}), HasSubstr("-nthreads: '0'"));
  EXPECT_THAT(complaint({"-nthreads", "2x"}), HasSubstr("'2x'"));
  EXPECT_THAT(complaint({"-batch-size", "-1"}), HasSubstr("-batch-size: '-1'"));
  EXPECT_THAT(complaint({"-batch-interval", "nan"}), HasSubstr("-batch-interval: 'nan'"));
  EXPECT_THAT(complaint({"-batch-interval", "1e30"}), HasSubstr("'1e30' is not a number from 0 to "));
  EXPECT_THAT(complaint({"-frequency", "1e300"}), HasSubstr("'1e300' is not a number from 0 to "));
  EXPECT_THAT(complaint({"-frequency", "0"}), HasSubstr("-frequency: "));
  EXPECT_THAT(complaint({"-freq-patt", "saw,1,2,3"}),
              HasSubstr("-freq-patt: there is no frequency pattern 'saw'"));
}

TEST(Options, HelpNamesThemAll) {
  const auto text = spb::detail::help_text("bzip2_tbb", "the folder of files");
  for (const auto* name : {"bzip2_tbb -input", "-nthreads <n>", "-freq-patt", "-user-arg", "-monitor <ms>",
                           "-json", "where the folder of files goes;"})
    EXPECT_THAT(text, HasSubstr(name));
}

}  // namespace
