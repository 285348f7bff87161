#include "apps/support/film/film.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/error.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/numbers.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "other_film.hpp"
#include "stages/scratch.hpp"
#include "support/scale.hpp"

namespace fs = std::filesystem;
using apps::input_held;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr apps::film_format small{.size = {50, 38}, .rate = 24, .scale = 1};

/// A slope, and a square that is elsewhere in each frame.
std::vector<std::uint8_t> drawn(int number) {
  std::vector<std::uint8_t> bgr;
  for (int y = 0; y < small.size.height; ++y)
    for (int x = 0; x < small.size.width; ++x) {
      const bool square = x / 8 == number && y / 8 == 2;
      for (const int value : {x * 4, square ? 200 : y * 5, 255 - x * 4})
        bgr.push_back(static_cast<std::uint8_t>(value));
    }
  return bgr;
}

class Film : public testing::Test {
 protected:
  Film() : path(dir / "a.avi") {
    apps::film_writer out(path, small);
    for (int i = 0; i < 4; ++i) out.add(drawn(i).data());
    EXPECT_FALSE(fs::exists(path));
    out.close();
  }
  /// How many frames are in a film.
  static int count(const fs::path& file, input_held held) {
    apps::film_reader film(file, held);
    std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
    int frames = 0;
    while (film.next(bgr.data())) ++frames;
    return frames;
  }
  /// How unlike two pictures are: of a value in the mean.
  static double distance(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    double sum = 0;
    for (std::size_t at = 0; at < a.size(); ++at) sum += std::abs(a[at] - b[at]);
    return sum / static_cast<double>(a.size());
  }
  /// What is wrong with a film of these bytes, read to its end.
  std::string wrong_with(const std::string& bytes, input_held held = input_held::on_disk) const {
    const auto bad = dir.write("bad.avi", bytes);
    return message_of([&] {
      apps::film_reader film(bad, held);
      std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
      while (film.next(bgr.data())) {
      }
    });
  }

  scratch dir;
  fs::path path;
};

TEST_F(Film, IsReadAsItWasWritten) {
  for (const auto held : {input_held::on_disk, input_held::in_memory}) {
    apps::film_reader film(path, held);
    EXPECT_EQ(film.format().size, small.size);
    EXPECT_EQ(film.format().rate, 24U);
    EXPECT_EQ(film.format().scale, 1U);
    ASSERT_EQ(film.frames(), 4U);
    std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(film.next(bgr.data()));
      EXPECT_LT(distance(bgr, drawn(i)), 4) << i;
    }
    EXPECT_FALSE(film.next(bgr.data()));
    EXPECT_FALSE(film.next(bgr.data()));
  }
}

TEST_F(Film, IsTheSameOnEveryMachine) {
  EXPECT_EQ(apps::hash_of_file(path), "431e55b7229a52cd0f6b2a643d4ee12991e9549bc478fd11dcb7770bc2a9fff3");
}

TEST_F(Film, HasTheLayoutOfAnAviFile) {
  const auto bytes = scratch::read(path);
  const auto at = [&](std::size_t offset) { return apps::number_at<std::uint32_t>(&bytes[offset]); };
  EXPECT_EQ(at(4), bytes.size() - 8);
  EXPECT_EQ(bytes.substr(212, 4), "LIST");
  EXPECT_EQ(bytes.substr(220, 4), "movi");
  const auto index = 220 + at(216);
  ASSERT_EQ(bytes.substr(index, 4), "idx1");
  EXPECT_EQ(at(index + 4), 4U * 16);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto entry = index + 8 + 16 * i;
    const auto frame = 220 + at(entry + 8);
    EXPECT_EQ(bytes.substr(entry, 4), "00dc");
    EXPECT_EQ(bytes.substr(frame, 4), "00dc");
    EXPECT_EQ(at(frame + 4), at(entry + 12));
    EXPECT_EQ(bytes.substr(frame + 8, 2), "\xFF\xD8");
  }
}

