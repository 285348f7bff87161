#include "apps/mandelbrot_zoom/mandelbrot_zoom.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/mandelbrot/mandelbrot.hpp"
#include "apps/mandelbrot_zoom/inputs.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace zoom = apps::mandelbrot_zoom;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

constexpr zoom::film small{{12, 8, 50, -0.5, 0.125, 3}, 5, 0.5, 1};

std::vector<zoom::frame> filmed(const zoom::film& film) {
  std::vector<zoom::frame> frames;
  zoom::source source(film);
  while (auto frame = source()) frames.push_back(zoom::blur(film, zoom::draw(film, std::move(*frame))));
  return frames;
}

std::string written(const scratch& dir, const zoom::film& film, const std::vector<zoom::frame>& frames) {
  zoom::sink sink(dir / "out", film);
  for (const auto& frame : frames) sink(frame);
  sink.close();
  return scratch::read(dir / "out");
}

/// A frame of `pixels`, blurred.
std::vector<int> blurred(std::uint32_t width, std::uint32_t radius, const std::vector<int>& pixels) {
  zoom::film film = small;
  film.first.width = width;
  film.first.height = static_cast<std::uint32_t>(pixels.size()) / width;
  film.blur = radius;
  zoom::frame frame;
  for (const int pixel : pixels) frame.pixels.push_back(static_cast<char>(pixel));
  frame = zoom::blur(film, std::move(frame));
  std::vector<int> result;
  for (const char pixel : frame.pixels) result.push_back(static_cast<std::uint8_t>(pixel));
  return result;
}

}  // namespace

TEST(MandelbrotZoom, SourceComesNearer) {
  zoom::source source(small);
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto frame = source();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->number, i);
    EXPECT_EQ(frame->span, 3.0 / (1U << i));
  }
  EXPECT_FALSE(source());
}

TEST(MandelbrotZoom, FramesAreThePicturesOfMandelbrot) {
  auto scene = small.first;
  scene.span = 0.75;
  const auto frame = zoom::draw(small, {2, 0.75, {}});
  for (std::uint32_t y = 0; y < scene.height; ++y)
    EXPECT_EQ(apps::view(apps::mandelbrot::draw(scene, {y, {}}).pixels),
              apps::view(frame.pixels).substr(std::size_t{y} * scene.width, scene.width));
}

TEST(MandelbrotZoomBlur, LeavesAFlatPictureAsItIs) {
  for (std::uint32_t radius = 0; radius <= zoom::most_blur; ++radius)
    for (const int grey : {0, 1, 100, 254, 255}) {
      const std::vector<int> flat(15, grey);
      EXPECT_EQ(blurred(5, radius, flat), flat);
    }
}

TEST(MandelbrotZoomBlur, SpreadsAPixelByItsWeights) {
  std::vector<int> dot(25, 0);
  dot[12] = 160;
  EXPECT_EQ(blurred(5, 1, dot), (std::vector<int>{0, 0,  0,  0,  0,  //
                                                  0, 10, 20, 10, 0,  //
                                                  0, 20, 40, 20, 0,  //
                                                  0, 10, 20, 10, 0,  //
                                                  0, 0,  0,  0,  0}));
  EXPECT_EQ(blurred(5, 0, dot), dot);
}

TEST(MandelbrotZoomBlur, GoesOnAsAtTheEdgeBehindIt) {
  EXPECT_EQ(blurred(3, 1, {100, 0, 0}), (std::vector<int>{75, 25, 0}));
  EXPECT_EQ(blurred(1, 1, {100, 0, 0}), (std::vector<int>{75, 25, 0}));
  EXPECT_EQ(blurred(1, 8, {77}), std::vector<int>{77});
}

TEST(MandelbrotZoomBlur, IsTheWeightedMean) {
  constexpr int width = 23, height = 17, size = width * height;
  apps::random dice(1);
  std::vector<int> noise(size);
  for (auto& pixel : noise) pixel = static_cast<int>(dice.below(256));
  const auto at = [](int x, int y) {
    return static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
  };
  for (const int radius : {1, 2, 4, 8}) {
    const auto binomial = [radius](int k) {
      return std::tgamma(2 * radius + 1) / std::tgamma(k + 1) / std::tgamma(2 * radius - k + 1);
    };
    const auto found = blurred(width, static_cast<std::uint32_t>(radius), noise);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        double sum = 0;
        for (int dy = -radius; dy <= radius; ++dy)
          for (int dx = -radius; dx <= radius; ++dx) {
            const int from_y = std::clamp(y + dy, 0, height - 1), from_x = std::clamp(x + dx, 0, width - 1);
            sum += binomial(dy + radius) * binomial(dx + radius) * noise[at(from_x, from_y)];
          }
        // Half a level by rounding, and what is cut off between lines and columns.
        ASSERT_NEAR(found[at(x, y)], sum / std::pow(2, 4 * radius), 0.51);
      }
  }
}

