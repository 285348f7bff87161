#include "apps/ferret/ferret.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/ferret/earth_mover.hpp"
#include "apps/ferret/inputs.hpp"
#include "apps/ferret/scenes.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "text_files.hpp"

namespace fs = std::filesystem;
namespace ferret = apps::ferret;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A picture made pixel by pixel.
template <class F> ferret::picture painted(std::uint32_t width, std::uint32_t height, F colour) {
  ferret::picture made{.width = width, .height = height, .rgb = {}};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      for (const int channel : colour(x, y)) made.rgb.push_back(static_cast<std::uint8_t>(channel));
  return made;
}

ferret::picture noise(std::uint32_t width, std::uint32_t height) {
  apps::random dice(width * 1000 + height);
  const auto byte = [&] { return static_cast<int>(dice.below(256)); };
  return painted(width, height, [&](auto, auto) { return std::vector{byte(), byte(), byte()}; });
}

ferret::signature described(const ferret::picture& shown) {
  ferret::segmenter divide;
  return ferret::describe(shown, divide(shown));
}

ferret::features random_features(apps::random& dice) {
  ferret::features made;
  for (std::size_t i = 0; i < ferret::dimensions; ++i)
    made.values[i] = static_cast<std::int16_t>(dice.below(ferret::most_feature + 1));
  return made;
}

ferret::signature random_signature(apps::random& dice, std::size_t regions) {
  ferret::signature made;
  std::uint32_t left = ferret::unit_weight;
  for (std::size_t i = 0; i < regions; ++i) {
    made.regions.push_back(random_features(dice));
    const auto rest = static_cast<std::uint32_t>(regions - i - 1);
    const auto weight = rest == 0 ? left : 1 + static_cast<std::uint32_t>(dice.below(left - rest));
    made.weights.push_back(static_cast<std::uint16_t>(weight));
    left -= weight;
  }
  return made;
}

ferret::database random_database(std::uint32_t size) {
  apps::random dice(size);
  ferret::database made;
  for (std::uint32_t i = 0; i < size; ++i)
    made.add("picture " + std::to_string(i), random_signature(dice, 1 + dice.below(16)));
  return made;
}

std::vector<std::uint32_t> all_of(const ferret::database& collection) {
  std::vector<std::uint32_t> all(collection.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

class Ferret : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "ferret_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path file(std::string_view name, std::string_view text) const {
    write(folder / name, text);
    return folder / name;
  }

  fs::path folder;
};

// --- Pictures and packs

TEST_F(Ferret, PpmIsReadAsItWasWritten) {
  for (const auto& one : {noise(1, 1), noise(7, 3), ferret::draw_scene(1, 2, 3)}) {
    ferret::write_ppm(one, folder / "a.ppm");
    EXPECT_EQ(ferret::read_ppm(folder / "a.ppm"), one);
  }
}

TEST_F(Ferret, PpmMayHaveComments) {
  const auto read = ferret::read_ppm(file("a.ppm", "P6 # made by hand\n# 3 4\n2\t1 255\nabcdef"));
  EXPECT_EQ(read, painted(2, 1, [](auto x, auto) {
              return std::vector{'a' + 3 * int(x), 'b' + 3 * int(x), 'c' + 3 * int(x)};
            }));
}

TEST_F(Ferret, PpmThatCannotBeReadIsNamed) {
  const auto wrong_with = [&](std::string_view text) {
    const auto path = file("bad.ppm", text);
    return message_of([&] { ferret::read_ppm(path); });
  };
  for (const std::string_view text :
       {"", "P5 1 1 255 a", "P6", "P6 2 1", "P6 2 1 255", "P6 2 1 255\nabcde", "P6 0 1 255\n",
        "P6 x 1 255\nabc", "P6 2 1 65535\nabcdef", "P6 100000 100000 255\nabc"})
    EXPECT_THAT(wrong_with(text), HasSubstr("bad.ppm")) << text;
  EXPECT_THAT(wrong_with(""), HasSubstr("empty"));
  EXPECT_THAT(wrong_with("P6 2 1 255\nabcde"), HasSubstr("cut off"));
  EXPECT_THAT(message_of([&] { ferret::read_ppm(folder / "none.ppm"); }), HasSubstr("none.ppm"));
}

