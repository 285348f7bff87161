#include "apps/support/parameters.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/arrivals.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

using testing::EndsWith;
using testing::HasSubstr;

TEST(Parameters, AreReadByName) {
  const scratch dir;
  apps::parameters of(dir.write("a.txt", "# a comment\n\nwidth 640\r\n  left\t-1.25e-3  # behind\nlast 7"));
  EXPECT_EQ(of.real("left", -2, 2), -1.25e-3);
  EXPECT_EQ(of.whole("last", 7, 7), 7U);
  EXPECT_EQ(of.whole("width", 1, 1000), 640U);
  of.finish();
}

TEST(Parameters, NumbersAreReadToTheLastBit) {
  const scratch dir;
  apps::parameters of(dir.write("a.txt", "x 0.1\ny -0.7436438870371587\n"));
  EXPECT_EQ(of.real("x", 0, 1), 0x1.999999999999ap-4);
  EXPECT_EQ(of.real("y", -1, 1), -0x1.7cbee43d63cbep-1);
}

TEST(Parameters, WhatIsWrongIsNamed) {
  const scratch dir;
  const auto wrong = [&](const std::string& text) {
    auto says = message_of([&] {
      apps::parameters of(dir.write("a.txt", text));
      of.whole("n", 2, 10);
      of.finish();
    });
    EXPECT_TRUE(says.starts_with("'" + (dir / "a.txt").string() + "' ")) << says;
    return says;
  };
  EXPECT_THAT(wrong(""), EndsWith("is empty"));
  EXPECT_THAT(wrong("n"), EndsWith("line 1 is not a name and a value"));
  EXPECT_THAT(wrong("n 3\n\nm 4 5"), EndsWith("line 3 is not a name and a value"));
  EXPECT_THAT(wrong("n 3\nn 4"), EndsWith("line 2 has 'n' again"));
  EXPECT_THAT(wrong("m 3"), EndsWith("has no 'n'"));
  EXPECT_THAT(wrong("n 3\nm 3"), EndsWith("has an unknown 'm'"));
  for (const std::string value : {"1", "11", "3.5", "-3", "3x", "x", "99999999999999999999"})
    EXPECT_THAT(wrong("n " + value), EndsWith("has n " + value + ", which is no number from 2 to 10"));
  EXPECT_THAT(wrong("n 3 #" + std::string(20'000, 'x')), HasSubstr("too long"));
  EXPECT_THAT(message_of([&] { apps::parameters(dir / "missing"); }), HasSubstr("missing"));
  EXPECT_THAT(message_of([&] { apps::parameters(dir.write("a.txt", "x nan")).real("x", 0, 1); }),
              EndsWith("has x nan, which is no number from 0 to 1"));
}

TEST(Arrivals, AreCompleteWhenEachHasCome) {
  apps::arrivals lines("out", "line", 3, 3);
  for (const auto number : {5, 3, 4}) {
    EXPECT_NE(message_of([&] { lines.check_complete(); }), "");
    lines.note(static_cast<std::uint64_t>(number));
  }
  lines.check_complete();
}

TEST(Arrivals, NameWhatIsMissingComesTwiceOrWasNotAskedFor) {
  apps::arrivals lines("out", "line", 3, 3);
  lines.note(3);
  EXPECT_EQ(message_of([&] { lines.note(3); }), "'out' is not written: line 3 came twice");
  EXPECT_EQ(message_of([&] { lines.check_complete(); }), "'out' is not written: line 4 is missing");
  for (const auto number : {std::uint64_t{2}, std::uint64_t{6}})
    EXPECT_EQ(message_of([&] { lines.note(number); }),
              "'out' is not written: line " + std::to_string(number) + " came, which was not asked for");
}
