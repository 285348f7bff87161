#include "apps/person_recognition/person_recognition.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
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

#include "apps/person_recognition/crowd.hpp"
#include "apps/person_recognition/inputs.hpp"
#include "apps/support/hash.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"
#include "text_files.hpp"

namespace fs = std::filesystem;
namespace person = apps::person_recognition;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Two people side by side; number 0 is the wanted one.
cv::Mat pair_of(std::uint32_t left, std::uint32_t right, int seed = 1) {
  person::stage set(static_cast<std::uint64_t>(seed), {320, 180});
  auto bgr = set.draw(0, {{.person = left, .x = 90, .y = 76, .height = 90, .looks = {}},
                          {.person = right, .x = 230, .y = 80, .height = 100, .looks = {}}});
  return cv::Mat(180, 320, CV_8UC3, bgr.data()).clone();
}

cv::Mat grey_of(const cv::Mat& picture) {
  cv::Mat grey;
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  return grey;
}

void write_jpeg(const fs::path& file, const cv::Mat& picture) {
  apps::jpeg_encoder encode(90);
  write(file, encode(picture.data, {picture.cols, picture.rows}));
}

// --- Local binary patterns

TEST(PersonPatterns, CountThePixelsOfEachCell) {
  cv::Mat noise(120, 90, CV_8UC1);
  cv::randu(noise, 0, 256);
  const auto made = person::patterns_of(noise);
  for (std::size_t cell = 0; cell < person::cells * person::cells; ++cell) {
    const auto* first = made.data() + cell * person::pattern_count;
    EXPECT_EQ(std::accumulate(first, first + person::pattern_count, 0), person::pixels_of_cell) << cell;
  }
}

TEST(PersonPatterns, AreThoseOfEdges) {
  // No neighbour is brighter in a flat picture: the first pattern, 0.
  const auto flat = person::patterns_of(cv::Mat(96, 96, CV_8UC1, cv::Scalar(100)));
  for (int cell = 0; cell < 64; ++cell)
    EXPECT_EQ(flat[static_cast<std::size_t>(cell) * person::pattern_count], person::pixels_of_cell);
  // It gets brighter to the right: the three neighbours there, bits 5, 4 and 3, are one uniform pattern.
  cv::Mat slope(98, 98, CV_8UC1);
  for (int x = 0; x < 98; ++x) slope.col(x) = 2 * x + 10;
  const auto made = person::patterns_of(slope);
  int number = 0;
  for (int bits = 0; bits < 0b00111000; ++bits) {
    int changes = 0;
    for (int i = 0; i < 8; ++i) changes += (bits >> i & 1) != (bits >> (i + 1) % 8 & 1) ? 1 : 0;
    number += changes <= 2 ? 1 : 0;
  }
  EXPECT_EQ(made[static_cast<std::size_t>(27 * person::pattern_count + number)], person::pixels_of_cell);
}

TEST(PersonPatterns, DistanceIsChiSquare) {
  cv::Mat a(96, 96, CV_8UC1), b(96, 96, CV_8UC1);
  cv::randu(a, 0, 256);
  cv::randu(b, 0, 256);
  const auto one = person::patterns_of(a), other = person::patterns_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double both = one[i] + other[i], off = one[i] - other[i];
    if (both > 0) sum += off * off / both;
  }
  const double most = 2 * 96 * 96;
  EXPECT_NEAR(person::distance(one, other), sum * 1000 / most, 2);
  EXPECT_EQ(person::distance(other, one), person::distance(one, other));
  EXPECT_EQ(person::distance(one, one), 0);
  const auto flat = person::patterns_of(cv::Mat(96, 96, CV_8UC1, cv::Scalar(9)));
  auto nothing_alike = flat;
  std::ranges::rotate(nothing_alike, nothing_alike.begin() + 1);
  EXPECT_EQ(person::distance(flat, nothing_alike), 1000);
}

TEST(PersonPatterns, DependLittleOnLight) {
  const auto grey = grey_of(pair_of(0, 1))(cv::Rect(60, 45, 60, 60));
  cv::Mat dark;
  grey.convertTo(dark, -1, 0.7, 5);
  const auto other = grey_of(pair_of(2, 1))(cv::Rect(60, 45, 60, 60));
  const auto looks = person::patterns_of(grey);
  EXPECT_LT(2 * person::distance(looks, person::patterns_of(dark)),
            person::distance(looks, person::patterns_of(other)));
}

// --- Faces, gallery, operators