TEST(FerretCodec, GivesBackWhatItPacked) {
  const auto flat = painted(50, 20, [](auto, auto) { return std::vector{9, 200, 255}; });
  const auto extremes = painted(33, 9, [](auto x, auto y) {
    return (x * 7 + y * 3) % 5 < 2 ? std::vector{0, 255, 0} : std::vector{255, 0, 255};
  });
  for (const auto& one : {noise(1, 1), noise(1, 40), noise(40, 1), noise(67, 31), flat, extremes,
                          ferret::draw_scene(3, 1, 4)}) {
    const auto packed = ferret::encode(one);
    ferret::picture unpacked{.width = one.width, .height = one.height, .rgb = {}};
    EXPECT_TRUE(ferret::decode(apps::view(packed), unpacked));
    EXPECT_EQ(unpacked, one);
    EXPECT_FALSE(ferret::decode(apps::view(packed).substr(1), unpacked));
    EXPECT_FALSE(ferret::decode(std::string(apps::view(packed)) + "12", unpacked));
  }
  EXPECT_LT(ferret::encode(flat).size(), flat.rgb.size() / 7);
  // No room is made for what so few bytes cannot hold.
  ferret::picture vast;
  vast.width = vast.height = 8'000;
  EXPECT_FALSE(ferret::decode("few bytes", vast));
  EXPECT_TRUE(vast.rgb.empty());
  EXPECT_LT(ferret::encode(ferret::draw_scene(3, 1, 4)).size(), 3 * 160 * 240 * 2 / 3);
}

class FerretPack : public Ferret {
 protected:
  void SetUp() override {
    Ferret::SetUp();
    path = folder / "some.pack";
    ferret::pack_writer out(path, 3);
    out.add("a.ppm", noise(5, 6));
    out.add("", noise(1, 1));
    out.add("c.ppm", noise(70, 2));
    EXPECT_FALSE(fs::exists(path));
    out.close();
  }
  std::string wrong_with(std::string_view bytes) const {
    write(path, bytes);
    return message_of([&] {
      ferret::source next(path);
      while (next()) {
      }
    });
  }
  fs::path path;
};

TEST_F(FerretPack, SourceGivesItsPictures) {
  for (const auto held : {ferret::input_held::on_disk, ferret::input_held::in_memory}) {
    ferret::source next(path, held);
    const auto a = next(), b = next(), c = next();
    EXPECT_EQ(next(), std::nullopt);
    ASSERT_TRUE(a && b && c);
    EXPECT_THAT((std::vector{a->name, b->name, c->name}), ElementsAre("a.ppm", "", "c.ppm"));
    EXPECT_THAT((std::vector{a->number, b->number, c->number}), ElementsAre(0, 1, 2));
    EXPECT_EQ(a->shown, noise(5, 6));
    EXPECT_EQ(b->shown, noise(1, 1));
    EXPECT_EQ(c->shown, noise(70, 2));
  }
}

TEST_F(FerretPack, SourceNamesWhatIsCutOffOrDamaged) {
  const auto good = read(path);
  for (std::size_t size = 1; size < good.size(); size += size < 60 ? 1 : 37)
    EXPECT_THAT(wrong_with(good.substr(0, size)), HasSubstr("some.pack")) << size;
  EXPECT_THAT(wrong_with(good.substr(0, good.size() - 1)), HasSubstr("is cut off at picture 3 of 3"));
  for (std::size_t at = 12; at < good.size(); at += at < 60 ? 1 : 37) {
    if (at >= 30 && at < 35) continue;  // in a name
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 64);
    EXPECT_THAT(wrong_with(bad), HasSubstr("some.pack")) << at;
  }
  EXPECT_THAT(wrong_with(""), HasSubstr("is empty"));
  EXPECT_THAT(wrong_with("PICPACK2 and so on"), HasSubstr("is no pack"));
}

