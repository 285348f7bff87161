#include "apps/lane_detection/lane_detection.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "apps/lane_detection/geometry.hpp"
#include "apps/lane_detection/inputs.hpp"
#include "apps/lane_detection/scene.hpp"
#include "apps/support/hash.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"
#include "text_files.hpp"

namespace fs = std::filesystem;
namespace lane = apps::lane_detection;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int width = 640, height = 360;
const cv::Rect region = lane::geometry{{width, height}}.region();

/// A frame with two lines to the middle of the horizon, which leave the picture at x = 100 and x = 540.
lane::frame road(const cv::Scalar& ground = {90, 90, 90}, const cv::Scalar& marks = {230, 230, 230}) {
  lane::frame made;
  made.picture = cv::Mat(height, width, CV_8UC3, ground);
  cv::line(made.picture, {320, 150}, {100, 359}, marks, 6);
  cv::line(made.picture, {320, 150}, {540, 359}, marks, 6);
  return made;
}

lane::frame with_edges(const std::function<void(cv::Mat&)>& draw) {
  lane::frame made;
  made.picture = cv::Mat(height, width, CV_8UC3, cv::Scalar::all(0));
  made.edges = cv::Mat::zeros(region.size(), CV_8UC1);
  draw(made.edges);
  return made;
}

/// Where a line to the middle of the horizon is in the region, by where it leaves the picture.
cv::Point on_line(int exit, int line) {
  return {320 + (exit - 320) * (line + region.y - 150) / 210, line};
}

lane::frame all_of(lane::frame item) {
  item = lane::bitwise{}(lane::hough_p{}(lane::hough_t{}(lane::canny1{}(lane::segment{}(std::move(item))))));
  return lane::overlap{}(lane::canny2{}(std::move(item)));
}

void run(const fs::path& film, const fs::path& output, apps::input_held held = apps::input_held::on_disk) {
  lane::source source(film, held);
  lane::sink sink(output, source);
  while (auto frame = source()) sink(all_of(std::move(*frame)));
  sink.close();
}

// --- Operators

TEST(LaneGeometry, KnowsWhatMayBeAMark) {
  const lane::geometry where{{width, height}};
  EXPECT_EQ(region, cv::Rect(0, 195, 640, 165));
  EXPECT_TRUE(where.may_be_mark({320, 150}, {100, 359}));
  EXPECT_TRUE(where.may_be_mark({540, 359}, {320, 150}));
  EXPECT_TRUE(where.may_be_mark({300, 200}, {300, 300}));
  EXPECT_FALSE(where.may_be_mark({10, 300}, {600, 310}));    // level
  EXPECT_FALSE(where.may_be_mark({100, 300}, {100, 300}));   // no line
  EXPECT_FALSE(where.may_be_mark({50, 200}, {60, 300}));     // from the side of the horizon
  EXPECT_FALSE(where.may_be_mark({320, 150}, {-300, 359}));  // far out of the picture
}

TEST(LaneSegment, CutsOutTheRoadInGrey) {
  lane::frame item;
  item.picture = cv::Mat(height, width, CV_8UC3, cv::Scalar(10, 20, 30));
  item.picture(cv::Rect(0, 0, width, region.y)) = cv::Scalar(255, 255, 255);
  const auto made = lane::segment{}(item);
  ASSERT_EQ(made.region.size(), region.size());
  // 0.114 * 10 + 0.587 * 20 + 0.299 * 30
  EXPECT_EQ(cv::countNonZero(made.region(cv::Rect(0, 0, width, 160)) != 22), 0);
  EXPECT_EQ(made.picture.data, item.picture.data);
}

