#include "apps/bzip2/bzip2.hpp"

#include <bitset>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/bzip2/application.hpp"
#include "apps/bzip2/bits.hpp"
#include "apps/bzip2/reader.hpp"
#include "apps/support/encyclopedia.hpp"
#include "apps/support/error.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"
#include "support/scale.hpp"

namespace bz = apps::bzip2;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::string text_of(std::size_t size) {
  apps::encyclopedia pages(7);
  std::string text;
  while (text.size() < size) pages.append_page(text);
  text.resize(size);
  return text;
}

std::string random_bytes(std::size_t size) {
  apps::random dice(3);
  std::string made(size, 0);
  for (auto& c : made) c = static_cast<char>(dice.next());
  return made;
}

// Bytes that occur or not as the bits of the words say: in the table of each block's bytes these words stand.
std::string with_table(std::size_t size, std::initializer_list<unsigned> words) {
  std::vector<char> letters;
  unsigned group = 0;
  for (const auto word : words) {
    for (unsigned i = 0; i < 16; ++i)
      if ((word >> (15 - i) & 1U) != 0) letters.push_back(static_cast<char>(16 * group + i));
    ++group;
  }
  apps::random dice(5);
  std::string made(size, 0);
  std::size_t last = 0;
  // Never the same twice: the lengths of runs are bytes, too.
  for (auto& c : made) c = letters[last = (last + 1 + dice.below(letters.size() - 1)) % letters.size()];
  return made;
}

// Three blocks of 100 kB in some 100 bytes each.
std::string three_blocks() {
  std::string text;
  while (text.size() < 250'000) text += "ab";
  return text;
}

/// One stream, as the program bzip2 writes it.
std::string single_stream(std::string text, int level = 9) {
  std::string packed(text.size() + text.size() / 50 + 1000, 0);
  auto size = static_cast<unsigned>(packed.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, text.data(), static_cast<unsigned>(text.size()),
                                     level, 0, 0),
            BZ_OK);
  packed.resize(size);
  return packed;
}

void compress_file(const fs::path& from, const fs::path& to, bz::input_held held = bz::input_held::on_disk) {
  bz::source source(from, held);
  bz::compress compress;
  bz::sink sink(to);
  while (auto b = source()) sink(compress(std::move(*b)));
  sink.close();
}

/// Gives where bytes begin that were left out.
std::optional<std::uint64_t> decompress_file(const fs::path& from, const fs::path& to,
                                             bz::input_held held = bz::input_held::on_disk) {
  bz::source_d source(from, held);
  bz::decompress decompress;
  bz::sink_d sink(to, from);
  while (auto b = source()) sink(decompress(std::move(*b)));
  sink.close();
  return sink.left_out_from();
}

std::string read_all(const fs::path& path) {
  bz::reader in(path);
  std::string all;
  char some[3000];
  while (const auto got = in.read(some, sizeof some)) all.append(some, got);
  return all;
}

/// Whether `decompress_file` and `reader` both give `text` from `packed`, and leave out what is behind it.
void expect_text(const std::string& packed, const std::string& text,
                 std::optional<std::uint64_t> left_out_from = {}) {
  const scratch dir;
  const auto path = dir.write("packed", packed);
  EXPECT_EQ(decompress_file(path, dir / "text"), left_out_from);
  EXPECT_TRUE(scratch::read(dir / "text") == text);
  EXPECT_EQ(decompress_file(path, dir / "text", bz::input_held::in_memory), left_out_from);
  EXPECT_TRUE(scratch::read(dir / "text") == text);
  EXPECT_TRUE(read_all(path) == text);
}

const std::string empty_stream = single_stream("");

}  // namespace

TEST(Bzip2Bits, AreReadAtAnyPlace) {
  const std::string text = "\xF0\x0F\xAA\x55\x12\x34\x56\x78\x9A";
  EXPECT_EQ(bz::read_bits(text, 0, 4), 0xFU);
  EXPECT_EQ(bz::read_bits(text, 4, 8), 0x00U);
  EXPECT_EQ(bz::read_bits(text, 12, 16), 0xFAA5U);
  EXPECT_EQ(bz::read_bits(text, 7, 56), 0x0007D52A891A2B3CU);
  EXPECT_EQ(bz::read_bits(text, 64, 8), 0x9AU);
}

