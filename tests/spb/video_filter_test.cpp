#include <video_filter.hpp>
#ifdef CV_VERSION
#error "programs that include <video_filter.hpp> get OpenCV's headers"
#endif

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <opencv2/core/utility.hpp>

#include "apps/support/pgm.hpp"
#include "apps/video_filter/video_filter.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;
namespace video = apps::video_filter;
namespace fs = std::filesystem;

/// Three pictures, each with a bright square at another place.
class VideoFilter : public run_test {
 protected:
  void SetUp() override {
    fs::create_directory(album);
    for (std::size_t number = 0; number < 3; ++number) {
      std::string pixels(std::size_t{width} * height, '\x10');
      for (std::size_t y = 8; y < 16; ++y) pixels.replace(y * width + 8 * number, 8, 8, '\xE0');
      write(picture(number), apps::pgm_header(width, height) + pixels);
    }
  }
  fs::path picture(std::size_t number) const { return album / ("p" + std::to_string(number) + ".pgm"); }
  void begin(std::initializer_list<std::string> more = {}) { begin_with(album, more); }
  static void run() {
    run_in_order<spb::Item, spb::Source, spb::Read, spb::Blur, spb::Sobel, spb::Pack, spb::Sink>();
  }

  /// What the operators make of them without the interface.
  std::string filtered() const {
    const auto from = video::read_album(album);
    video::source source(from);
    video::read read_one;
    const video::blur blur{from.filter};
    const video::sobel sobel{from.filter};
    video::pack pack;
    video::sink sink(path("plain.avi"), from);
    while (auto frame = source()) sink(pack(sobel(blur(read_one(std::move(*frame))))));
    sink.close();
    return read(path("plain.avi"));
  }

  static constexpr std::uint32_t width = 32, height = 24;
  const fs::path album = path("album");
};

TEST_F(VideoFilter, OperatorsGiveWhatTheyGiveWithoutTheInterface) {
  write(album / "filter.txt", "blur 5\nsobel 5\nrate 10\n");
  const auto good = filtered();
  for (const auto* size : {"1", "2"}) {
    begin({"-in-memory", "-batch-size", size});
    run();
    EXPECT_FALSE(fs::exists(output()));
    end();
    EXPECT_EQ(read(output()), good) << size;
    fs::remove(output());
  }
  begin();
  run();
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(VideoFilter, ThreadsOfOpenCvAreOff) {
  cv::setNumThreads(2);
  begin();
  EXPECT_EQ(cv::getNumThreads(), 1);
}

TEST_F(VideoFilter, FramesOutOfOrderAreAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "frame 1 came where frame 0 was due");
}

TEST_F(VideoFilter, APictureThatIsDamagedIsNamedAndNoFilmIsLeft) {
  fs::resize_file(picture(1), 100);
  begin();
  run();
  EXPECT_EXIT(spb::Metrics::stop(), ExitedWithCode(1), "p1.pgm");
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(VideoFilter, NeitherPicturesNorFilterAreTheOutput) {
  write(album / "filter.txt", "blur 5\nsobel 5\nrate 10\n");
  are_never_the_output(album, {picture(0), picture(2), album / "filter.txt"});
}

}  // namespace
