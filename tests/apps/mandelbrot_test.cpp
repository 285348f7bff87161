#include "apps/mandelbrot/mandelbrot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/mandelbrot/inputs.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace mandelbrot = apps::mandelbrot;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

std::vector<mandelbrot::line> drawn(const mandelbrot::scene& scene) {
  std::vector<mandelbrot::line> lines;
  mandelbrot::source source(scene);
  while (auto line = source()) lines.push_back(mandelbrot::draw(scene, std::move(*line)));
  return lines;
}

std::string written(const scratch& dir, const mandelbrot::scene& scene,
                    const std::vector<mandelbrot::line>& lines) {
  mandelbrot::sink sink(dir / "out", scene);
  for (const auto& line : lines) sink(line);
  sink.close();
  return scratch::read(dir / "out");
}

/// Every result is stored: no compiler keeps more of it than a double has, or joins two operations.
std::uint32_t steps_by_single_operations(double x, double y, std::uint32_t limit) {
  volatile double zx = 0, zy = 0, xx = 0, yy = 0, sum = 0, twice = 0;
  for (std::uint32_t steps = 0; steps < limit; ++steps) {
    xx = zx * zx;
    yy = zy * zy;
    sum = xx + yy;
    if (sum > 4) return steps;
    twice = 2 * zx;
    twice = twice * zy;
    zy = twice + y;
    sum = xx - yy;
    zx = sum + x;
  }
  return limit;
}

/// What a compiler makes of it that joins products and sums.
std::uint32_t steps_by_joined_operations(double x, double y, std::uint32_t limit) {
  double zx = 0, zy = 0;
  for (std::uint32_t steps = 0; steps < limit; ++steps) {
    const double yy = zy * zy;
    if (std::fma(zx, zx, yy) > 4) return steps;
    const double next = std::fma(2 * zx, zy, y);
    zx = std::fma(zx, zx, -yy) + x;
    zy = next;
  }
  return limit;
}

/// Points near the edge of the set, where the last bit of a number decides.
std::vector<std::pair<double, double>> points_at_the_edge() {
  std::vector<std::pair<double, double>> points;
  apps::random dice(1);
  points.reserve(1000);
  for (int i = 0; i < 1000; ++i)
    points.emplace_back(-0.7436438870371587 + dice.normal() * 1e-9,
                        0.13182590420531197 + dice.normal() * 1e-9);
  return points;
}

constexpr mandelbrot::scene small{13, 8, 50, -0.5, 0.125, 3};

}  // namespace

TEST(Mandelbrot, CountsStepsUntilAPointGetsAway) {
  EXPECT_EQ(mandelbrot::escape_time(1, 0, 100), 3U);  // 0, 1, 2, 5
  EXPECT_EQ(mandelbrot::escape_time(1, 0, 3), 3U);
  EXPECT_EQ(mandelbrot::escape_time(3, 0, 100), 1U);
  EXPECT_EQ(mandelbrot::escape_time(0, 0, 100), 100U);
  EXPECT_EQ(mandelbrot::escape_time(-1, 0, 100), 100U);
  EXPECT_EQ(mandelbrot::escape_time(-2, 0, 100), 100U);  // just not further than 2
  EXPECT_EQ(mandelbrot::escape_time(0, 1, 100), 100U);
  EXPECT_EQ(mandelbrot::escape_time(0.5, 0, 100), 5U);
}