TEST(Bzip2Bits, AreWrittenAsTheyAreRead) {
  const auto text = random_bytes(1000);
  for (std::uint64_t before = 0; before < 20; ++before) {
    for (std::uint64_t from = 0; from < 17; ++from) {
      const std::uint64_t count = 7000 + 13 * before + from;
      apps::bytes written;
      bz::bit_writer to(written);
      to.put(0b1011, static_cast<unsigned>(before));
      to.put(text, from, count);
      to.put(0b101, 3);
      ASSERT_EQ(written.size(), (before + count + 3 + 7) / 8);
      for (std::uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(bz::read_bits(apps::view(written), before + i, 1), bz::read_bits(text, from + i, 1));
      ASSERT_EQ(bz::read_bits(apps::view(written), before + count, 3), 0b101U);
    }
  }
}

TEST(Bzip2Bits, MarksAreFoundAtEveryBit) {
  for (const bool end : {false, true}) {
    for (unsigned at = 0; at < 200; ++at) {
      apps::bytes text;
      bz::bit_writer to(text);
      for (unsigned i = 0; i < at; ++i) to.put(1, 1);
      to.put(end ? bz::end_mark : bz::block_mark, 48);
      for (const unsigned behind : {0, 1, 7, 8, 50}) {
        for (unsigned i = 0; i < behind; ++i) to.put(1, 1);
        const auto found = bz::find_mark(apps::view(text), 0);
        ASSERT_TRUE(found) << at;
        EXPECT_EQ(found->bit, at);
        EXPECT_EQ(found->ends_stream, end);
        EXPECT_TRUE(bz::find_mark(apps::view(text), at));
        EXPECT_FALSE(bz::find_mark(apps::view(text), at + 1));
      }
      EXPECT_FALSE(bz::find_mark(apps::view(text).substr(0, (at + 47) / 8), 0));
    }
  }
}

TEST(Bzip2Bits, TheFirstOfSeveralMarksIsFound) {
  apps::bytes text;
  bz::bit_writer to(text);
  to.put(0, 5);
  for (int i = 0; i < 3; ++i) to.put(i == 1 ? bz::end_mark : bz::block_mark, 48);
  std::vector<std::uint64_t> found;
  std::uint64_t from = 0;
  while (const auto m = bz::find_mark(apps::view(text), from)) {
    found.push_back(m->bit);
    from = m->bit + 1;
  }
  EXPECT_THAT(found, ElementsAre(5U, 53U, 101U));
}

TEST(Bzip2, SourceCutsBlocks) {
  const scratch dir;
  const auto text = text_of(2 * bz::block_size + 1000);
  for (const auto held : {bz::input_held::on_disk, bz::input_held::in_memory}) {
    bz::source source(dir.write("text", text), held);
    std::string all;
    std::vector<std::size_t> sizes;
    while (auto b = source()) {
      EXPECT_EQ(b->number, sizes.size());
      sizes.push_back(b->data.size());
      all += apps::view(b->data);
    }
    EXPECT_THAT(sizes, ElementsAre(bz::block_size, bz::block_size, 1000U));
    EXPECT_TRUE(all == text);
    EXPECT_FALSE(source());
  }
}

TEST(Bzip2, WhatIsHeldInMemoryIsNotReadAgain) {
  const scratch dir;
  const auto text = text_of(bz::block_size + 1000);
  bz::source source(dir.write("text", text), bz::input_held::in_memory);
  bz::source_d source_d(dir.write("text.bz2", single_stream(text, 1)), bz::input_held::in_memory);
  fs::resize_file(dir / "text", 10);
  fs::resize_file(dir / "text.bz2", 10);
  std::size_t size = 0, blocks = 0;
  while (const auto b = source()) size += b->data.size();
  while (source_d()) ++blocks;
  EXPECT_EQ(size, text.size());
  EXPECT_EQ(blocks, 9U);
}

TEST(Bzip2, ABlockOfTextIsABlockOfTheFile) {
  const scratch dir;
  const auto text =
      with_table(2 * bz::block_size + 1000, {0x3141});  // without runs, which take less in a block
  compress_file(dir.write("text", text), dir / "packed");
  bz::source_d source(dir / "packed");
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto b = source();
    ASSERT_TRUE(b);
    EXPECT_EQ(b->number, i);
    EXPECT_TRUE(b->opens_stream);
    EXPECT_TRUE(b->stream_sum);
  }
  EXPECT_FALSE(source());
}