TEST_F(Ferret, SourceGivesTheFilesOfAFolderByName) {
  ferret::write_ppm(noise(2, 2), folder / "b.ppm");
  ferret::write_ppm(noise(3, 3), folder / "a.ppm");
  write(folder / "notes.txt", "none");
  ferret::source next(folder);
  const auto a = next(), b = next();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->name, "a.ppm");
  EXPECT_EQ(a->shown, noise(3, 3));
  EXPECT_EQ(b->name, "b.ppm");
  EXPECT_EQ(b->number, 1U);
  EXPECT_FALSE(next());
  ferret::source single(folder / "b.ppm");
  EXPECT_EQ(single()->shown, noise(2, 2));
  EXPECT_FALSE(single());
}

TEST_F(Ferret, SourceNamesTheFileThatItCannotRead) {
  EXPECT_THAT(message_of([&] { ferret::source{folder}; }), HasSubstr(folder.string()));
  EXPECT_THAT(message_of([&] { ferret::source(folder / "none.pack"); }), HasSubstr("none.pack"));
  EXPECT_THAT(message_of([&] { ferret::source(folder / "none.ppm"); }), HasSubstr("none.ppm"));
  file("bad.ppm", "P6 1");
  EXPECT_THAT(message_of([&] { ferret::source(folder, ferret::input_held::in_memory); }),
              HasSubstr("bad.ppm"));
}

// --- Segmentation

TEST(FerretSegmentation, SeparatesColours) {
  const auto shown = painted(60, 40, [](auto x, auto y) {
    if (x >= 10 && x < 30 && y >= 10 && y < 30) return std::vector{250, 240, 20};
    return x < 40 ? std::vector{20, 40, 200} : std::vector{20, 160, 60};
  });
  ferret::segmenter divide;
  for (int again = 0; again < 2; ++again) {
    const auto made = divide(shown);
    ASSERT_EQ(made.region.size(), 2400U);
    const auto at = [&](std::size_t x, std::size_t y) { return int{made.region[y * 60 + x]}; };
    // Where colours meet, what was smoothed may be a region of its own.
    EXPECT_EQ(at(0, 0), 0);
    EXPECT_EQ(at(5, 20), 0);
    EXPECT_EQ(at(35, 20), 0);
    EXPECT_NE(at(20, 20), 0);
    EXPECT_EQ(at(20, 20), at(14, 25));
    EXPECT_NE(at(50, 5), 0);
    EXPECT_NE(at(50, 5), at(20, 20));
    EXPECT_EQ(at(50, 5), at(59, 39));
  }
}

TEST(FerretSegmentation, TakesPicturesOfAnySize) {
  ferret::segmenter divide;
  for (const auto& [width, height] :
       {std::pair(1U, 1U), {1U, 9U}, {2U, 2U}, {3U, 1U}, {300U, 2U}, {64U, 64U}}) {
    const auto made = divide(noise(width, height));
    EXPECT_GE(made.count, 1U);
    EXPECT_LE(made.count, ferret::most_regions);
    ASSERT_EQ(made.region.size(), width * height);
    EXPECT_EQ(*std::ranges::max_element(made.region) + 1U, made.count);
    EXPECT_EQ(made.region[0], 0);
  }
}

TEST(FerretSegmentation, RemembersNothing) {
  ferret::segmenter used, fresh;
  used(noise(100, 100));
  const auto shown = ferret::draw_scene(1, 1, 1);
  const auto a = used(shown), b = fresh(shown);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.region, b.region);
}

// --- Extract

TEST(FerretExtract, DescribesColoursAndBoxes) {
  // Left a quarter in grey, on the right two greys in turn.
  const auto shown = painted(40, 20, [](auto x, auto) {
    const int grey = x < 10 ? 100 : x % 3 == 0 ? 200 : 50;
    return std::vector{grey, grey, grey};
  });
  ferret::segments divided{.region = std::vector<std::uint8_t>(800), .count = 2};
  for (std::size_t i = 0; i < 800; ++i) divided.region[i] = i % 40 >= 10;
  const auto made = ferret::describe(shown, divided);
  ASSERT_EQ(made.regions.size(), 2U);
  // Mean, deviation and skewness of luminance and chrominance; proportions, box, filled, centre.
  EXPECT_THAT(made.regions[0].values, ElementsAre(600, 0, 512, 768, 0, 512, 768, 0, 512,  //
                                                  200, 150, 300, 67, 285, 0, 0));
  // 50 and 200 in two to one: mean 100, variance 5000, third moment 250000.
  EXPECT_THAT(made.regions[1].values, ElementsAre(600, 424, 637, 768, 0, 512, 768, 0, 512,  //
                                                  360, 450, 300, 367, 285, 0, 0));
  // Sizes are one to three.
  EXPECT_THAT(made.weights, ElementsAre(367, 633));
}

