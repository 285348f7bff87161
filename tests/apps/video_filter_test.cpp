#include "apps/video_filter/video_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include "apps/support/hash.hpp"
#include "apps/support/pgm.hpp"
#include "apps/support/random.hpp"
#include "apps/video_filter/definition.hpp"
#include "apps/video_filter/inputs.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace video = apps::video_filter;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

cv::Mat noise(int width, int height) {
  apps::random dice(1);
  cv::Mat made(height, width, CV_8UC3);
  std::generate_n(made.data, 3 * width * height, [&] { return static_cast<std::uint8_t>(dice.below(256)); });
  return made;
}

cv::Mat blurred(const cv::Mat& picture, std::uint32_t side) {
  video::frame item;
  item.picture = picture.clone();
  return video::blur{{.blur = side}}(std::move(item)).picture;
}

cv::Mat edges(const cv::Mat& picture, std::uint32_t side) {
  video::frame item;
  item.picture = picture.clone();
  return video::sobel{{.sobel = side}}(std::move(item)).picture;
}

/// The mean difference of two pictures' bytes, and the greatest.
std::pair<double, int> difference(const cv::Mat& a, const cv::Mat& b) {
  double sum = 0;
  int most = 0;
  const auto bytes = 3 * a.total();
  for (std::size_t i = 0; i < bytes; ++i) {
    const int now = std::abs(a.data[i] - b.data[i]);
    sum += now;
    most = std::max(most, now);
  }
  return {sum / static_cast<double>(bytes), most};
}

void run(const video::album& album, const fs::path& to, video::input_held held = video::input_held::on_disk) {
  cv::setNumThreads(1);
  video::source source(album, held);
  video::read read;
  const video::blur blur{album.filter};
  const video::sobel sobel{album.filter};
  video::pack pack;
  video::sink sink(to, album);
  while (auto frame = source()) sink(pack(sobel(blur(read(std::move(*frame))))));
  sink.close();
}

/// Pictures in a folder.
class VideoFilterAlbum : public testing::Test {
 protected:
  void write_pgm(const std::string& name, std::uint32_t width, std::uint32_t height) const {
    dir.write(name, apps::pgm_header(width, height) + std::string(width * height, 'a'));
  }
  fs::path write_jpeg(const std::string& name, const cv::Mat& picture) const {
    apps::jpeg_encoder encode(90);
    return dir.write(name, encode(picture.data, {picture.cols, picture.rows}));
  }
  static cv::Mat picture_of(const fs::path& file, apps::extent size) {
    video::frame item;
    item.file = file;
    item.size = size;
    return video::read{}(std::move(item)).picture;
  }
  std::string wrong_album() const {
    return message_of([&] { video::read_album(dir.path()); });
  }
  scratch dir;
};

TEST_F(VideoFilterAlbum, HasPicturesByNameAndNothingElse) {
  write_pgm("b.pgm", 5, 4);
  write_pgm("a.ppm", 5, 4);  // what it is, its bytes tell
  write_jpeg("c.jpg", noise(5, 4));
  dir.write("notes.txt", "no picture");
  const auto album = video::read_album(dir.path());
  EXPECT_THAT(album.files, ElementsAre(dir / "a.ppm", dir / "b.pgm", dir / "c.jpg"));
  EXPECT_EQ(album.size, (apps::extent{5, 4}));
  EXPECT_EQ(album.filter, video::filter{});
}

TEST_F(VideoFilterAlbum, MayHaveAFilter) {
  write_pgm("a.pgm", 5, 4);
  const video::filter filter{31, 7, 24};
  dir.write(video::filter_file, video::text_of(filter));
  EXPECT_EQ(video::read_album(dir.path()).filter, filter);
  const auto wrong = [&](const std::string& text) {
    dir.write(video::filter_file, text);
    return wrong_album();
  };
  EXPECT_THAT(wrong("blur 8\nsobel 3\nrate 30\n"),
              EndsWith("filter.txt' has blur 8, which is no odd number"));
  EXPECT_THAT(wrong("blur 33\nsobel 3\nrate 30\n"), HasSubstr("blur 33, which is no number from 1 to 31"));
  EXPECT_THAT(wrong("blur 9\nsobel 1\nrate 30\n"), HasSubstr("sobel 1, which is no number from 3 to 7"));
  EXPECT_THAT(wrong("blur 9\nsobel 3\nrate 0\n"), HasSubstr("rate 0, which is"));
  EXPECT_THAT(wrong("blur 9\nsobel 3\n"), EndsWith("has no 'rate'"));
  EXPECT_THAT(wrong("blur 9\nsobel 3\nrate 30\nfog 1\n"), EndsWith("has an unknown 'fog'"));
}