TEST(LaneCanny1, FindsEdgesOnly) {
  lane::frame item;
  item.region = cv::Mat(100, 200, CV_8UC1, cv::Scalar(60));
  item.region(cv::Rect(120, 0, 80, 100)) = 180;
  const auto made = lane::canny1{}(item);
  EXPECT_TRUE(made.region.empty());
  EXPECT_EQ(cv::countNonZero(made.edges(cv::Rect(0, 0, 118, 100))), 0);
  EXPECT_EQ(cv::countNonZero(made.edges(cv::Rect(122, 0, 78, 100))), 0);
  EXPECT_GE(cv::countNonZero(made.edges(cv::Rect(118, 0, 4, 100))), 100);
}

TEST(LaneHoughT, DrawsWholeLinesThroughTheirParts) {
  auto item = with_edges([](cv::Mat& edges) {
    for (const int from : {0, 60, 120}) cv::line(edges, on_line(100, from), on_line(100, from + 30), 255);
    cv::line(edges, {0, 80}, {639, 82}, 255);  // level
  });
  const auto made = lane::hough_t{}(item);
  EXPECT_FALSE(made.edges.empty());
  for (const int line : {2, 45, 100, 160}) {
    EXPECT_EQ(made.lines.at<std::uint8_t>(on_line(100, line)), 255) << line;
    EXPECT_EQ(made.lines.at<std::uint8_t>(line, 600), 0) << line;
  }
}

TEST(LaneHoughP, DrawsSegmentsAsTheyAre) {
  auto item = with_edges([](cv::Mat& edges) {
    cv::line(edges, on_line(100, 0), on_line(100, 60), 255);
    cv::line(edges, on_line(540, 90), on_line(540, 150), 255);
    cv::line(edges, {200, 80}, {400, 80}, 255);  // level
  });
  const auto made = lane::hough_p{}(item);
  EXPECT_TRUE(made.edges.empty());
  const auto drawn_in = [&](cv::Rect part) { return cv::countNonZero(made.segments(part)); };
  const cv::Rect upper(0, 0, 640, 62), between(0, 66, 640, 20), lower(320, 88, 320, 64),
      below(0, 156, 640, 9);
  EXPECT_GE(drawn_in(upper), 100);
  EXPECT_EQ(drawn_in(between), 0);
  EXPECT_GE(drawn_in(lower), 100);
  EXPECT_EQ(drawn_in(below), 0);
}

TEST(LaneBitwise, KeepsWhatIsInBoth) {
  lane::frame item;
  item.lines = (cv::Mat_<std::uint8_t>(1, 4) << 0, 255, 0, 255);
  item.segments = (cv::Mat_<std::uint8_t>(1, 4) << 0, 0, 255, 255);
  const auto made = lane::bitwise{}(item);
  EXPECT_EQ(cv::countNonZero(made.agreed != (cv::Mat_<std::uint8_t>(1, 4) << 0, 0, 0, 255)), 0);
  EXPECT_TRUE(made.lines.empty());
  EXPECT_TRUE(made.segments.empty());
}

TEST(LaneCanny2, FindsOutlines) {
  lane::frame item;
  item.agreed = cv::Mat::zeros(40, 40, CV_8UC1);
  item.agreed(cv::Rect(10, 10, 20, 20)) = 255;
  const auto made = lane::canny2{}(item);
  EXPECT_TRUE(made.agreed.empty());
  EXPECT_EQ(made.outlines.at<std::uint8_t>(20, 20), 0);
  EXPECT_EQ(cv::countNonZero(made.outlines(cv::Rect(12, 12, 16, 16))), 0);
  EXPECT_GE(cv::countNonZero(made.outlines), 60);
}

