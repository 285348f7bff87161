#include "apps/lane_detection/lane_detection.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <lane_detection.hpp>
#include <opencv2/core/utility.hpp>

#include "apps/lane_detection/inputs.hpp"
#include "apps/lane_detection/scene.hpp"
#include "apps/support/film/film.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;
namespace lane = apps::lane_detection;
namespace fs = std::filesystem;

/// A film of five frames.
class Lane : public run_test {
 protected:
  void SetUp() override {
    lane::scene camera(1, lane::low);
    apps::film_writer out(film, {.size = lane::low});
    for (const auto& now : lane::drive(1, 5)) out.add(camera.draw(now).data());
    out.close();
  }

  void begin(std::initializer_list<std::string> more = {}) { begin_with(film, more); }
  static void mark(spb::Item& item) {
    spb::Segment::op(item);
    spb::Canny1::op(item);
    spb::HoughT::op(item);
    spb::HoughP::op(item);
    spb::Bitwise::op(item);
    spb::Canny2::op(item);
    spb::Overlap::op(item);
  }

  /// What the operators make of the film without the interface.
  std::string marked() const {
    lane::source source(film);
    lane::sink sink(path("plain.avi"), source);
    while (auto frame = source()) {
      auto found = lane::hough_p{}(lane::hough_t{}(lane::canny1{}(lane::segment{}(std::move(*frame)))));
      sink(lane::overlap{}(lane::canny2{}(lane::bitwise{}(std::move(found)))));
    }
    sink.close();
    return read(path("plain.avi"));
  }

  const fs::path film = path("road.avi");
};

TEST_F(Lane, OperatorsGiveWhatTheyGiveWithoutTheInterface) {
  const auto good = marked();
  for (const auto* size : {"1", "2"}) {
    begin({"-in-memory", "-batch-size", size});
    for (spb::Item item; spb::Source::op(item);) {
      mark(item);
      spb::Sink::op(item);
    }
    EXPECT_FALSE(fs::exists(output()));
    end();
    EXPECT_EQ(read(output()), good) << size;
    fs::remove(output());
  }
}

TEST_F(Lane, ThreadsOfOpenCvAreOff) {
  cv::setNumThreads(2);
  begin();
  EXPECT_EQ(cv::getNumThreads(), 1);
}

TEST_F(Lane, FramesOutOfOrderAreAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "frame 1 came where frame 0 was due");
}

TEST_F(Lane, AFilmThatIsCutOffIsNamed) {
  fs::resize_file(film, fs::file_size(film) / 2);
  begin();
  for (spb::Item item; spb::Source::op(item);) spb::Sink::op(item);
  EXPECT_EXIT(spb::Metrics::stop(), ExitedWithCode(1), "road.avi' is cut off at frame");
}

TEST_F(Lane, TheFilmIsNeverTheOutput) {
  are_never_the_output(film, {film});
}

}  // namespace