TEST(Bzip2, WhatIsCompressedIsDecompressed) {
  const scratch dir;
  for (const auto& text :
       {std::string("x"), text_of(2'500'000), random_bytes(1'000'000), std::string(5'000'000, 'a')}) {
    const auto path = dir.write("text", text);
    compress_file(path, dir / "packed");
    expect_text(scratch::read(dir / "packed"), text);
    const auto packed = scratch::read(dir / "packed");
    compress_file(path, dir / "packed", bz::input_held::in_memory);
    EXPECT_TRUE(scratch::read(dir / "packed") == packed);
    EXPECT_TRUE(scratch::read(path) == text);
  }
}

TEST(Bzip2, OneStreamOfManyBlocksIsDecompressed) {
  const auto text = text_of(2'000'000);
  for (const int level : {1, 4, 9}) expect_text(single_stream(text, level), text);
  const scratch dir;
  bz::source_d source(dir.write("packed", single_stream(text, 1)));
  std::set<std::uint64_t> places;
  std::size_t blocks = 0;
  for (; const auto b = source(); ++blocks) {
    places.insert(b->bit % 8);
    EXPECT_EQ(b->opens_stream, blocks == 0);
    EXPECT_EQ(b->stream_sum.has_value(), blocks == 19);
  }
  EXPECT_EQ(blocks, 20U);
  EXPECT_GT(places.size(), 4U);  // of the eight bits of a byte
}

TEST(Bzip2, RunsAndNoiseAreDecompressed) {
  expect_text(single_stream(std::string(60'000'000, 0)), std::string(60'000'000, 0));
  const auto noise = random_bytes(3'000'000);
  expect_text(single_stream(noise), noise);
}