TEST(LaneOverlap, DrawsTheTwoMarks) {
  lane::frame item;
  item.picture = cv::Mat(height, width, CV_8UC3, cv::Scalar::all(0));
  item.outlines = cv::Mat::zeros(region.size(), CV_8UC1);
  cv::line(item.outlines, on_line(100, 0), on_line(100, 164), 255);
  cv::line(item.outlines, on_line(540, 40), on_line(540, 100), 255);
  cv::line(item.outlines, on_line(420, 20), on_line(420, 45), 255);  // short: the others outvote it
  const auto made = lane::overlap{}(item);
  ASSERT_TRUE(made.left && made.right);
  EXPECT_NEAR(made.left->near.x, 100, 4);
  EXPECT_NEAR(made.right->near.x, 540, 8);
  EXPECT_EQ(made.left->near.y, 359);
  EXPECT_NEAR(made.left->far.x, on_line(100, 0).x, 4);
  EXPECT_EQ(made.left->far.y, region.y);
  const auto vivid = cv::Vec3b(255, 0, 255);
  EXPECT_EQ(made.picture.at<cv::Vec3b>(300, on_line(100, 300 - region.y).x), vivid);
  EXPECT_EQ(made.picture.at<cv::Vec3b>(300, on_line(540, 300 - region.y).x), vivid);
  EXPECT_EQ(made.picture.at<cv::Vec3b>(300, 320), cv::Vec3b(0, 0, 0));
}

TEST(LaneOperators, FindTheMarksOfASimpleRoad) {
  const auto made = all_of(road());
  ASSERT_TRUE(made.left && made.right);
  EXPECT_NEAR(made.left->near.x, 100, 5);
  EXPECT_NEAR(made.right->near.x, 540, 5);
  for (const auto* freed :
       {&made.region, &made.edges, &made.lines, &made.segments, &made.agreed, &made.outlines})
    EXPECT_TRUE(freed->empty());
}

TEST(LaneOperators, FindNothingWhereNothingIs) {
  auto item = road({90, 90, 90}, {90, 90, 90});
  const auto before = item.picture.clone();
  const auto made = all_of(std::move(item));
  EXPECT_FALSE(made.left || made.right);
  EXPECT_EQ(cv::norm(made.picture, before, cv::NORM_L1), 0);
}

TEST(LaneOperators, TakePicturesOfAnySize) {
  for (const auto& [w, h] : {std::pair(1, 1), {2, 9}, {16, 9}, {33, 100}}) {
    lane::frame item;
    item.picture = cv::Mat(h, w, CV_8UC3);
    cv::randu(item.picture, 0, 256);
    EXPECT_EQ(all_of(std::move(item)).picture.size(), cv::Size(w, h));
  }
}

TEST(LaneOperators, GiveTheSameWithThreadsOfOpenCv) {
  lane::scene camera(1, lane::low);
  const auto film = lane::drive(1, 30);
  auto bgr = camera.draw(film[29]);
  const cv::Mat picture(height, width, CV_8UC3, bgr.data());
  std::vector<cv::Mat> made;
  for (const int threads : {2, 1}) {
    cv::setNumThreads(threads);
    lane::frame item;
    item.picture = picture.clone();
    made.push_back(all_of(std::move(item)).picture);
  }
  EXPECT_EQ(cv::norm(made[0], made[1], cv::NORM_L1), 0);
}

// --- The road and its film

TEST(LaneDrive, IsSmoothAndHasAllThatHappens) {
  const auto film = lane::drive(3, 3000);
  std::set<int> lanes, cars;
  int crossings = 0, bends = 0;
  for (std::size_t i = 1; i < film.size(); ++i) {
    const auto &now = film[i], &before = film[i - 1];
    EXPECT_LT(std::abs(now.sideways - before.sideways), 120) << i;
    EXPECT_LE(std::abs(now.curvature - before.curvature), 200) << i;
    EXPECT_LE(std::abs(now.light - before.light), 4) << i;
    EXPECT_LE(std::abs(now.lane - before.lane), 1) << i;
    EXPECT_GE(now.crossing + lane::crossing_length, now.distance - 800) << i;
    EXPECT_FALSE(now.changing && now.vehicle_count > 0) << i;
    if (!now.changing) {
      EXPECT_NEAR(now.sideways, lane::lane_width * (2 * now.lane + 1) / 2.0, 150) << i;
    }
    lanes.insert(now.lane);
    cars.insert(static_cast<int>(now.vehicle_count));
    crossings += now.crossing != before.crossing ? 1 : 0;
    bends += std::abs(now.curvature) > 1000 ? 1 : 0;
  }
  EXPECT_THAT(lanes, ElementsAre(0, 1, 2));
  EXPECT_THAT(cars, ElementsAre(0, 1, 2));
  EXPECT_GE(crossings, 4);
  EXPECT_GE(bends, 300);
}