TEST(FerretExtract, GivesWhatFits) {
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto made = described(i < 10 ? ferret::draw_scene(9, i, i) : noise(i * 3 - 29, 31 - i));
    EXPECT_EQ(std::accumulate(made.weights.begin(), made.weights.end(), 0U), ferret::unit_weight);
    EXPECT_EQ(made.weights.size(), made.regions.size());
    for (const auto& region : made.regions) {
      for (const auto value : region.values) EXPECT_TRUE(value >= 0 && value <= ferret::most_feature);
      EXPECT_EQ(region.values[14], 0);
      EXPECT_EQ(region.values[15], 0);
    }
  }
}

// --- Distances

TEST(FerretDistance, IsTheSumOfDifferences) {
  apps::random dice(1);
  for (int i = 0; i < 200; ++i) {
    const auto a = random_features(dice), b = random_features(dice);
    int sum = 0;
    for (std::size_t d = 0; d < ferret::dimensions; ++d) sum += std::abs(a.values[d] - b.values[d]);
    EXPECT_EQ(ferret::distance(a, b), sum);
    EXPECT_EQ(ferret::distance(b, a), sum);
  }
  ferret::features low, high;
  std::fill_n(high.values.begin(), ferret::dimensions, ferret::most_feature);
  EXPECT_EQ(ferret::distance(low, high), 14 * 2047);
}

TEST(FerretDistance, OfTheEarthMoverIsTheLeastWork) {
  // With four weights of a quarter it is the cheapest of all assignments.
  apps::random dice(2);
  for (int i = 0; i < 200; ++i) {
    auto a = random_signature(dice, 4), b = random_signature(dice, 4);
    a.weights = b.weights = {250, 250, 250, 250};
    std::vector<std::size_t> to{0, 1, 2, 3};
    std::uint32_t least = 0xFFFFFFFF;
    do {
      std::uint32_t work = 0;
      for (std::size_t r = 0; r < 4; ++r) work += 250U * ferret::distance(a.regions[r], b.regions[to[r]]);
      least = std::min(least, work);
    } while (std::ranges::next_permutation(to).found);
    EXPECT_EQ(ferret::earth_mover_distance(a, b), least);
  }
}

TEST(FerretDistance, OfTheEarthMoverMayDivideRegions) {
  // A region in parts that are in other places of the list is the same region.
  apps::random dice(3);
  for (int i = 0; i < 200; ++i) {
    const auto whole = random_signature(dice, 1 + dice.below(8));
    const auto other = random_signature(dice, 1 + dice.below(16));
    ferret::signature parts;
    for (std::size_t r = whole.regions.size(); r-- > 0;) {
      const auto first = static_cast<std::uint16_t>(dice.below(whole.weights[r] + 1U));
      parts.regions.insert(parts.regions.end(), 2, whole.regions[r]);
      parts.weights.push_back(first);
      parts.weights.push_back(static_cast<std::uint16_t>(whole.weights[r] - first));
    }
    EXPECT_EQ(ferret::earth_mover_distance(whole, parts), 0U);
    EXPECT_EQ(ferret::earth_mover_distance(whole, other), ferret::earth_mover_distance(parts, other));
  }
}