TEST_F(VideoFilterAlbum, ThatIsNoneIsNamed) {
  EXPECT_THAT(wrong_album(), EndsWith("' has no .jpg, .jpeg, .pgm, .ppm files"));
  EXPECT_THAT(message_of([&] { video::read_album(dir / "none"); }), HasSubstr("none': No such file"));
  const auto file = dir.write("file", "");
  EXPECT_THAT(message_of([&] { video::read_album(file); }), EndsWith("file' is no folder of pictures"));
  dir.write("a.ppm", "");
  EXPECT_THAT(wrong_album(), EndsWith("a.ppm' is empty"));
  dir.write("a.ppm", "P6 2 1 255\nabcde");
  EXPECT_THAT(wrong_album(), EndsWith("a.ppm' is cut off"));
  dir.write("a.ppm", "GIF89a");
  EXPECT_THAT(wrong_album(), HasSubstr("a.ppm' is no "));
  dir.write("a.ppm", "\xFF\xD8nonsense");
  EXPECT_THAT(wrong_album(), HasSubstr("a.ppm' is no JPEG picture"));
  dir.write("a.ppm", "P5 20000 1 255\n" + std::string(20'000, 'a'));
  EXPECT_THAT(wrong_album(), HasSubstr("20000x1 pixels, which is too large"));
}

TEST_F(VideoFilterAlbum, PicturesAreReadAsTheyAre) {
  const auto colours = dir.write("a.ppm", "P6 2 1 255\nabcdef");
  const auto read = picture_of(colours, {2, 1});
  EXPECT_EQ(std::string(read.datastart, read.dataend), "cbafed");  // blue, green, red
  const auto greys = dir.write("a.pgm", "P5 # grey\n3 1 255\nabc");
  const auto grey = picture_of(greys, {3, 1});
  EXPECT_EQ(std::string(grey.datastart, grey.dataend), "aaabbbccc");
  const cv::Mat flat(16, 24, CV_8UC3, cv::Scalar(200, 100, 50));
  EXPECT_LT(difference(picture_of(write_jpeg("a.jpg", flat), {24, 16}), flat).second, 4);
}

TEST_F(VideoFilterAlbum, PicturesThatAreDamagedOrOfAnotherSizeAreNamed) {
  const auto wrong = [&](const fs::path& file) { return message_of([&] { picture_of(file, {24, 16}); }); };
  write_pgm("a.pgm", 16, 24);
  EXPECT_THAT(wrong(dir / "a.pgm"),
              EndsWith("a.pgm' is of 16x24 pixels, where the first picture is of 24x16"));
  EXPECT_THAT(wrong(dir / "none.pgm"), HasSubstr("none.pgm"));
  const auto jpeg = scratch::read(write_jpeg("a.jpg", noise(24, 16)));
  EXPECT_THAT(wrong(dir.write("b.jpg", jpeg.substr(0, jpeg.size() - 100))), HasSubstr("b.jpg' is damaged"));
}

TEST_F(VideoFilterAlbum, SinkWantsAllFramesInOrderAndNoPictureInItsPlace) {
  for (const auto* name : {"a.pgm", "b.pgm", "c.pgm"}) write_pgm(name, 24, 16);
  const auto album = video::read_album(dir.path());
  const auto out = dir / "out.avi";
  const auto write = [&](const std::vector<std::uint64_t>& numbers) {
    video::sink sink(out, album);
    for (const auto number : numbers) {
      video::frame one;
      one.number = number;
      one.picture = noise(24, 16);
      sink(video::pack{}(std::move(one)));
    }
    sink.close();
  };
  EXPECT_THAT(message_of([&] { write({0, 2}); }), EndsWith("frame 2 came where frame 1 was due"));
  EXPECT_THAT(message_of([&] { write({0, 1}); }), EndsWith("out.avi' is not written: frame 2 is missing"));
  EXPECT_THAT(message_of([&] { video::sink(dir / "none" / "out.avi", album); }), HasSubstr("none/out.avi"));
  fs::create_symlink(album.files[1], dir / "link.avi");
  EXPECT_THAT(message_of([&] { video::sink(dir / "link.avi", album); }), HasSubstr("is the input"));
  EXPECT_THAT(dir.names(), ElementsAre("a.pgm", "b.pgm", "c.pgm", "link.avi"));  // nothing half written
  write({0, 1, 2});
  EXPECT_EQ(apps::film_reader(out).frames(), 3U);
}

}  // namespace

TEST(VideoFilterBlur, IsTheMeanAroundByTheBell) {
  const cv::Mat flat(9, 7, CV_8UC3, cv::Scalar(200, 100, 3));
  for (std::uint32_t side = 1; side <= video::most_blur; side += 2)
    EXPECT_EQ(difference(blurred(flat, side), flat).second, 0) << side;
  cv::Mat dot(9, 9, CV_8UC3, cv::Scalar::all(0));
  dot.at<cv::Vec3b>(4, 4) = {255, 255, 255};
  const auto spread = blurred(dot, 3);  // deviation 0.8: weights 0.239, 0.522, 0.239
  EXPECT_NEAR(spread.at<cv::Vec3b>(4, 4)[0], 255 * 0.522 * 0.522, 1.5);
  EXPECT_NEAR(spread.at<cv::Vec3b>(4, 5)[1], 255 * 0.522 * 0.239, 1.5);
  EXPECT_NEAR(spread.at<cv::Vec3b>(3, 3)[2], 255 * 0.239 * 0.239, 1.5);
  EXPECT_EQ(spread.at<cv::Vec3b>(4, 6)[0], 0);
}

TEST(VideoFilterSobel, GivesFourTimesTheHeightOfAStep) {
  cv::Mat step(12, 24, CV_8UC3, cv::Scalar::all(100));
  step(cv::Rect(12, 0, 12, 12)).setTo(cv::Scalar(110, 130, 40));
  for (const std::uint32_t side : {3, 5, 7}) {
    const auto found = edges(step, side);
    const auto reach = static_cast<int>(side / 2);
    for (int y = 0; y < 12; ++y) {
      EXPECT_EQ(found.at<cv::Vec3b>(y, 11), cv::Vec3b(40, 120, 240));
      EXPECT_EQ(found.at<cv::Vec3b>(y, 12), cv::Vec3b(40, 120, 240));
      EXPECT_EQ(found.at<cv::Vec3b>(y, 11 - reach), cv::Vec3b(0, 0, 0));
      EXPECT_EQ(found.at<cv::Vec3b>(y, 12 + reach), cv::Vec3b(0, 0, 0));
    }
    EXPECT_EQ(difference(edges(step.t(), side), found.t()).second, 0);  // down as across
  }
  step(cv::Rect(12, 0, 12, 12)).setTo(cv::Scalar::all(0));
  EXPECT_EQ(edges(step, 3).at<cv::Vec3b>(5, 11)[0], 255);
}

TEST(VideoFilter, OperatorsAreNearTheDefinition) {
  cv::setNumThreads(1);
  const auto picture = noise(40, 23);
  for (const std::uint32_t blur : {1, 3, 9, 31})
    for (const std::uint32_t sobel : {3, 5, 7}) {
      const video::filter filter{blur, sobel, 30};
      const auto [mean, most] =
          difference(edges(blurred(picture, blur), sobel), video::by_definition(picture, filter));
      // Without a blur only halves are rounded otherwise. OpenCV's blur may be wrong by one level.
      EXPECT_LE(most, blur == 1 ? 1 : 16) << blur << " " << sobel;
      EXPECT_LT(mean, blur == 1 ? 0.5 : 2) << blur << " " << sobel;
    }
}

/// The input `test`, made once, and what the operators make of it.
class VideoFilterInput : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    input = std::make_unique<scratch>();
    video::generate("test", input->path(), [](std::uint64_t done, std::uint64_t) { told = done; });
    results = std::make_unique<scratch>();
    run(video::read_album(input->path()), *results / "edges.avi");
  }
  static void TearDownTestSuite() {
    input.reset();
    results.reset();
  }
  static fs::path output() { return *results / "edges.avi"; }

  /// A film of frames of that, as they are packed there.
  fs::path film_of(const std::vector<std::size_t>& numbers) const {
    std::vector<std::string> frames;
    apps::film_reader from(output());
    for (auto frame = from.next_packed(); !frame.empty(); frame = from.next_packed())
      frames.emplace_back(frame);
    apps::film_writer out(dir / "out.avi", from.format());
    for (const auto i : numbers) out.add_packed(frames.at(i));
    out.close();
    return dir / "out.avi";
  }
  void refused(const fs::path& film, const std::string& says) const {
    const auto verdict = video::verify("test", input->path(), film);
    EXPECT_FALSE(verdict.good);
    EXPECT_THAT(verdict.says, HasSubstr(says));
  }
  static std::vector<std::size_t> all_frames() {
    std::vector<std::size_t> numbers(40);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    return numbers;
  }

  static inline std::unique_ptr<const scratch> input, results;
  static inline std::uint64_t told = 0;
  scratch dir;
};

