#include "apps/app_name/app_name.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/app_name/inputs.hpp"
#include "apps/message.hpp"
#include "stages/scratch.hpp"

namespace app = apps::app_name;
using testing::HasSubstr;

namespace {

/// What a sequential run makes of a file.
std::string run_on(const std::filesystem::path& file, const scratch& dir) {
  app::source source(file);
  app::sink sink(dir / "out");
  while (const auto next = source()) sink(app::longest(*next));
  sink.close();
  return scratch::read(dir / "out");
}

}  // namespace

TEST(Operator, FindsWhatIsKnownOfTheSequences) {
  app::interval first;
  first.first = 1;
  const auto found = app::longest(first);
  EXPECT_EQ(found.longest, 871U);  // the longest below 1000
  EXPECT_EQ(found.steps, 178U);
}

TEST(Source, NamesTheLineThatIsWrong) {
  const scratch dir;
  const auto complaint = [&](const std::string& text) {
    return message_of([&] { run_on(dir.write("in.txt", text), dir); });
  };
  EXPECT_THAT(complaint("17\nx\n"), HasSubstr("in.txt:2: 'x' is no number"));
  EXPECT_THAT(complaint("0\n"), HasSubstr("in.txt:1: an interval begins at 1 or above"));
  EXPECT_THAT(complaint("1,2\n"), HasSubstr("in.txt:1: there is more than should be"));
  EXPECT_THAT(complaint(""), HasSubstr("there is no interval"));
}

TEST(Sink, RefusesAnotherOrder) {
  const scratch dir;
  app::sink sink(dir / "out");
  app::interval second;
  second.number = 1;
  EXPECT_THAT(message_of([&] { sink(second); }), HasSubstr("interval 1 came where interval 0 was due"));
}

TEST(Inputs, AreTheSameEachTime) {
  const scratch one, other;
  app::generate("test", one.path(), {});
  app::generate("test", other.path(), {});
  const auto text = scratch::read(one / app::intervals_file);
  EXPECT_EQ(text, scratch::read(other / app::intervals_file));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 500);
  EXPECT_THAT(message_of([&] { app::generate("tiny", one.path(), {}); }), HasSubstr("no input 'tiny'"));
}

TEST(Verifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in, dir;
  app::generate("test", in.path(), {});
  const auto good = run_on(in / app::intervals_file, dir);
  const auto judge = [&](const std::string& text) {
    return app::verify("test", in.path(), dir.write("judged", text));
  };
  EXPECT_TRUE(judge(good).good) << judge(good).says;
  auto wrong = good;
  wrong[wrong.size() - 2] = wrong[wrong.size() - 2] == '7' ? '8' : '7';
  EXPECT_THAT(judge(wrong).says, HasSubstr("line 500 of"));
  EXPECT_FALSE(judge(wrong).good);
  EXPECT_FALSE(judge(good + "1 871 178\n").good);
  EXPECT_FALSE(judge("").good);
}