TEST(FerretDistance, OfTheEarthMoverIsAMetric) {
  apps::random dice(4);
  for (int i = 0; i < 200; ++i) {
    const auto a = random_signature(dice, 1 + dice.below(16)), b = random_signature(dice, 1 + dice.below(16)),
               c = random_signature(dice, 1 + dice.below(16));
    const auto ab = ferret::earth_mover_distance(a, b), bc = ferret::earth_mover_distance(b, c);
    EXPECT_EQ(ferret::earth_mover_distance(b, a), ab);
    EXPECT_LE(ferret::earth_mover_distance(a, c), ab + bc);
    EXPECT_EQ(ferret::earth_mover_distance(a, a), 0U);
  }
}

// --- Database, vectorization, rank

TEST_F(Ferret, DatabaseIsLoadedAsItWasSaved) {
  const auto saved = random_database(70);
  saved.save(folder / "a.features");
  const auto loaded = ferret::database::load(folder / "a.features");
  ASSERT_EQ(loaded.size(), 70U);
  for (std::uint32_t i = 0; i < 70; ++i) {
    EXPECT_EQ(loaded.name(i), "picture " + std::to_string(i));
    EXPECT_TRUE(std::ranges::equal(loaded[i].regions, saved[i].regions));
    EXPECT_TRUE(std::ranges::equal(loaded[i].weights, saved[i].weights));
  }
  EXPECT_TRUE(std::ranges::equal(loaded.pictures(), saved.pictures()));
  EXPECT_EQ(loaded.pictures().back(), 69U);
}

TEST_F(Ferret, DatabaseThatIsCutOffOrDamagedIsNamed) {
  random_database(5).save(folder / "a.features");
  const auto good = read(folder / "a.features");
  const auto wrong_with = [&](std::string_view bytes) {
    const auto path = file("b.features", bytes);
    return message_of([&] { ferret::database::load(path); });
  };
  for (std::size_t size = 0; size < good.size(); size += 13)
    EXPECT_THAT(wrong_with(good.substr(0, size)), HasSubstr("b.features")) << size;
  for (std::size_t at = 0; at < good.size(); at += at < 60 ? 1 : 13) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_THAT(wrong_with(bad), HasSubstr("b.features")) << at;
  }
  EXPECT_THAT(wrong_with(good + "x"), HasSubstr("damaged"));
  EXPECT_THAT(message_of([&] { ferret::database::load(folder / "none.features"); }),
              HasSubstr("none.features"));
  EXPECT_THAT(message_of([&] { random_database(1).save(folder / "none" / "a"); }), HasSubstr("none/a"));
}

TEST(FerretVectorization, IndexHasEachRegionInEachTable) {
  const auto collection = random_database(500);
  const ferret::index through(collection);
  const auto regions = collection.regions();
  for (std::size_t table = 0; table < ferret::index::tables; ++table)
    for (std::uint32_t i = 0; i < regions.size(); ++i) {
      const auto bucket = through.near(table, regions[i]);
      EXPECT_TRUE(std::ranges::binary_search(bucket, i)) << table << " " << i;
      EXPECT_LT(bucket.size(), regions.size());
    }
}

TEST(FerretVectorization, FindsThePictureItselfFirst) {
  const auto collection = random_database(500);
  const ferret::index through(collection);
  ferret::candidate_finder one(through, 1), some(through, 40);
  for (std::uint32_t i = 0; i < collection.size(); ++i) {
    EXPECT_THAT(one(collection[i]), ElementsAre(i));
    const auto found = some(collection[i]);
    EXPECT_LE(found.size(), 40U);
    EXPECT_TRUE(std::ranges::is_sorted(found));
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
    EXPECT_TRUE(std::ranges::binary_search(found, i));
  }
}

TEST(FerretVectorization, RemembersNothing) {
  const auto collection = random_database(300);
  const ferret::index through(collection);
  ferret::candidate_finder used(through, 30);
  used(collection[7]);
  for (std::uint32_t i = 0; i < 20; ++i) {
    ferret::candidate_finder fresh(through, 30);
    EXPECT_EQ(used(collection[i]), fresh(collection[i]));
  }
}