TEST_F(Film, OfWhichAByteBesideItsPicturesIsAnotherIsNoneOfTheWriter) {
  EXPECT_EQ(apps::wrong_layout(path), "");
  const auto good = scratch::read(path);
  const auto first = good.find("00dc"), index = good.find("idx1");
  const auto wrong = [&](std::size_t at) {
    auto bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    const auto bad = dir.write("bad.avi", bytes);
    try {
      return apps::wrong_layout(bad);
    } catch (const apps::error& e) {
      return std::string(e.what());
    }
  };
  for (std::size_t at = 0; at < first; ++at) EXPECT_NE(wrong(at), "") << at;
  for (std::size_t at = index; at < good.size(); ++at) EXPECT_NE(wrong(at), "") << at;
  EXPECT_NE(wrong(first + 4), "");
  EXPECT_EQ(wrong(index + 20), "its index is not that of its frames");
  dir.write("bad.avi", good + "x");
  EXPECT_EQ(apps::wrong_layout(dir / "bad.avi"), "something follows its index");
}

TEST_F(Film, MayHaveOtherChunks) {
  // Sound, and what fills up, between the frames.
  const auto bytes = scratch::read(path);
  std::string more(
      "JUNK\3\0\0\0abc\0"
      "01wb\2\0\0\0ab",
      22);
  auto changed = bytes.substr(0, 224) + more + bytes.substr(224);
  const auto longer = [&](std::size_t offset) {
    std::string size;
    apps::append_number(size, apps::number_at<std::uint32_t>(&bytes[offset]) + 22);
    changed.replace(offset, 4, size);
  };
  longer(4);
  longer(216);
  apps::film_reader a(path), b(dir.write("b.avi", changed));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(a.next_packed(), b.next_packed());
  EXPECT_TRUE(b.next_packed().empty());
}

TEST_F(Film, IsReadToItsEndWhateverItsHeadTells) {
  const auto good = scratch::read(path);
  const auto frames_of = [&](const std::string& bytes) {
    const auto file = dir.write("other.avi", bytes);
    EXPECT_EQ(count(file, input_held::in_memory), count(file, input_held::on_disk));
    return count(file, input_held::on_disk);
  };
  const auto with_counts = [](std::string bytes, char frames) {
    bytes[48] = bytes[140] = frames;
    return bytes;
  };
  for (const char told : {'\0', '\1', '\3'}) EXPECT_EQ(frames_of(with_counts(good, told)), 4);
  auto too_few_and_damaged = with_counts(good, '\2');
  too_few_and_damaged.replace(too_few_and_damaged.rfind("\xFF\xD8"), 2, "no");
  EXPECT_THAT(wrong_with(too_few_and_damaged), testing::EndsWith("is damaged at frame 4"));
  // As a camera leaves it that loses its power.
  auto unfinished = with_counts(good.substr(0, good.find("idx1")), 0);
  for (const std::size_t size_at : {4, 216}) unfinished.replace(size_at, 4, 4, '\0');
  EXPECT_EQ(frames_of(unfinished), 4);
  EXPECT_EQ(frames_of(unfinished.substr(0, unfinished.size() - 40)), 3);  // half a frame is none
  unfinished.replace(4, 4, 4, '\xFF').replace(216, 4, 4, '\xFF');
  EXPECT_EQ(frames_of(unfinished), 4);
}