TEST(LaneScene, ShowsMarksWhereTheTruthSays) {
  lane::scene camera(1, lane::low);
  lane::moment now;
  now.lane = 0;
  now.sideways = 1750;
  now.crossing = 500'000;
  const auto seen = camera.truth(now);
  const auto& bgr = camera.draw(now);
  for (std::size_t i = 0; i < lane::truth_lines.size(); ++i) {
    const auto grey = [&](int x) {
      const auto at = 3 * static_cast<std::size_t>(lane::truth_lines[i] * width + x);
      return (bgr[at] + bgr[at + 1] + bgr[at + 2]) / 3;
    };
    // The left mark is the solid one at the edge; in the middle of the lane there is none.
    EXPECT_GT(grey(seen.left[i] / 16), 150) << i;
    EXPECT_LT(grey((seen.left[i] + seen.right[i]) / 32), 130) << i;
  }
  // Lanes get narrower with the distance, about the middle of the picture.
  EXPECT_LT(seen.left[0], seen.left[2]);
  EXPECT_GT(seen.right[0], seen.right[2]);
  EXPECT_NEAR(seen.left[1] + seen.right[1], 16 * width, 32);
}

TEST(LaneScene, IsTheSameRoadInBothSizes) {
  const auto now = lane::drive(5, 40)[39];
  const auto small = lane::scene(1, lane::low).truth(now), large = lane::scene(1, lane::high).truth(now);
  for (std::size_t i = 0; i < lane::truth_lines.size(); ++i) {
    EXPECT_NEAR(small.left[i] * 2, large.left[i], 48);
    EXPECT_NEAR(small.right[i] * 2, large.right[i], 48);
  }
}

// --- Input, output, verifier

/// A film of three frames.
class LaneFilm : public testing::Test {
 protected:
  void SetUp() override {
    cv::setNumThreads(1);
    lane::scene camera(1, lane::low);
    apps::film_writer out(film, {.size = lane::low});
    for (const auto& now : lane::drive(1, 3)) out.add(camera.draw(now).data());
    out.close();
  }
  scratch dir;
  fs::path film = dir / "film.avi";
};

TEST_F(LaneFilm, InputMayBeHeldInMemory) {
  run(film, dir / "a.avi");
  run(film, dir / "b.avi", apps::input_held::in_memory);
  EXPECT_EQ(apps::hash_of_file(dir / "a.avi"), apps::hash_of_file(dir / "b.avi"));
}

TEST_F(LaneFilm, FramesMayBeMadeInAnyOrder) {
  // Operators have no state: what they make of a frame depends on nothing else.
  lane::source source(film);
  std::vector<lane::frame> frames;
  frames.reserve(3);
  for (int i = 0; i < 3; ++i) frames.push_back(*source());
  apps::jpeg_encoder encode(apps::film_quality);
  run(film, dir / "out.avi");
  apps::film_reader made(dir / "out.avi");
  std::vector<std::string> should;
  should.reserve(3);
  for (int i = 0; i < 3; ++i) should.emplace_back(made.next_packed());
  for (int i = 2; i >= 0; --i) {
    const auto done = all_of(std::move(frames[static_cast<std::size_t>(i)]));
    EXPECT_EQ(encode(done.picture.data, lane::low), should[static_cast<std::size_t>(i)]) << i;
  }
}