TEST_F(VideoFilterInput, IsTheSameOnEveryMachine) {
  apps::hasher all;
  const auto names = input->names();
  for (const auto& name : names) all.add(scratch::read(*input / name));
  EXPECT_EQ(all.hex(), "9da8610eb31d333c8e091d9f367e275756cfaed6126ba183d894dd481d2d9e54");
  EXPECT_EQ(names.size(), 41U);
  EXPECT_EQ(told, 40U);
  EXPECT_EQ(video::read_album(input->path()).filter, video::inputs[0].filter);
}

TEST_F(VideoFilterInput, MayBeHeldInMemory) {
  run(video::read_album(input->path()), dir / "held.avi", video::input_held::in_memory);
  EXPECT_EQ(apps::hash_of_file(dir / "held.avi"), apps::hash_of_file(output()));
}

TEST_F(VideoFilterInput, FramesMayBeMadeInAnyOrder) {
  const auto album = video::read_album(input->path());
  apps::film_reader made(output());
  const std::string first(made.next_packed()), second(made.next_packed());
  video::source source(album);
  auto a = source(), b = source();
  video::read read;
  video::pack pack;
  const auto packed = [&](video::frame one) {
    const auto done = pack(video::sobel{album.filter}(video::blur{album.filter}(read(std::move(one)))));
    return std::string(apps::view(done.packed));
  };
  EXPECT_EQ(packed(std::move(*b)), second);
  EXPECT_EQ(packed(std::move(*a)), first);
}

