#include "apps/support/film/film.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/error.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/numbers.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace fs = std::filesystem;
using apps::input_held;
using testing::AllOf;
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
      const auto should = drawn(i);
      double wrong = 0;
      for (std::size_t at = 0; at < bgr.size(); ++at) wrong += std::abs(bgr[at] - should[at]);
      EXPECT_LT(wrong / static_cast<double>(bgr.size()), 4) << i;
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
  EXPECT_THAT(wrong_with(std::string(3, '\0') + "\x1C"
                                                "ftypisom, as an mp4 file starts"),
              HasSubstr("is no AVI film"));
  EXPECT_THAT(wrong_with(changed(8, "WAVE")), HasSubstr("is no AVI film"));
  EXPECT_THAT(wrong_with(changed(188, "H264")), AllOf(HasSubstr("'H264'"), HasSubstr("ffmpeg")));
  EXPECT_THAT(wrong_with(changed(108, "auds")), HasSubstr("has no pictures in Motion JPEG"));
  EXPECT_THAT(wrong_with(changed(176, std::string(4, '\0'))),
              HasSubstr("is damaged: its pictures are 0 x 38"));
  EXPECT_THAT(wrong_with(changed(132, std::string(4, '\0'))), HasSubstr("no rate of frames"));
  EXPECT_THAT(wrong_with(changed(140, std::string(4, '\0'))), HasSubstr("has no frames"));
  EXPECT_THAT(wrong_with(changed(228, "\xFF\xFF\xFF\x7F")), HasSubstr("chunk '00dc' is too large"));
  EXPECT_THAT(wrong_with(changed(232, "no")), HasSubstr("is damaged at frame 1 of 4"));
  EXPECT_THAT(wrong_with(changed(176, std::string("\x33\0\0\0", 4))), HasSubstr("is damaged at frame 1"));
  EXPECT_THAT(message_of([&] { apps::film_reader{dir / "none.avi"}; }), HasSubstr("none.avi"));
}

TEST_F(Film, ThatIsDamagedAnywhereIsRefusedOrRead) {
  // No damage makes the reader do anything else than to read or to refuse.
  const auto good = scratch::read(path);
  apps::random dice(1);
  for (int i = 0; i < 120; ++i) {
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