TEST_F(LaneFilm, SinkWantsFramesInOrder) {
  lane::source source(film);
  lane::sink sink(dir / "out.avi", source);
  const auto first = source(), second = source();
  sink(*first);
  EXPECT_THAT(message_of([&] { sink(*first); }),
              HasSubstr("out.avi' is not written: frame 0 came where frame 1"));
  sink(*second);
  EXPECT_FALSE(fs::exists(dir / "out.avi"));
}

TEST_F(LaneFilm, InputIsNeverTheOutput) {
  const auto before = apps::hash_of_file(film);
  lane::source source(film);
  fs::create_symlink(film, dir / "link.avi");
  for (const auto& same : {film, dir.path() / "." / "film.avi", dir / "link.avi"})
    EXPECT_THAT(message_of([&] { lane::sink(same, source); }), HasSubstr("is the input, and is not written"));
  EXPECT_EQ(apps::hash_of_file(film), before);
}

TEST_F(LaneFilm, WhatCannotBeReadOrWrittenIsNamed) {
  EXPECT_THAT(message_of([&] { lane::source(dir / "none.avi"); }), HasSubstr("none.avi"));
  lane::source source(film);
  EXPECT_THAT(message_of([&] { lane::sink(dir / "none" / "out.avi", source); }), HasSubstr("none/out.avi"));
  const auto all = scratch::read(film);
  const auto cut = dir.write("cut.avi", all.substr(0, all.size() / 2));
  EXPECT_THAT(message_of([&] { run(cut, dir / "out.avi"); }), HasSubstr("cut.avi' is cut off at frame"));
  EXPECT_FALSE(fs::exists(dir / "out.avi"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 2);  // the two films that were read
}

/// The input `test`, made once, and what the operators make of it.
class LaneInput : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cv::setNumThreads(1);
    input = std::make_unique<scratch>();
    lane::generate("test", input->path(), [](std::uint64_t done, std::uint64_t all) {
      EXPECT_EQ(all, 45U);
      told = done;
    });
  }
  static void TearDownTestSuite() {
    input.reset();
    results.reset();
  }
  static fs::path film() { return *input / lane::film_file; }
  /// What the operators make of it, in one thread.
  static fs::path output() {
    if (!results) {
      results = std::make_unique<scratch>();
      run(film(), *results / "lanes.avi");
    }
    return *results / "lanes.avi";
  }

  static void add_frames(std::vector<std::string>& to, const fs::path& film) {
    apps::film_reader from(film);
    for (auto frame = from.next_packed(); !frame.empty(); frame = from.next_packed()) to.emplace_back(frame);
  }
  /// A film of frames of that with the marks, as they are packed there; behind these are those without.
  fs::path film_of(const std::vector<std::size_t>& numbers) const {
    std::vector<std::string> frames;
    add_frames(frames, output());
    add_frames(frames, film());
    apps::film_writer out(dir / "out.avi", apps::film_reader(output()).format());
    for (const auto i : numbers) out.add_packed(frames.at(i));
    out.close();
    return dir / "out.avi";
  }
  void refused(const fs::path& film, const std::string& says) const {
    const auto verdict = lane::verify("test", input->path(), film);
    EXPECT_FALSE(verdict.good);
    EXPECT_THAT(verdict.says, HasSubstr(says));
  }

  static inline std::unique_ptr<const scratch> input, results;
  static inline std::uint64_t told = 0;
  scratch dir;
};