TEST(Mandelbrot, RoundsEveryOperation) {
  int otherwise = 0;
  for (const auto& [x, y] : points_at_the_edge()) {
    const auto steps = mandelbrot::escape_time(x, y, 20'000);
    ASSERT_EQ(steps, steps_by_single_operations(x, y, 20'000));
    if (steps != steps_by_joined_operations(x, y, 20'000)) ++otherwise;
  }
  EXPECT_GT(otherwise, 20);  // it would have been seen
}

TEST(Mandelbrot, CyclesAreNotSeenWhereThereAreNone) {
  apps::random dice(2);
  for (int i = 0; i < 3000; ++i) {
    const auto x = -2 + 2.5 * dice.uniform(), y = 1.3 * dice.uniform();
    ASSERT_EQ(mandelbrot::escape_time_by_cycles(x, y, 5000), mandelbrot::escape_time(x, y, 5000));
  }
  for (const auto& [x, y] : points_at_the_edge())
    ASSERT_EQ(mandelbrot::escape_time_by_cycles(x, y, 5000), mandelbrot::escape_time(x, y, 5000));
  EXPECT_EQ(mandelbrot::escape_time_by_cycles(-1, 0, 2'000'000'000), 2'000'000'000U);  // else for seconds
}

TEST(Mandelbrot, ShadesGoUpAndDown) {
  EXPECT_EQ(mandelbrot::shade(100, 100), 0);
  EXPECT_EQ(mandelbrot::shade(0, 100), 0);
  EXPECT_EQ(mandelbrot::shade(1, 100), 85);
  EXPECT_EQ(mandelbrot::shade(7, 100), 255);
  EXPECT_EQ(mandelbrot::shade(63, 100), 0);
  for (std::uint32_t steps = 1; steps < 63; ++steps) {
    const auto before = mandelbrot::shade(steps - 1, 100), now = mandelbrot::shade(steps, 100);
    EXPECT_TRUE(steps <= 7 ? now > before : now < before) << steps;
  }
  EXPECT_NE(mandelbrot::shade(4'000'000'000, 4'000'000'001), 0);
}

TEST(Mandelbrot, PictureShowsThePlane) {
  // Pixels of 1 around 0: the point -1 is in the set, 1 is not, and neither are 1 + i and the like.
  const mandelbrot::scene scene{3, 3, 100, 0, 0, 3};
  const auto lines = drawn(scene);
  ASSERT_EQ(lines.size(), 3U);
  for (std::uint32_t y = 0; y < 3; ++y) {
    ASSERT_EQ(lines[y].number, y);
    for (std::uint32_t x = 0; x < 3; ++x)
      EXPECT_EQ(static_cast<std::uint8_t>(lines[y].pixels.at(x)),
                mandelbrot::shade(mandelbrot::escape_time(x - 1.0, 1.0 - y, 100), 100));
  }
  EXPECT_EQ(lines[1].pixels[0], 0);
  EXPECT_NE(lines[1].pixels[2], 0);
  // The centre of the plane is that of the picture, and y goes up.
  const auto up = drawn({1, 2, 100, 0.25, 0.5, 0.25});
  EXPECT_EQ(static_cast<std::uint8_t>(up[0].pixels[0]),
            mandelbrot::shade(mandelbrot::escape_time(0.25, 0.625, 100), 100));
}

TEST(Mandelbrot, SinkTakesLinesInAnyOrder) {
  const scratch dir;
  auto lines = drawn(small);
  const auto picture = written(dir, small, lines);
  EXPECT_TRUE(picture.starts_with("P5\n13 8\n255\n"));
  EXPECT_EQ(picture.size(), 12U + 13U * 8U);
  EXPECT_EQ(picture.substr(12, 13), apps::view(lines[0].pixels));
  std::swap(lines[0], lines[7]);
  std::swap(lines[2], lines[3]);
  EXPECT_EQ(written(dir, small, lines), picture);
}

TEST(Mandelbrot, SinkRefusesWhatIsMissingOrComesTwice) {
  const scratch dir;
  auto lines = drawn(small);
  lines.push_back(lines[4]);
  EXPECT_THAT(message_of([&] { written(dir, small, lines); }), EndsWith("line 4 came twice"));
  lines.resize(7);
  EXPECT_THAT(message_of([&] { written(dir, small, lines); }), EndsWith("line 7 is missing"));
  EXPECT_TRUE(dir.names().empty());
}

TEST(MandelbrotScene, IsReadAsItWasWritten) {
  const scratch dir;
  const mandelbrot::scene scene{640, 480, 1234, -0.1, 1.0 / 3, 1e-9};
  EXPECT_EQ(mandelbrot::read_scene(dir.write("a.txt", mandelbrot::text_of(scene))), scene);
}

TEST(MandelbrotScene, ThatIsNoneIsNamed) {
  const scratch dir;
  const auto wrong = [&](const std::string& from, const std::string& to) {
    auto text = mandelbrot::text_of(small);
    text.replace(text.find(from), from.size(), to);
    return message_of([&] { mandelbrot::read_scene(dir.write("a.txt", text)); });
  };
  EXPECT_THAT(wrong("width 13", "width 0"),
              AllOf(HasSubstr("a.txt"), HasSubstr("width 0, which is no number")));
  EXPECT_THAT(wrong("height 8", "height 30001"), HasSubstr("height 30001, which is no number"));
  EXPECT_THAT(wrong("iterations 50", "iterations many"), HasSubstr("iterations many, which is no number"));
  EXPECT_THAT(wrong("centre_x -0.5", "centre_x -5"), HasSubstr("centre_x -5, which is no number"));
  EXPECT_THAT(wrong("centre_y", "center_y"), EndsWith("has no 'centre_y'"));
  EXPECT_THAT(wrong("span 3", "span 0"), HasSubstr("span 0, which is no number"));
  EXPECT_THAT(wrong("span 3", "span 3\nzoom 2"), EndsWith("has an unknown 'zoom'"));
}

TEST(MandelbrotInputs, HaveTheClassesOfAllApplications) {
  const scratch dir;
  std::uint64_t before = 0;
  for (const auto name : apps::classes) {
    EXPECT_THAT(mandelbrot::about().inputs, testing::Contains(name));
    mandelbrot::generate(name, dir.path(), {});
    const auto scene = mandelbrot::read_scene(dir / mandelbrot::scene_file);
    const auto steps = std::uint64_t{scene.width} * scene.height * scene.iterations;
    EXPECT_GT(steps, before);
    before = steps;
  }
  EXPECT_THAT(message_of([&] { mandelbrot::generate("tiny", dir.path(), {}); }), EndsWith("no input 'tiny'"));
}

TEST(MandelbrotVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in;
  mandelbrot::generate("test", in.path(), {});
  const auto scene = mandelbrot::read_scene(in / mandelbrot::scene_file);
  const auto good = written(in, scene, drawn(scene));
  EXPECT_EQ(apps::hash_of(good),
            "59c1f490b1c73ed8fd3131101d0d040dfe902721b8686a31f0b622cc4ae91e39");  // on every machine
  const auto judge = [&](const std::string& picture) {
    return mandelbrot::verify("test", in.path(), in.write("x", picture));
  };
  EXPECT_TRUE(judge(good).good);
  EXPECT_EQ(judge(good).says, "every pixel of 300x300");
  auto other = good;
  auto& pixel = other[other.size() - 3000 + 7];
  pixel = static_cast<char>(pixel + 1);
  EXPECT_EQ(judge(other).says, "pixel 7 of line 290 differs");
  EXPECT_EQ(judge(good.substr(0, good.size() - 1)).says, "the picture ends at pixel 299 of line 299");
  EXPECT_EQ(judge(good + "x").says, "something follows the picture");
  EXPECT_THAT(judge("P6" + good.substr(2)).says, EndsWith("is no PGM picture of 300x300"));
  EXPECT_THAT(judge("").says, EndsWith("is no PGM picture of 300x300"));
  for (const auto& wrong : {other, good.substr(0, good.size() - 1), good + "x", std::string()})
    EXPECT_FALSE(judge(wrong).good);
  EXPECT_THAT(message_of([&] { mandelbrot::verify("test", in.path(), in / "missing"); }),
              HasSubstr("missing"));
}