TEST(MandelbrotZoom, SinkWritesPicturesOneBehindTheOther) {
  const scratch dir;
  const auto frames = filmed(small);
  const auto film = written(dir, small, frames);
  const std::string header = "P5\n12 8\n255\n";
  ASSERT_EQ(film.size(), 5 * (header.size() + 96));
  for (std::size_t i = 0; i < 5; ++i) {
    const auto one = film.substr(i * (header.size() + 96), header.size() + 96);
    EXPECT_EQ(one, header + std::string(apps::view(frames[i].pixels)));
  }
}

TEST(MandelbrotZoom, SinkRefusesAnotherOrderAndMissingFrames) {
  const scratch dir;
  auto frames = filmed(small);
  std::swap(frames[1], frames[2]);
  EXPECT_THAT(message_of([&] { written(dir, small, frames); }),
              EndsWith("frame 2 came where frame 1 was due"));
  frames = filmed(small);
  frames.pop_back();
  EXPECT_THAT(message_of([&] { written(dir, small, frames); }), EndsWith("frame 4 is missing"));
  EXPECT_TRUE(dir.names().empty());
}

TEST(MandelbrotZoomFilm, IsReadAsItWasWritten) {
  const scratch dir;
  const zoom::film film{{640, 480, 1234, -0.1, 1.0 / 3, 1e-9}, 77, 0.87, 8};
  EXPECT_EQ(zoom::read_film(dir.write("a.txt", zoom::text_of(film))), film);
}

TEST(MandelbrotZoomFilm, ThatIsNoneIsNamed) {
  const scratch dir;
  const auto wrong = [&](const std::string& from, const std::string& to) {
    auto text = zoom::text_of(small);
    text.replace(text.find(from), from.size(), to);
    return message_of([&] { zoom::read_film(dir.write("a.txt", text)); });
  };
  EXPECT_THAT(wrong("frames 5", "frames 0"), HasSubstr("a.txt' has frames 0, which is no number from 1"));
  EXPECT_THAT(wrong("zoom 0.5", "zoom 1.5"), HasSubstr("zoom 1.5, which is no number from 0.01 to 1"));
  EXPECT_THAT(wrong("blur 1", "blur 9"), HasSubstr("blur 9, which is no number from 0 to 8"));
  EXPECT_THAT(wrong("height 8\n", ""), EndsWith("has no 'height'"));
  EXPECT_THAT(wrong("blur", "fog 7\nblur"), EndsWith("has an unknown 'fog'"));
}

TEST(MandelbrotZoomInputs, HaveTheClassesOfAllApplications) {
  const scratch dir;
  std::uint64_t before = 0;
  for (const auto name : apps::classes) {
    EXPECT_THAT(zoom::about().inputs, testing::Contains(name));
    zoom::generate(name, dir.path(), {});
    const auto [scene, frames, ratio, blur] = zoom::read_film(dir / zoom::film_file);
    const auto steps = std::uint64_t{scene.width} * scene.height * scene.iterations * frames;
    EXPECT_GT(steps, before);
    before = steps;
    EXPECT_GT(std::pow(ratio, frames), 1e-10);  // so that pixels of the last frame are unlike
  }
  EXPECT_THAT(message_of([&] { zoom::generate("tiny", dir.path(), {}); }), EndsWith("no input 'tiny'"));
}

TEST(MandelbrotZoomVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in;
  zoom::generate("test", in.path(), {});
  const auto film = zoom::read_film(in / zoom::film_file);
  const auto good = written(in, film, filmed(film));
  EXPECT_EQ(apps::hash_of(good), zoom::inputs[0].hash);  // on every machine
  const auto judge = [&](const std::string& text) {
    return zoom::verify("test", in.path(), in.write("x", text));
  };
  EXPECT_TRUE(judge(good).good);
  EXPECT_EQ(judge(good).says, "every pixel of 24 frames");
  auto other = good;
  other[good.size() / 24 * 3 + 100] ^= 1;
  EXPECT_EQ(judge(other).says, "frame 3 differs");
  EXPECT_EQ(judge(good.substr(0, good.size() / 24 * 2)).says, "frame 2 is missing");
  EXPECT_EQ(judge(good.substr(0, good.size() - 1)).says, "frame 23 differs");
  EXPECT_EQ(judge(good + "x").says, "something follows the last frame");
  EXPECT_EQ(judge("").says, "frame 0 is missing");
  for (const auto& wrong : {other, good + "x", std::string()}) EXPECT_FALSE(judge(wrong).good);
  EXPECT_THAT(message_of([&] { zoom::verify("test", in.path(), in / "missing"); }), HasSubstr("missing"));
}