TEST(FerretRank, IsTheOrderOfDistances) {
  const auto collection = random_database(200);
  const auto asked = collection[11];
  std::vector<ferret::match> all;
  for (std::uint32_t i = 0; i < 200; ++i)
    all.push_back({i, ferret::earth_mover_distance(asked, collection[i])});
  std::ranges::sort(all, {}, [](const auto& m) { return std::pair(m.distance, m.picture); });
  EXPECT_EQ(ferret::nearest(collection, asked, all_of(collection), 1000), all);
  all.resize(50);
  EXPECT_EQ(ferret::nearest(collection, asked, all_of(collection)), all);
  EXPECT_EQ(all[0], (ferret::match{11, 0}));
  EXPECT_TRUE(ferret::nearest(collection, asked, {}).empty());
}

TEST(FerretRank, OfTwoAlikeHasTheLowerNumberFirst) {
  apps::random dice(1);
  const auto same = random_signature(dice, 3);
  ferret::database collection;
  for (int i = 0; i < 9; ++i) collection.add("same", same);
  const std::vector<std::uint32_t> candidates{8, 3, 5, 1};
  EXPECT_THAT(ferret::nearest(collection, same, candidates, 3),
              ElementsAre(ferret::match{1, 0}, ferret::match{3, 0}, ferret::match{5, 0}));
}

// --- Sink

ferret::query ranked_query(std::uint64_t number, std::vector<ferret::match> ranking) {
  ferret::query made;
  made.number = number;
  made.name = "q" + std::to_string(number);
  made.ranking = std::move(ranking);
  return made;
}