TEST_F(VideoFilterInput, VerifierAcceptsASequentialRun) {
  const auto [good, says] = video::verify("test", input->path(), output());
  EXPECT_TRUE(good) << says;
  EXPECT_THAT(says, HasSubstr("40 frames, bit by bit; 8 compared with the definition: 4."));
}

TEST_F(VideoFilterInput, VerifierRefusesOtherFilms) {
  auto numbers = all_frames();
  numbers.pop_back();
  refused(film_of(numbers), "out.avi: it has 39 frames instead of 40");
  numbers = all_frames();
  std::swap(numbers[7], numbers[8]);
  refused(film_of(numbers), "out.avi: frame 7 is not what the operators give");
  numbers = all_frames();
  numbers[5] = 6;
  refused(film_of(numbers), "out.avi: frame 5 is 1");  // 12 levels or so
  auto bytes = scratch::read(output());
  bytes.replace(bytes.find("00dc") + 8, 2, "no");
  refused(dir.write("bad.avi", bytes), "bad.avi: frame 0 is damaged");
  auto album = video::read_album(input->path());
  album.filter.sobel = 5;
  run(album, dir / "other.avi");
  refused(dir / "other.avi", "other.avi: frame 0 is ");
  apps::film_writer large(dir / "large.avi", {.size = {64, 48}});
  large.add(std::vector<std::uint8_t>(std::size_t{3} * 64 * 48).data());
  large.close();
  refused(dir / "large.avi", "large.avi: its pictures are 64x48");
  EXPECT_THAT(message_of([&] { video::verify("test", input->path(), dir / "none.avi"); }),
              HasSubstr("none.avi"));
}

TEST(VideoFilterAbout, NamesInputsAndOperators) {
  const auto& about = video::about();
  EXPECT_EQ(about.name, "video_filter");
  EXPECT_THAT(about.operators, ElementsAre("source", "read", "blur", "sobel", "pack", "sink"));
  EXPECT_THAT(about.inputs, testing::ElementsAreArray(apps::classes));
  EXPECT_EQ(message_of([&] { about.generate("tiny", "", {}); }), "video_filter has no input 'tiny'");
}