TEST_F(Film, FramesThatTheCameraDroppedAreTheOnesBefore) {
  apps::film_reader whole(path);
  std::vector<std::string> frames;
  for (auto frame = whole.next_packed(); !frame.empty(); frame = whole.next_packed())
    frames.emplace_back(frame);
  const auto without = [&](const std::vector<std::size_t>& dropped) {
    const auto good = scratch::read(path);
    auto chunks = std::string("movi");
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto& frame = std::ranges::find(dropped, i) == dropped.end() ? frames[i] : std::string();
      const auto size = static_cast<std::uint32_t>(frame.size());
      chunks += apps::film_layout::before(size) + frame + apps::film_layout::behind(size);
    }
    auto bytes = good.substr(0, 216);
    apps::append_number(bytes, static_cast<std::uint32_t>(chunks.size()));
    bytes += chunks;
    std::string size;
    apps::append_number(size, static_cast<std::uint32_t>(bytes.size() - 8));
    bytes.replace(4, 4, size);
    apps::film_reader film(dir.write("dropped.avi", bytes));
    std::vector<std::size_t> shown;  // which of the whole film
    for (auto frame = film.next_packed(); !frame.empty(); frame = film.next_packed())
      shown.push_back(static_cast<std::size_t>(std::ranges::find(frames, frame) - frames.begin()));
    return shown;
  };
  EXPECT_THAT(without({}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(without({1}), ElementsAre(0, 0, 2, 3));
  EXPECT_THAT(without({1, 2}), ElementsAre(0, 0, 0, 3));
  EXPECT_THAT(without({0}), ElementsAre(1, 1, 2, 3));
}

// What other programs make: codec, colours, container.
TEST_F(Film, OfOtherKindsIsReadToo) {
  for (const auto& [codec, pixels, container] : {std::tuple{"mpeg4", "yuv420p", "mp4"},
                                                 {"mpeg4", "yuv420p", "avi"},
                                                 {"libx264", "yuv420p", "mp4"},
                                                 {"libx264", "yuv444p", "matroska"},
                                                 {"libx264", "yuv420p", "h264"},
                                                 {"libx264", "yuv420p", "mpegts"},
                                                 {"mjpeg", "yuvj420p", "matroska"},
                                                 {"mjpeg", "yuvj444p", "avi"},
                                                 {"mjpeg", "yuvj422p", "mp4"},
                                                 {"ffv1", "bgr0", "matroska"},
                                                 {"libvpx", "yuv420p", "webm"}}) {
    const film_recipe how{codec, pixels, container, {.size = small.size, .rate = 30'000, .scale = 1'001}, 20};
    SCOPED_TRACE(std::string(codec) + " in " + container);
    if (!can_be_made(how)) continue;
    const auto file = dir / "other";
    make_film(file, how, drawn);
    for (const auto held : {input_held::on_disk, input_held::in_memory}) {
      apps::film_reader film(file, held);
      EXPECT_EQ(film.format().size, small.size);
      if (how.container != "h264") {  // which has no times
        EXPECT_NEAR(static_cast<double>(film.format().rate) / film.format().scale, 29.97, 0.01);
      }
      std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
      int frames = 0;
      for (; film.next(bgr.data()); ++frames) EXPECT_LT(distance(bgr, drawn(frames)), 7) << frames;
      EXPECT_EQ(frames, how.frames);
      EXPECT_FALSE(film.next(bgr.data()));
    }
  }
}

TEST_F(Film, OfOtherKindsNamesWhatIsDamagedOrCutOff) {
  for (const auto* container : {"mp4", "avi", "matroska"}) {
    const film_recipe how{.codec = "mpeg4", .container = container, .format = small, .frames = 40};
    const auto file = dir / "other";
    make_film(file, how, drawn);
    const auto good = scratch::read(file);
    for (const auto part : {3, 5, 7})
      EXPECT_THAT(wrong_with(good.substr(0, good.size() * part / 10)), HasSubstr("bad.avi' "))
          << container << part;
    EXPECT_THAT(message_of([&] { apps::film_reader(file).next_packed(); }), HasSubstr("not in Motion JPEG"));
  }
  const film_recipe how{.codec = "libx264", .container = "mp4", .format = small, .frames = 40};
  if (!can_be_made(how)) return;
  const auto file = dir / "other";
  make_film(file, how, drawn);
  auto bad = scratch::read(file);
  const auto middle = std::midpoint(bad.find("mdat"), bad.find("moov"));
  for (auto at = middle; at < middle + 100; ++at) bad[at] = static_cast<char>(~bad[at]);
  EXPECT_THAT(wrong_with(bad), AllOf(HasSubstr("bad.avi' is damaged at frame "), HasSubstr(" of 40")));
}

// A list of films, which libavformat would play, whatever the places are.
TEST_F(Film, OpensNoOtherFile) {
  EXPECT_THAT(wrong_with("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://" + path.string() + "\n"),
              HasSubstr("is no film that can be read"));
  EXPECT_THAT(wrong_with("ffconcat version 1.0\nfile '" + path.string() + "'\n"),
              HasSubstr("is no film that can be read"));
}

TEST_F(Film, NamesWhatIsCutOff) {
  const auto good = scratch::read(path);
  const auto end = good.find("idx1");
  for (std::size_t size = 1; size < end; size += size < 250 ? 3 : 101)
    EXPECT_THAT(wrong_with(good.substr(0, size)), HasSubstr("bad.avi")) << size;
  EXPECT_THAT(wrong_with(good.substr(0, end - 2)), HasSubstr("bad.avi' is cut off at frame 4 of 4"));
  EXPECT_THAT(wrong_with(good.substr(0, end - 2), input_held::in_memory), HasSubstr("at frame 4 of 4"));
  EXPECT_THAT(wrong_with(good.substr(0, 260)), HasSubstr("is cut off at frame 1 of 4"));
}

TEST_F(Film, NamesWhatIsNoFilm) {
  const auto good = scratch::read(path);
  const auto changed = [&](std::size_t at, std::string_view bytes) {
    auto bad = good;
    return bad.replace(at, bytes.size(), bytes);
  };
  EXPECT_THAT(wrong_with(""), HasSubstr("bad.avi' is empty"));
  EXPECT_THAT(wrong_with("<some text>"), HasSubstr("bad.avi' is no film that can be read"));
  EXPECT_THAT(wrong_with(std::string(3, '\0') + "\x1C"
                                                "ftypisom, as an mp4 file starts"),
              HasSubstr("is no film that can be read"));
  EXPECT_THAT(wrong_with(changed(8, "WAVE")), HasSubstr("is no film that can be read"));
  EXPECT_THAT(wrong_with(changed(188, "H264")), HasSubstr("bad.avi' is damaged at frame 1 of 4"));
  EXPECT_THAT(wrong_with(changed(188, "what")),
              HasSubstr("bad.avi' has pictures in 'none', which libavcodec"));
  EXPECT_THAT(wrong_with(changed(108, "auds")), HasSubstr("bad.avi' has no pictures"));
  EXPECT_THAT(wrong_with(changed(228, "\xFF\xFF\xFF\x7F")), HasSubstr("bad.avi' is "));
  EXPECT_THAT(wrong_with(changed(232, "no")), HasSubstr("is damaged at frame 1 of 4"));
  EXPECT_THAT(wrong_with(changed(140, std::string("\x9\0\0\0", 4))), HasSubstr("is cut off at frame 5 of 9"));
  EXPECT_THAT(message_of([&] { apps::film_reader{dir / "none.avi"}; }), HasSubstr("none.avi"));
}

TEST_F(Film, ThatIsDamagedAnywhereIsRefusedOrRead) {
  // No damage makes the reader do anything else than to read or to refuse.
  const auto good = scratch::read(path);
  apps::random dice(1);
  for (std::size_t i = 0; i < 120; i += apart(3)) {
    auto bad = good;
    for (int k = 0; k < 3; ++k)
      bad[dice.below(i < 60 ? 240 : bad.size())] = static_cast<char>(dice.below(256));
    const auto file = dir.write("bad.avi", bad);
    try {
      apps::film_reader film(file);
      std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
      while (film.next(bgr.data())) {
      }
    } catch (const apps::error& e) {
      EXPECT_THAT(e.what(), HasSubstr("bad.avi"));
    }
  }
}

TEST_F(Film, IsNotWrittenUnlessItIsClosed) {
  const auto before = scratch::read(path);
  {
    apps::film_writer out(path, small);
    out.add(drawn(1).data());
  }
  EXPECT_EQ(scratch::read(path), before);
  apps::film_writer nothing(dir / "b.avi", small);
  EXPECT_THAT(message_of([&] { nothing.close(); }),
              HasSubstr("b.avi' is not written: it would have no frames"));
  EXPECT_FALSE(fs::exists(dir / "b.avi"));
  EXPECT_THAT(message_of([&] { apps::film_writer(dir / "none" / "b.avi", small); }), HasSubstr("none/b.avi"));
}

}  // namespace