TEST_F(Ferret, SinkWritesLinesInOrderWhateverComesFirst) {
  const auto collection = random_database(5);
  ferret::sink sink(folder / "out.tsv", collection);
  sink(ranked_query(2, {}));
  sink(ranked_query(0, {{3, 12'345}, {1, 900'000}}));
  sink(ranked_query(3, {{0, 7}}));
  EXPECT_FALSE(fs::exists(folder / "out.tsv"));
  sink(ranked_query(1, {{4, 1'010}}));
  EXPECT_EQ(sink.written(), 4U);
  sink.close();
  EXPECT_EQ(read(folder / "out.tsv"),
            "q0\tpicture 3:12.345\tpicture 1:900.000\nq1\tpicture 4:1.010\nq2\nq3\tpicture 0:0.007\n");
}

TEST_F(Ferret, SinkRefusesWhatIsMissingOrComesTwice) {
  const auto collection = random_database(1);
  {
    ferret::sink sink(folder / "out.tsv", collection);
    sink(ranked_query(0, {}));
    EXPECT_THAT(message_of([&] { sink(ranked_query(0, {})); }),
                AllOf(HasSubstr("out.tsv"), HasSubstr("twice")));
    sink(ranked_query(2, {}));
    EXPECT_THAT(message_of([&] { sink(ranked_query(2, {})); }), HasSubstr("twice"));
    EXPECT_THAT(message_of([&] { sink.close(); }),
                AllOf(HasSubstr("out.tsv"), HasSubstr("query 1 is missing")));
  }
  EXPECT_TRUE(fs::is_empty(folder));
  EXPECT_THAT(message_of([&] { ferret::sink(folder / "none" / "out.tsv", collection); }),
              HasSubstr("none/out.tsv"));
}

// --- Inputs and verifier

TEST(FerretScenes, AreMoreLikeTheirFamilyThanOthers) {
  double within = 0, between = 0;
  for (std::uint32_t family = 0; family < 20; ++family) {
    const auto first = described(ferret::draw_scene(1, family, 0));
    within += ferret::earth_mover_distance(first, described(ferret::draw_scene(1, family, 1)));
    between += ferret::earth_mover_distance(first, described(ferret::draw_scene(1, family + 20, 0)));
  }
  EXPECT_GT(within, 0);
  EXPECT_LT(2 * within, between);
}

/// The input `test`, made once.
class FerretInput : public Ferret {
 protected:
  static void SetUpTestSuite() {
    auto name = (fs::temp_directory_path() / "ferret_input_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    input = name;
    told.clear();
    ferret::generate("test", input, [](std::uint64_t done, std::uint64_t all) {
      EXPECT_EQ(all, 424U);
      told.push_back(done);
    });
    run(input / "ranking.tsv");
    ranking = lines_of(input / "ranking.tsv");
    fs::remove(input / "ranking.tsv");
  }
  static void TearDownTestSuite() { fs::remove_all(input); }

  static void run(const fs::path& output) {
    const auto collection = ferret::database::load(input / ferret::database_file);
    const ferret::index through(collection);
    ferret::source source(input / ferret::queries_file);
    ferret::segmentation segmentation;
    ferret::extract extract;
    ferret::vectorization vectorization(through);
    ferret::rank rank(collection);
    ferret::sink sink(output, collection);
    while (auto query = source()) sink(rank(vectorization(extract(segmentation(std::move(*query))))));
    sink.close();
  }
  apps::verdict verify(const std::vector<std::string>& lines) const {
    write_lines(folder / "out.tsv", lines);
    return ferret::verify("test", input, folder / "out.tsv");
  }
  void refused(const std::vector<std::string>& lines, std::string_view says) const {
    const auto verdict = verify(lines);
    EXPECT_FALSE(verdict.good);
    EXPECT_THAT(verdict.says, HasSubstr(std::string(says)));
  }

  static inline fs::path input;
  static inline std::vector<std::uint64_t> told;
  static inline std::vector<std::string> ranking;
};

TEST_F(FerretInput, IsTheSameOnEveryMachine) {
  EXPECT_EQ(apps::hash_of_file(input / ferret::database_file),
            "3260a6879271405b384f10f8b616feb713897219c1c8bfafaca1917f5937c814");
  EXPECT_EQ(apps::hash_of_file(input / ferret::queries_file),
            "ce2f96b0e73a63cd5f44788628fcaffcabf05598cbea4bc81c57d7c1ec24d54f");
  EXPECT_EQ(apps::hash_of_file(input / ferret::families_file),
            "18179d2d1ef48a6519a7b4e7fb56160a2e5efcb0c886ceb6a40e4f31d4b93550");
  EXPECT_EQ(std::distance(fs::directory_iterator(input), {}), 3);
}

TEST_F(FerretInput, HasAsManyOfEachFamily) {
  std::map<std::string, int> members;
  for (const auto& line : lines_of(input / ferret::families_file))
    if (line.starts_with("img")) ++members[line.substr(line.find(','))];
  EXPECT_EQ(members.size(), 20U);
  for (const auto& [family, count] : members) EXPECT_EQ(count, 20) << family;
  EXPECT_EQ(ferret::database::load(input / ferret::database_file).size(), 400U);
  EXPECT_EQ(ferret::pack_reader(input / ferret::queries_file).pictures(), 24U);
}

TEST_F(FerretInput, GeneratorTellsHowFarItIs) {
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), 424U);
}

TEST_F(FerretInput, RankingsAreTheSameOnEveryMachine) {
  std::string text;
  for (const auto& line : ranking) text += line + "\n";
  EXPECT_EQ(apps::hash_of(text), "3664b798a2f92ce47565f88b1382c01b1dc54e720cac8505327a5169f0ab6f96");
}

TEST_F(FerretInput, VerifierAcceptsASequentialRun) {
  const auto [good, says] = verify(ranking);
  EXPECT_TRUE(good) << says;
  EXPECT_THAT(says, AllOf(HasSubstr("24 rankings"), HasSubstr("recall 1.000"), HasSubstr("24 queries")));
}

TEST_F(FerretInput, VerifierAcceptsARankingThatMissesLittle) {
  auto lines = ranking;
  for (auto& line : lines)
    for (int i = 0; i < 4; ++i) line.resize(line.rfind('\t'));
  const auto [good, says] = verify(lines);
  EXPECT_TRUE(good) << says;
  EXPECT_THAT(says, HasSubstr("recall 0.920"));
}

TEST_F(FerretInput, VerifierRefusesWhatIsNotARanking) {
  auto bad = ranking;
  bad.pop_back();
  refused(bad, "out.tsv:24: query 'query00023.ppm' is missing");
  bad = ranking;
  bad.push_back(bad[0]);
  refused(bad, "out.tsv:25: there are more lines");
  bad = ranking;
  std::swap(bad[2], bad[3]);
  refused(bad, "out.tsv:3: 'query00003.ppm' comes where 'query00002.ppm' is due");

  const auto tab = [&](std::size_t line, int which) {
    std::size_t at = 0;
    for (int i = 0; i < which; ++i) at = ranking[line].find('\t', at + 1);
    return at;
  };
  const auto first = ranking[5].substr(tab(5, 1), tab(5, 2) - tab(5, 1));
  const auto with_line = [&](const std::string& line) {
    bad = ranking;
    bad[5] = line;
    return bad;
  };
  refused(with_line("query00005.ppm"), "out.tsv:6: has no ranking");
  refused(with_line("query00005.ppm" + first + first), "out.tsv:6: has a picture twice");
  refused(with_line("query00005.ppm\timg99999.ppm:1.000"), "'img99999.ppm:1.000' is no picture");
  for (const auto* distance : {"", ":", ":1", ":1.00", ":1.0000", ":1,000", ":x.000", ":1.00x", ":-1.000"})
    refused(with_line("query00005.ppm" + first.substr(0, first.find(':')) + distance),
            "is no picture:distance");
  refused(with_line(ranking[5] + first), "is nearer than the one before");
  auto more = ranking[5];
  for (std::uint32_t i = 0; i < 2; ++i) more += "\timg0000" + std::to_string(i) + ".ppm:99999.000";
  refused(with_line(more), "has more than 50");
  auto distance = ranking[5];
  distance.back() = distance.back() == '9' ? '8' : static_cast<char>(distance.back() + 1);
  refused(with_line(distance), "out.tsv:6: has a wrong distance of 'img");
  // Of larger inputs, few rankings are compared with exhaustive ones.
  EXPECT_THAT(ferret::verify("medium", input, folder / "out.tsv").says, HasSubstr("out.tsv:6: has a wrong"));

  write_lines(folder / "out.tsv", ranking);
  auto cut = read(folder / "out.tsv");
  cut.pop_back();
  write(folder / "out.tsv", cut);
  const auto [good, says] = ferret::verify("test", input, folder / "out.tsv");
  EXPECT_FALSE(good);
  EXPECT_THAT(says, HasSubstr("out.tsv:24: is cut off"));
}

TEST_F(FerretInput, VerifierRefusesRankingsThatMissMuch) {
  auto bad = ranking;
  for (auto& line : bad)
    for (int i = 0; i < 15; ++i) line.resize(line.rfind('\t'));
  refused(bad, "recall 0.700");
}

TEST_F(FerretInput, VerifierNamesTheFileThatItCannotRead) {
  const auto copy = folder / "input";
  fs::copy(input, copy);
  const auto wrong = [&](std::string_view name = "test") {
    return message_of([&] { ferret::verify(name, copy, folder / "out.tsv"); });
  };
  EXPECT_THAT(wrong(), HasSubstr("out.tsv"));
  write_lines(folder / "out.tsv", ranking);
  write(copy / ferret::families_file, "img00000.ppm,1\nimg00001.ppm\n");
  EXPECT_THAT(wrong(), HasSubstr("families.csv:2: "));
  write(copy / ferret::families_file, "img00000.ppm,1\n");
  EXPECT_THAT(wrong(), HasSubstr("families.csv: has no family of 'img00001.ppm'"));
  fs::remove(copy / ferret::families_file);
  EXPECT_THAT(wrong(), HasSubstr("families.csv"));
  fs::remove(copy / ferret::database_file);
  EXPECT_THAT(wrong(), HasSubstr("database.features"));
  EXPECT_THAT(wrong("tset"), HasSubstr("'tset'"));
}

TEST(FerretAbout, NamesInputsAndOperators) {
  const auto& about = ferret::about();
  EXPECT_EQ(about.name, "ferret");
  EXPECT_THAT(about.operators,
              ElementsAre("source", "segmentation", "extract", "vectorization", "rank", "sink"));
  EXPECT_THAT(about.inputs, testing::ElementsAreArray(apps::classes));
  EXPECT_THAT(message_of([&] { about.generate("none", "", {}); }), HasSubstr("'none'"));
}

}  // namespace