TEST(Bzip2, StreamsOneBehindTheOther) {
  const auto text = text_of(300'000);
  expect_text(empty_stream, "");
  expect_text(empty_stream + single_stream(text, 1) + empty_stream + empty_stream + single_stream("x") +
                  single_stream(text, 9) + empty_stream,
              text + "x" + text);
}

TEST(Bzip2, BitsThatLookLikeAMarkDoNotCutABlock) {
  const auto block_marks = with_table(1'200'000, {0x3141, 0x5926, 0x5359});
  const auto packed = single_stream(block_marks, 1);
  const scratch dir;
  bz::source_d source(dir.write("packed", packed));
  std::size_t pieces = 0;
  while (source()) ++pieces;
  EXPECT_GE(pieces, 24U);  // 12 blocks, each cut: otherwise this tests nothing
  expect_text(packed, block_marks);
  compress_file(dir.write("text", block_marks), dir / "many");
  expect_text(scratch::read(dir / "many"), block_marks);

  const auto end_marks = with_table(250'000, {0x1772, 0x4538, 0x5090});
  const auto packed_ends = single_stream(end_marks, 1);
  expect_text(packed_ends, end_marks);
  expect_text(packed_ends + packed_ends, end_marks + end_marks);
  expect_text(packed_ends + "garbage", end_marks, packed_ends.size());
}

TEST(Bzip2, SinksWantBlocksInOrder) {
  const scratch dir;
  const auto path = dir / "out";
  const std::string says = "'" + path.string() + "' is not written: block 1 came where block 0 was due";
  EXPECT_EQ(message_of([&] { bz::sink{path}(bz::block{1, {}}); }), says);
  EXPECT_EQ(message_of([&] {
              bz::sink_d{path, "in"}(bz::packed_block{1, 0, 0, {}, {}, true, {}, false});
            }),
            says);
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(Bzip2, BlocksThatNeverComeAreMissed) {
  const scratch dir;
  const auto path = dir.write("packed", single_stream(three_blocks(), 1));
  bz::source_d source(path);
  bz::decompress decompress;
  bz::sink_d sink(dir / "text", path);
  for (int i = 0; i < 2; ++i) sink(decompress(*source()));
  EXPECT_EQ(message_of([&] { sink.close(); }),
            "'" + path.string() + "' is truncated: the last blocks are missing");
}

TEST(Bzip2, InputsThatAreNoneAreNamed) {
  const scratch dir;
  const auto refused = [&](const fs::path& path, const std::string& compress, const std::string& decompress) {
    EXPECT_EQ(message_of([&] { compress_file(path, dir / "out"); }), compress);
    EXPECT_EQ(message_of([&] { decompress_file(path, dir / "out"); }), decompress);
    EXPECT_FALSE(fs::exists(dir / "out"));
  };
  const auto missing = "cannot open '" + (dir / "missing").string() + "': No such file or directory";
  refused(dir / "missing", missing, missing);
  // As bzip2 has it: a stream of nothing is no empty file.
  EXPECT_EQ(message_of([&] { decompress_file(dir.write("empty", ""), dir / "out"); }),
            "'" + (dir / "empty").string() + "' is empty");
  for (const char* text : {"some text that is longer than a header", "BZh", "BZh9some text, too", "BZh0"}) {
    const auto path = dir.write("text", text);
    EXPECT_EQ(message_of([&] { decompress_file(path, dir / "out"); }),
              "'" + path.string() + "' is no .bz2 file");
    EXPECT_THAT(message_of([&] { read_all(path); }), HasSubstr(path.string()));
  }
  EXPECT_THAT(dir.names(), ElementsAre("empty", "text"));
}

TEST(Bzip2, WhatCannotBeWrittenIsNamed) {
  const scratch dir;
  const auto text = dir.write("text", "text"), packed = dir.write("packed", single_stream("text"));
  const auto path = dir / "missing" / "out";
  const auto says = "cannot write '" + path.string() + "': No such file or directory";
  EXPECT_EQ(message_of([&] { compress_file(text, path); }), says);
  EXPECT_EQ(message_of([&] { decompress_file(packed, path); }), says);
  const auto full = "cannot write '/dev/full': No space left on device";
  EXPECT_EQ(message_of([&] { compress_file(text, "/dev/full"); }), full);
  EXPECT_EQ(message_of([&] { decompress_file(packed, "/dev/full"); }), full);
  EXPECT_EQ(scratch::read(text), "text");
}

TEST(Bzip2, ATruncatedFileIsAnErrorWhereverItEnds) {
  const scratch dir;
  const auto packed = single_stream(three_blocks(), 1);
  ASSERT_LT(packed.size(), 1000U);
  for (std::size_t size = 1; size < packed.size(); size += apart(17)) {
    const auto path = dir.write("packed", packed.substr(0, size));
    EXPECT_THAT(message_of([&] { decompress_file(path, dir / "out"); }),
                HasSubstr("'" + path.string() + "' is "))
        << size;
    ASSERT_THAT(dir.names(), ElementsAre("packed"));
    EXPECT_EQ(scratch::read(path).size(), size);
    EXPECT_THAT(message_of([&] { read_all(path); }), HasSubstr(path.string())) << size;
  }
}

TEST(Bzip2, ADamagedFileIsAnErrorWhereverItIsDamaged) {
  const scratch dir;
  const auto text = three_blocks();
  const auto packed = single_stream(text, 1) + single_stream("more", 1);
  int harmless = 0;
  for (std::size_t i = 0; i < packed.size(); i += apart(27)) {  // no multiple of 8: each bit takes part
    auto damaged = packed;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    const auto path = dir.write("packed", damaged);
    try {
      const auto left_out_from = decompress_file(path, dir / "out");
      // Such as another level in the header, or a bit behind the end.
      const auto expected = left_out_from ? text : text + "more";
      ASSERT_TRUE(scratch::read(dir / "out") == expected) << i;
      EXPECT_EQ(left_out_from.value_or(single_stream(text, 1).size()), single_stream(text, 1).size());
      fs::remove(dir / "out");
      ++harmless;
    } catch (const apps::error& e) {
      EXPECT_THAT(e.what(), HasSubstr("'" + path.string() + "' is "));
    }
    ASSERT_THAT(dir.names(), ElementsAre("packed"));
    EXPECT_TRUE(scratch::read(path) == damaged);
  }
  EXPECT_LE(harmless, 12);
}

TEST(Bzip2, DamageIsFoundInBlocksOfText) {
  const scratch dir;
  const auto packed = single_stream(text_of(500'000), 1);
  for (std::size_t at = 5000; at < packed.size(); at += 20'000) {
    auto damaged = packed;
    damaged[at] = static_cast<char>(~damaged[at]);
    const auto path = dir.write("packed", damaged);
    const auto says = message_of([&] { decompress_file(path, dir / "out"); });
    EXPECT_THAT(says, HasSubstr("is damaged: the block at byte "));
    EXPECT_THAT(says, EndsWith(" cannot be decompressed"));
  }
  EXPECT_THAT(dir.names(), ElementsAre("packed"));
}

TEST(Bzip2, ABlockThatIsMissingFromAStreamIsNoticed) {
  const scratch dir;
  const auto packed = single_stream(three_blocks(), 1);
  // Without the second block, all blocks are good, and their sum is not.
  const auto second = bz::find_mark(packed, 32 + 80)->bit;
  const auto third = bz::find_mark(packed, second + 80)->bit;
  apps::bytes without;
  bz::bit_writer to(without);
  to.put(packed, 0, second);
  const auto end = bz::find_mark(packed, third + 80);
  ASSERT_TRUE(end && end->ends_stream);
  to.put(packed, third, end->bit + 80 - third);
  const auto path = dir.write("packed", apps::view(without));
  EXPECT_THAT(message_of([&] { decompress_file(path, dir / "out"); }), HasSubstr("check sum"));
}

TEST(Bzip2, WhatIsBehindTheLastStreamIsLeftOut) {
  const auto blocks = single_stream(three_blocks(), 1);
  const auto second = bz::find_mark(blocks, 32 + 80)->bit;
  expect_text(blocks + "garbage", three_blocks(), blocks.size());
  const std::string text = "a text of one block";
  const auto packed = single_stream(text);
  for (const std::string& behind :
       {std::string("x"), std::string("some garbage behind"), std::string(20'000, '\0'), std::string("BZ0"),
        std::string("BZh0 and more of it"), random_bytes(40'000), blocks.substr(second / 8),
        "garbage" + blocks + empty_stream, "garbage" + blocks.substr(0, blocks.size() - 5)}) {
    expect_text(packed + behind, text, packed.size());
    expect_text(empty_stream + behind, "", empty_stream.size());
  }
}

// As bzip2 has it, since something of the text may be lost there.
TEST(Bzip2, AStreamThatBeginsBehindTheLastAndHasNoBlockIsAnError) {
  const scratch dir;
  for (const std::string behind : {"B", "BZ", "BZh", "BZh9", "BZh9 and more of it"}) {
    const auto path = dir.write("packed", single_stream("text") + behind);
    EXPECT_THAT(message_of([&] { decompress_file(path, dir / "out"); }),
                HasSubstr("is truncated or damaged: no block follows the head of the stream at byte " +
                          std::to_string(single_stream("text").size())));
    EXPECT_FALSE(fs::exists(dir / "out"));
    EXPECT_THAT(message_of([&] { read_all(path); }), HasSubstr(path.string()));
  }
}

TEST(Bzip2, OfNothingIsAStreamOfNothing) {
  const scratch dir;
  for (const auto held : {bz::input_held::on_disk, bz::input_held::in_memory}) {
    compress_file(dir.write("empty", ""), dir / "packed", held);
    EXPECT_EQ(scratch::read(dir / "packed"), empty_stream);
  }
  expect_text(empty_stream, "");
}

TEST(Bzip2, OperatorsMayBeCopiedBetweenBlocks) {
  bz::compress first;
  const auto text = text_of(1000);
  const auto packed = first({0, {text.begin(), text.end()}});
  auto second = first;
  EXPECT_EQ(apps::view(second({0, {text.begin(), text.end()}}).data), apps::view(packed.data));
  EXPECT_EQ(apps::view(first({0, {text.begin(), text.end()}}).data), apps::view(packed.data));
}

TEST(Bzip2Inputs, AreTheSameEverywhere) {
  const scratch dir;
  std::uint64_t told = 0;
  bz::generate("test", dir.path(), [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GT(done, told);
    EXPECT_EQ(all, 8'000'000U);
    told = done;
  });
  EXPECT_EQ(told, 8'000'000U);
  const std::string hash = "bd8da12a1885f1b42eef978e37b9ddc49a81566f1bf2567b6f6071cf1304799f";
  EXPECT_THAT(dir.names(), ElementsAre("text.xml"));
  EXPECT_EQ(apps::hash_of_file(dir / "text.xml"), hash);
  const auto text = scratch::read(dir / "text.xml");
  EXPECT_TRUE(text.starts_with("<mediawiki"));
  EXPECT_TRUE(text.ends_with("</page>\n</mediawiki>\n"));

  for (const char* input : {"test_d", "test_single_d"}) {
    const scratch packed;
    bz::generate(input, packed.path(), {});
    EXPECT_THAT(packed.names(), ElementsAre("text.xml.bz2", "text.xml.sha256"));
    EXPECT_EQ(scratch::read(packed / "text.xml.sha256"), hash + "  text.xml\n");
    EXPECT_TRUE(read_all(packed / "text.xml.bz2") == text);
    bz::source_d source(packed / "text.xml.bz2");
    source();
    EXPECT_EQ(source()->opens_stream, std::string(input) == "test_d");
    // As real text does.
    const auto ratio =
        static_cast<double>(text.size()) / static_cast<double>(fs::file_size(packed / "text.xml.bz2"));
    EXPECT_GT(ratio, 3);
    EXPECT_LT(ratio, 4);
  }
}

TEST(Bzip2Inputs, HaveTheClassesOfAllApplications) {
  const auto& inputs = bz::about().inputs;
  for (const auto name : apps::classes) {
    EXPECT_THAT(inputs, testing::Contains(name));
    EXPECT_THAT(inputs, testing::Contains(std::string(name) + "_d"));
  }
  for (const auto& name : inputs) EXPECT_EQ(bz::recipe_of(name).compressed, name.ends_with("_d"));
  EXPECT_EQ(message_of([] { bz::recipe_of("tiny"); }), "bzip2 has no input 'tiny'");
}

TEST(Bzip2Verifier, AcceptsWhatIsRightAndNothingElse) {
  const scratch in, out;
  const auto text = text_of(2'000'000);
  in.write("text.xml", text);
  const auto judge = [&](const std::string& packed) {
    return bz::verify("test", in.path(), out.write("x", packed));
  };
  EXPECT_TRUE(judge(single_stream(text)).good);
  compress_file(in / "text.xml", out / "y");
  EXPECT_TRUE(bz::verify("test", in.path(), out / "y").good);

  auto other = text;
  other[1'500'000] = '!';
  EXPECT_EQ(judge(single_stream(other)).says, "byte 1500000 of the text differs");
  EXPECT_FALSE(judge(single_stream(other)).good);
  const auto shorter = judge(single_stream(text.substr(0, 1'000'000)));
  EXPECT_FALSE(shorter.good);
  EXPECT_THAT(shorter.says, HasSubstr("shorter"));
  const auto longer = judge(single_stream(text) + single_stream("x"));
  EXPECT_FALSE(longer.good);
  EXPECT_THAT(longer.says, HasSubstr("longer"));
  EXPECT_FALSE(judge(text).good);
  EXPECT_FALSE(judge("").good);
  EXPECT_FALSE(judge(single_stream(text).substr(0, 100'000)).good);
  EXPECT_FALSE(bz::verify("test", in.path(), out / "missing").good);
}

TEST(Bzip2Verifier, KnowsTheTextOfACompressedInput) {
  const scratch in, out;
  const auto text = text_of(2'000'000);
  in.write("text.xml.bz2", single_stream(text));
  in.write("text.xml.sha256", apps::hash_of(text) + "  text.xml\n");
  const auto judge = [&](const std::string& written) {
    return bz::verify("test_d", in.path(), out.write("x", written));
  };
  EXPECT_TRUE(judge(text).good);
  auto other = text;
  other[1'500'000] = '!';
  EXPECT_FALSE(judge(other).good);
  EXPECT_EQ(judge(other).says, "byte 1500000 of the text differs");
  EXPECT_FALSE(judge(text.substr(1)).good);
  EXPECT_FALSE(judge(text + "x").good);
  EXPECT_FALSE(judge("").good);
  EXPECT_THAT(message_of([&] { bz::verify("test_d", in.path(), out / "missing"); }), HasSubstr("missing"));
  in.write("text.xml.sha256", apps::hash_of(other) + "  text.xml\n");
  EXPECT_FALSE(judge(text).good);
  in.write("text.xml.sha256", "?");
  EXPECT_THAT(message_of([&] { judge(text); }), HasSubstr("text.xml.sha256"));
}