std::vector<std::size_t> numbers_to(std::size_t end) {
  std::vector<std::size_t> numbers(end);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_F(LaneInput, IsTheSameOnEveryMachine) {
  EXPECT_EQ(apps::hash_of_file(film()), "0653e85408049d7b04aa6b9723e814a91aae0757d7629c511daf2c91087f4360");
  EXPECT_EQ(apps::hash_of_file(*input / lane::truth_file),
            "bdb7f6f50c4fee693a88fd90d5f9cdd550db98b6545ad7b8eb72e268a5e68b24");
  EXPECT_EQ(std::distance(fs::directory_iterator(input->path()), {}), 2);
  EXPECT_EQ(told, 45U);
}

TEST_F(LaneInput, VerifierAcceptsASequentialRun) {
  const auto [good, says] = lane::verify("test", input->path(), output());
  EXPECT_TRUE(good) << says;
  EXPECT_THAT(says, HasSubstr("45 frames, bit by bit; 1.00 of the marks drawn, wrong by 5."));
}

TEST_F(LaneInput, VerifierRefusesOtherFilms) {
  refused(film(), "road.avi: frame 0 is not what the operators give");
  refused(film_of(numbers_to(44)), "out.avi: it has 44 frames instead of 45");
  auto numbers = numbers_to(45);
  std::swap(numbers[20], numbers[21]);
  refused(film_of(numbers), "out.avi: frame 20 shows something else");
  numbers = numbers_to(45);
  numbers[1] += 45;
  refused(film_of(numbers), "out.avi: frame 1 is not what the operators give");
  apps::film_writer large(dir / "large.avi", {.size = lane::high});
  large.add(std::vector<std::uint8_t>(std::size_t{3} * 1280 * 720).data());
  large.close();
  refused(dir / "large.avi", "large.avi: its pictures are 1280x720");
  auto bytes = scratch::read(output());
  bytes.replace(bytes.find("00dc") + 8, 2, "no");
  refused(dir.write("bad.avi", bytes), "bad.avi: frame 0 is damaged");
}

TEST_F(LaneInput, VerifierRefusesWhatIsWrongByMuch) {
  fs::copy(film(), dir / lane::film_file);
  const auto lines = lines_of(*input / lane::truth_file);
  const auto verdict_with = [&](const std::function<std::string(std::string)>& change) {
    std::vector<std::string> changed;
    changed.reserve(lines.size());
    for (const auto& line : lines) changed.push_back(change(line));
    write_lines(dir / lane::truth_file, changed);
    return lane::verify("test", dir.path(), output());
  };
  EXPECT_TRUE(verdict_with([](const std::string& line) { return line; }).good);
  const auto far = verdict_with([](const std::string& line) {
    return line.substr(0, line.find(',', line.find(',') + 1)) + ",80,100,120,560,540,520";
  });
  EXPECT_FALSE(far.good);
  EXPECT_THAT(far.says, HasSubstr("may not be below"));
  EXPECT_THAT(message_of([&] { verdict_with([](auto line) { return line + ",1"; }); }),
              HasSubstr("lanes.csv:1: "));
  EXPECT_THAT(message_of([&] { verdict_with([](auto line) { return "1" + line; }); }),
              HasSubstr("lanes.csv:1: "));
  fs::remove(dir / lane::truth_file);
  EXPECT_THAT(message_of([&] { lane::verify("test", dir.path(), output()); }), HasSubstr("lanes.csv"));
  EXPECT_THAT(message_of([&] { lane::verify("test", dir.path(), dir / "none.avi"); }), HasSubstr("none.avi"));
  EXPECT_THAT(message_of([&] { lane::verify("tset", dir.path(), output()); }), HasSubstr("'tset'"));
}

TEST(LaneAbout, NamesInputsAndOperators) {
  const auto& about = lane::about();
  EXPECT_EQ(about.name, "lane_detection");
  EXPECT_THAT(about.operators, ElementsAre("source", "segment", "canny1", "hough_t", "hough_p", "bitwise",
                                           "canny2", "overlap", "sink"));
  ASSERT_EQ(about.inputs.size(), 10U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(about.inputs[i], apps::classes[i]);
    EXPECT_EQ(about.inputs[i + 5], std::string(apps::classes[i]) + "-HQ");
  }
  EXPECT_THAT(message_of([&] { about.generate("none", "", {}); }), HasSubstr("'none'"));
}

}  // namespace
