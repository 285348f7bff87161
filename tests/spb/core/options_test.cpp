#include "spb/detail/options.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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

// All options of SPBench's programs, by letter and by name, and what they are here.
struct spbench_option {
  const char* letter;
  const char* name;
  const char* value;  // null: none
  bool (*holds)(const options&);
};
constexpr spbench_option of_spbench[] = {
    {"-i", "--input", "small", [](const options& o) { return o.input == "small"; }},
    {"-t", "--nthreads", "4", [](const options& o) { return o.nthreads == 4; }},
    {"-b", "--batch", "10", [](const options& o) { return o.batch_size == 10; }},
    {"-B", "--batch-interval", "0.5", [](const options& o) { return o.batch_interval == 0.5; }},
    {"-f", "--frequency", "2.5", [](const options& o) { return o.frequency.value().at(3) == 2.5; }},
    {"-F", "--freq-patt", "wave,10,1,5", [](const options& o) { return o.frequency.value().at(2.5) == 5; }},
    {"-m", "--monitor", "250", [](const options& o) { return o.monitor_ms == 250; }},
    {"-M", "--monitor-thread", "250", [](const options& o) { return o.monitor_ms == 250; }},
    {"-u", "--user-arg", "tbb",
     [](const options& o) { return o.user_args == std::vector<std::string>{"tbb"}; }},
    {"-I", "--in-memory", nullptr, [](const options& o) { return o.in_memory; }},
    {"-l", "--latency", nullptr, [](const options& o) { return o.latency && o.latency_file.empty(); }},
    {"-L", "--latency-monitor", nullptr,
     [](const options& o) { return o.latency && o.latency_file == "program_latency.csv"; }},
    {"-T", "--throughput", nullptr, [](const options& o) { return o.throughput; }},
    {"-r", "--resource-usage", nullptr, [](const options& o) { return o.memory_usage; }},
    {"-h", "--help", nullptr, [](const options& o) { return o.help; }},
    {"-q", "--quiet", nullptr, [](const options& o) { return o.quiet; }},  // of bzip2
};

TEST(Options, AllOfSpbenchsProgramsMeanTheSame) {
  for (const auto& one : of_spbench) {
    SCOPED_TRACE(one.name);
    if (one.value == nullptr) {
      EXPECT_TRUE(one.holds(parsed({one.letter})) && one.holds(parsed({one.name})));
      EXPECT_THAT(complaint({(std::string(one.name) + "=1").c_str()}), HasSubstr("has no value"));
      continue;
    }
    EXPECT_TRUE(one.holds(parsed({one.letter, one.value})) && one.holds(parsed({one.name, one.value})));
    EXPECT_TRUE(one.holds(parsed({(std::string(one.letter) + one.value).c_str()})));
    EXPECT_TRUE(one.holds(parsed({(std::string(one.name) + "=" + one.value).c_str()})));
    EXPECT_THAT(complaint({one.letter}), HasSubstr("wants a value"));
  }
}

TEST(Options, LettersStandTogether) {
  const auto o = parsed({"-lT", "-rIt4", "-u", "-2"});
  EXPECT_TRUE(o.latency && o.throughput && o.memory_usage && o.in_memory);
  EXPECT_EQ(o.nthreads, 4);
  EXPECT_EQ(o.user_args, std::vector<std::string>{"-2"});
  EXPECT_THAT(complaint({"-tx"}), HasSubstr("-tx: 'x' is not a whole number"));
  EXPECT_THAT(complaint({"-x"}), HasSubstr("there is no option '-x'"));
  EXPECT_THAT(complaint({"-lx"}), HasSubstr("there is no option '-lx'"));
  EXPECT_THAT(complaint({"-inpt", "small"}), HasSubstr("did you mean -input"));
}

TEST(Options, OfSpbenchsBzip2SayWhatToDoInstead) {
  const std::pair<const char*, const char*> all[] = {
      {"-d", "a .bz2 file is decompressed"},
      {"--decompress", "a .bz2 file is decompressed"},
      {"-z", "any other compressed"},
      {"--compress", "any other compressed"},
      {"-c", "-output /dev/stdout"},
      {"--stdout", "-output /dev/stdout"},
      {"-X", "replaces the file that was there"},
      {"--force", "replaces the file that was there"},
      {"-C", "an input is kept"},
      {"--keep", "an input is kept"},
      {"-v", "progress is shown"},
      {"--verbose", "progress is shown"},
      {"--test", "a damaged .bz2 file is an error"},
      {"-P4", "-nthreads"},
      {"-W", "does nothing there either"},
      {"-J", "./thalweg version"},
      {"-V", "./thalweg version"},
      {"--version", "./thalweg version"},
      {"--license", "./thalweg version"},
      {"-Q9", "blocks have 900 kB"},
      {"-R", "blocks have 900 kB"},
      {"-1", "blocks have 900 kB"},
      {"-9", "blocks have 900 kB"},
      {"--best", "blocks have 900 kB"},
      {"--fast", "blocks have 900 kB"},
  };
  for (const auto& [option, instead] : all)
    EXPECT_THAT(complaint({option}),
                testing::AllOf(HasSubstr(" is of SPBench's bzip2; here: "), HasSubstr(instead)))
        << option;
  EXPECT_THAT(complaint({"-ld"}), HasSubstr("-d is of SPBench's bzip2"));
  EXPECT_THAT(complaint({"text.xml"}), HasSubstr("'text.xml'; an input is named behind -input"));
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
  EXPECT_THAT(complaint({"-freq-patt", "saw,1,2,3"}), HasSubstr("-freq-patt: rate: 'saw' is no pattern"));
}

TEST(Options, HelpNamesThemAll) {
  const auto text = spb::detail::help_text("bzip2_tbb", "the folder of files");
  for (const auto* name : {"bzip2_tbb -input", "-nthreads <n>", "-freq-patt", "-user-arg", "-monitor <ms>",
                           "-json", "where the folder of files goes;"})
    EXPECT_THAT(text, HasSubstr(name));
}

}  // namespace