TEST(PersonFaces, AreFoundFromTopToBottom) {
  cv::setNumThreads(1);
  person::detect detect(person::usual_cascade());
  person::frame item;
  item.picture = pair_of(0, 1);
  const auto made = detect(item);
  ASSERT_EQ(made.faces.size(), 2U);
  EXPECT_LT(made.faces[0].where.y, made.faces[1].where.y);
  EXPECT_TRUE(made.faces[0].where.contains({90, 76}));
  EXPECT_TRUE(made.faces[1].where.contains({230, 80}));
  EXPECT_EQ(made.grey.size(), item.picture.size());
  item.picture = cv::Mat(180, 320, CV_8UC3, cv::Scalar(90, 100, 110));
  EXPECT_TRUE(detect(item).faces.empty());
  for (const auto& [width, height] : {std::pair(1, 1), {30, 10}, {41, 60}}) {
    item.picture = cv::Mat(height, width, CV_8UC3, cv::Scalar(0, 0, 0));
    EXPECT_TRUE(detect(item).faces.empty());
  }
}

class Person : public testing::Test {
 protected:
  Person() { cv::setNumThreads(1); }

  /// A gallery of two people, two pictures of each.
  void make_gallery() const {
    for (const auto& [name, number] : {std::pair("wanted-", 0U), {"some-one-", 1U}}) {
      const auto both = pair_of(number, number);
      write_jpeg(dir / (std::string(name) + "1.jpg"), both(cv::Rect(0, 0, 160, 180)).clone());
      write_jpeg(dir / (std::string(name) + "2.jpg"), both(cv::Rect(160, 0, 160, 180)).clone());
    }
  }
  scratch dir;
  person::face_finder find{person::usual_cascade()};
};

TEST_F(Person, IsRecognizedAndGetsACircle) {
  make_gallery();
  const person::gallery known(dir.path(), find);
  EXPECT_EQ(known.size(), 4U);
  EXPECT_TRUE(known.left_out().empty());
  person::detect detect(person::usual_cascade());
  const person::recognize recognize(known);
  person::frame item;
  item.picture = pair_of(0, 1);
  const auto before = item.picture.clone();
  const auto made = recognize(detect(item));
  ASSERT_EQ(made.faces.size(), 2U);
  EXPECT_TRUE(made.faces[0].wanted);
  EXPECT_FALSE(made.faces[1].wanted);
  EXPECT_LT(made.faces[0].distance, 215);
  EXPECT_TRUE(made.grey.empty());
  cv::Mat changed;
  cv::inRange(made.picture, cv::Scalar(0, 255, 0), cv::Scalar(0, 255, 0), changed);
  const auto circle = cv::boundingRect(changed);
  const auto& face = made.faces[0].where;
  EXPECT_NEAR(circle.width, face.width * 1.2, 5);
  EXPECT_NEAR(2 * circle.x + circle.width, 2 * face.x + face.width, 4);
  EXPECT_EQ(
      cv::norm(made.picture(cv::Rect(180, 0, 140, 180)), before(cv::Rect(180, 0, 140, 180)), cv::NORM_L1), 0);
}

TEST_F(Person, MayBeAnybodyInTheGallery) {
  make_gallery();
  const person::gallery known(dir.path(), find, "some-one");
  person::frame item;
  item.picture = pair_of(0, 1);
  const auto made = person::recognize(known)(person::detect(person::usual_cascade())(item));
  ASSERT_EQ(made.faces.size(), 2U);
  EXPECT_FALSE(made.faces[0].wanted);
  EXPECT_TRUE(made.faces[1].wanted);
}

TEST_F(Person, GalleryLeavesOutWhatShowsNoFace) {
  make_gallery();
  write_jpeg(dir / "wanted-3.jpg", cv::Mat(160, 160, CV_8UC3, cv::Scalar(90, 90, 90)));
  dir.write("notes.txt", "none");
  const person::gallery known(dir.path(), find);
  EXPECT_EQ(known.size(), 4U);
  EXPECT_THAT(known.left_out(), ElementsAre(dir / "wanted-3.jpg"));
}

TEST_F(Person, GalleryNamesWhatItCannotUse) {
  const auto wrong = [&](const fs::path& folder) {
    return message_of([&] { person::gallery{folder, find}; });
  };
  EXPECT_THAT(wrong(dir / "none"), HasSubstr("none'"));
  EXPECT_THAT(wrong(dir.path()), HasSubstr("has no picture that shows the face of 'wanted': 'wanted-*.jpg'"));
  make_gallery();
  const auto good = scratch::read(dir / "wanted-1.jpg");
  dir.write("bad.jpg", "no picture");
  EXPECT_THAT(wrong(dir.path()), HasSubstr("bad.jpg' is no JPEG picture"));
  dir.write("bad.jpg", "");
  EXPECT_THAT(wrong(dir.path()), HasSubstr("bad.jpg' is no JPEG picture"));
  dir.write("bad.jpg", good.substr(0, good.size() / 2));
  EXPECT_THAT(wrong(dir.path()), HasSubstr("bad.jpg' is damaged"));
}

TEST_F(Person, CascadeThatIsNoneIsNamed) {
  const auto wrong = [&](const fs::path& file) { return message_of([&] { person::detect{file}; }); };
  EXPECT_THAT(wrong(dir / "none.xml"), HasSubstr("none.xml"));
  const auto good = scratch::read(person::usual_cascade());
  for (const auto& text : {std::string(), std::string("text"),
                           std::string("<?xml version=\"1.0\"?>\n<opencv_storage>\n"
                                       "<a>1</a>\n</opencv_storage>\n"),
                           good.substr(0, good.size() / 2)})
    EXPECT_THAT(wrong(dir.write("bad.xml", text)), HasSubstr("bad.xml' is no cascade that OpenCV can read"));
}

// --- The crowd and its film

TEST(PersonCrowd, HasPhasesWithManyFacesAndWithNone) {
  const auto film = person::crowd(3, 60, 10, person::film_size);
  std::set<std::size_t> sizes;
  for (std::size_t i = 0; i < film.size(); ++i) {
    std::set<std::uint32_t> there;
    for (const auto& one : film[i]) there.insert(one.person);
    EXPECT_EQ(there.size(), film[i].size()) << "somebody is there twice in frame " << i;
    EXPECT_EQ(there.contains(0), i / 10 != 1 && i / 10 != 4) << i;
    sizes.insert(film[i].size());
    if (i % 10 == 0) continue;
    for (std::size_t k = 0; k < film[i].size(); ++k) {
      EXPECT_EQ(film[i][k].person, film[i - 1][k].person);
      EXPECT_LE(std::abs(film[i][k].x - film[i - 1][k].x), 1);
      EXPECT_LE(std::abs(film[i][k].y - film[i - 1][k].y), 3);
    }
  }
  EXPECT_THAT(sizes, ElementsAre(0, 1, 2, 3, 4, 6));
}

TEST(PersonCrowd, KnowsWhoIsHidden) {
  int hidden = 0, seen = 0;
  for (const auto& people : person::crowd(5, 300, 5, person::film_size))
    for (std::size_t i = 0; i < people.size(); ++i) {
      (people[i].hidden ? hidden : seen)++;
      for (std::size_t k = i + 1; k < people.size(); ++k) {
        const bool close = std::abs(people[i].x - people[k].x) < people[i].height / 2 &&
                           std::abs(people[i].y - people[k].y) < people[i].height / 2;
        if (close) {
          EXPECT_TRUE(people[i].hidden);
        }
      }
    }
  EXPECT_GT(hidden, 50);
  EXPECT_GT(seen, hidden);
}

TEST(PersonPortrait, IsOfOnePersonInAnyPose) {
  // A person is described by the number alone, and most numbers give other people.
  EXPECT_EQ(person::person(1, 4).skin, person::person(1, 4).skin);
  std::set<std::pair<int, int>> noses;
  for (std::uint32_t i = 0; i < person::persons; ++i)
    noses.emplace(person::person(1, i).nose_width, person::person(1, i).nose_length);
  EXPECT_GE(noses.size(), person::persons - 1);
  // Nothing is drawn beyond 620, and the middle is always covered.
  const person::portrait face(person::person(1, 2), {.turn = 45, .tilt = 60, .mouth = 26, .brows = 14});
  person::colour seen;
  for (int at = -640; at <= 640; at += 16)
    for (const auto& [x, y] : {std::pair(at, -621), {at, 621}, {-621, at}, {621, at}})
      EXPECT_EQ(face.at(x, y, seen), 0) << x << " " << y;
  EXPECT_EQ(face.at(0, 0, seen), 256);
}

// --- Input, output, verifier

/// The input `test`, made once.
class PersonInput : public Person {
 protected:
  static void SetUpTestSuite() {
    input = std::make_unique<scratch>();
    person::generate("test", input->path(), [](std::uint64_t done, std::uint64_t all) {
      EXPECT_EQ(all, 9U);
      told = done;
    });
  }
  static void TearDownTestSuite() { input.reset(); }
  static fs::path film() { return *input / person::film_file; }

  static inline std::unique_ptr<const scratch> input;
  static inline std::uint64_t told = 0;
};

TEST_F(PersonInput, IsTheSameOnEveryMachine) {
  EXPECT_EQ(apps::hash_of_file(film()), "e028e14a3fa8c7681230e7be2d0f6f4d3f9f4c59e0c046d2ba7563b7da513642");
  EXPECT_EQ(apps::hash_of_file(*input / person::truth_file),
            "549074d70842453b0b14702b497a0cc99ba1d6ef557e8e4b967b6b0c8a8c3753");
  apps::hasher pictures;
  std::vector<fs::path> files(fs::directory_iterator(input->path()), {});
  std::ranges::sort(files);
  for (const auto& file : files)
    if (file.extension() == ".jpg") pictures.add(scratch::read(file));
  EXPECT_EQ(pictures.hex(), "559d1c6bd91c391f4099032b6b5b8ac1935004116ed91234411cb001c0c30b0e");
  EXPECT_EQ(files.size(), 2U + 16 + 15 * 4);
  EXPECT_EQ(told, 9U);
}

// One case, as what it needs takes a second to make.
TEST_F(PersonInput, VerifierAcceptsASequentialRunAndNothingElse) {
  const auto output = dir / "found.avi";
  const person::gallery known(input->path(), find);
  {
    person::source source(film());
    person::detect detect(person::usual_cascade());
    const person::recognize recognize(known);
    person::sink sink(output, source);
    while (auto frame = source()) sink(recognize(detect(std::move(*frame))));
    EXPECT_FALSE(fs::exists(output));
    sink.close();
  }
  const auto [good, says] = person::verify("test", input->path(), output);
  EXPECT_TRUE(good) << says;
  EXPECT_THAT(says, HasSubstr("9 frames, bit by bit; precision 1.00, recall 1.00"));

  const auto refused = [&](const fs::path& file, const std::string& what) {
    const auto verdict = person::verify("test", input->path(), file);
    EXPECT_FALSE(verdict.good);
    EXPECT_THAT(verdict.says, HasSubstr(what));
  };
  refused(film(), "crowd.avi: frame 0 is not what the operators give");
  std::vector<std::string> frames;
  apps::film_reader from(output), untouched(film());
  for (auto frame = from.next_packed(); !frame.empty(); frame = from.next_packed())
    frames.emplace_back(frame);
  frames.emplace_back((untouched.next_packed(), untouched.next_packed()));
  const auto film_of = [&](const std::vector<std::size_t>& numbers) {
    apps::film_writer out(dir / "out.avi", from.format());
    for (const auto i : numbers) out.add_packed(frames.at(i));
    out.close();
    return dir / "out.avi";
  };
  refused(film_of({0, 1, 2, 3, 4, 5, 6, 7}), "out.avi: it has 8 frames instead of 9");
  refused(film_of({1, 0, 2, 3, 4, 5, 6, 7, 8}), "out.avi: frame 0 shows something else");
  refused(film_of({0, 9, 2, 3, 4, 5, 6, 7, 8}), "out.avi: frame 1 is not what the operators give");

  // Other truths, under which the circles are wrong, or too few.
  const auto copy = dir / "copy";
  fs::copy(input->path(), copy);
  const auto lines = lines_of(*input / person::truth_file);
  const auto with_truth = [&](const std::vector<std::string>& truth) {
    write_lines(copy / person::truth_file, truth);
    return person::verify("test", copy, output);
  };
  auto truth = lines;
  for (auto& line : truth)
    if (line[2] == '0') line[2] = '9';
  EXPECT_THAT(with_truth(truth).says,
              HasSubstr("precision 0.00, recall 0.00: may not be below 0.75 and 0.60"));
  truth = lines;
  for (int i = 0; i < 6; ++i) truth.emplace_back("2,0,320,180,90,seen");
  const auto few = with_truth(truth);
  EXPECT_FALSE(few.good);
  EXPECT_THAT(few.says, HasSubstr("precision 1.00, recall 0.40"));
  const auto complaint = [&](const std::string& line) { return message_of([&] { with_truth({line}); }); };
  for (const auto* line :
       {"9,0,1,1,1,seen", "-1,0,1,1,1,seen", "0,0,1,1,1,lost", "0,0,1,1,1,seen,1", "0,0,x,1,1,seen", "0"})
    EXPECT_THAT(complaint(line), HasSubstr("faces.csv:1: ")) << line;
  EXPECT_THAT(message_of([&] { person::verify("test", copy, dir / "none.avi"); }), HasSubstr("none.avi"));
  EXPECT_THAT(message_of([&] { person::verify("tset", copy, output); }), HasSubstr("'tset'"));
}

TEST(PersonAbout, NamesInputsAndOperators) {
  const auto& about = person::about();
  EXPECT_EQ(about.name, "person_recognition");
  EXPECT_THAT(about.operators, ElementsAre("source", "detect", "recognize", "sink"));
  EXPECT_THAT(about.inputs, testing::ElementsAreArray(apps::classes));
  EXPECT_THAT(message_of([&] { about.generate("none", "", {}); }), HasSubstr("'none'"));
}

}  // namespace
