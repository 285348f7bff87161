#include "apps/dedup/dedup.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/dedup/cut.hpp"
#include "apps/dedup/inputs.hpp"
#include "apps/support/encyclopedia.hpp"
#include "apps/support/random.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"
#include "support/scale.hpp"

namespace dedup = apps::dedup;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

std::string noise(std::size_t size, std::uint64_t seed = 1) {
  apps::random dice(seed);
  std::string made(size, 0);
  for (auto& byte : made) byte = static_cast<char>(dice.next());
  return made;
}

std::string text(std::size_t size) {
  apps::encyclopedia pages(5);
  std::string made;
  while (made.size() < size) pages.append_page(made);
  made.resize(size);
  return made;
}

// Where pieces end.
std::vector<std::size_t> cuts(std::string_view bytes, const dedup::cut_rule& rule) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < bytes.size(); ends.push_back(at)) at += dedup::cut(bytes.substr(at), rule);
  return ends;
}

std::vector<dedup::fragment> fragments(const fs::path& file,
                                       apps::input_held held = apps::input_held::on_disk) {
  std::vector<dedup::fragment> all;
  dedup::source source(file, held);
  while (auto next = source()) all.push_back(std::move(*next));
  return all;
}

// What the file becomes when its fragments come to `deduplicate` in an order that `seed` shuffles (0: as they
// are), and how many chunks have been compressed.
std::size_t pack(const fs::path& file, const fs::path& archive, std::uint64_t seed = 0) {
  auto all = fragments(file);
  std::vector<dedup::fragment*> order;
  for (auto& one : all) order.push_back(&one);
  apps::random dice(seed);
  for (std::size_t i = 0; seed != 0 && i < order.size(); ++i)
    std::swap(order[i], order[i + dice.below(order.size() - i)]);
  dedup::deduplicate deduplicate;
  dedup::compress compress;
  std::size_t compressed = 0;
  for (auto* one : order) {
    *one = compress(deduplicate(dedup::refine(std::move(*one))));
    for (const auto& c : one->chunks) compressed += c.packed.empty() ? 0 : 1;
  }
  dedup::sink sink(archive);
  for (const auto& one : all) sink(one);
  sink.close();
  return compressed;
}

struct counted {
  std::size_t stored = 0, repeated = 0;
};

counted count(const fs::path& archive) {
  counted found;
  dedup::archive_reader in(archive);
  while (in.next()) ++(in.repeats() ? found.repeated : found.stored);
  return found;
}

// An archive of pieces of fixed size, made by hand.
void pack_blocks(const std::string& bytes, std::size_t size, const fs::path& archive) {
  dedup::archive_writer out(archive);
  dedup::packer packer;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const auto piece = std::string_view(bytes).substr(at, size);
    out.store({static_cast<std::uint32_t>(piece.size()), apps::digest_of(piece), false, packer(piece)});
  }
  out.close();
}

}  // namespace

TEST(DedupCut, PiecesAreAsLongAsTheRuleSays) {
  const auto bytes = noise(3'000'000);
  std::size_t before = 0;
  const auto ends = cuts(bytes, dedup::fine);
  for (const auto end : ends) {
    const auto size = end - before;
    before = end;
    EXPECT_LE(size, dedup::fine.most);
    if (end != bytes.size()) {
      EXPECT_GT(size, dedup::fine.least);
    }
  }
  EXPECT_EQ(ends.back(), bytes.size());
  EXPECT_NEAR(static_cast<double>(bytes.size() / ends.size()), 8'800, 500);
}

TEST(DedupCut, SameBytesAreCutAlikeWhereverTheyStand) {
  const auto bytes = text(400'000);
  const auto expected = cuts(bytes, dedup::fine);
  for (const std::size_t shift : {1U, 63U, 4'097U, 20'000U}) {
    std::vector<std::size_t> same;
    for (const auto end : cuts(noise(shift) + bytes, dedup::fine))
      if (std::ranges::binary_search(expected, end - shift)) same.push_back(end);
    EXPECT_GE(same.size() + 3, expected.size()) << shift;
  }
}

TEST(DedupCut, KnowsWhatStandsBeforeTheFirstPlace) {
  const auto bytes = noise(500'000);
  std::size_t before = 0;
  for (const auto end : cuts(bytes, dedup::fine)) {
    if (end - before <= dedup::fine.usual && end != bytes.size()) {
      const auto first_place = std::string_view(bytes).substr(end - dedup::fine.least - 1);
      EXPECT_EQ(dedup::cut(first_place, dedup::fine), dedup::fine.least + 1);
    }
    before = end;
  }
}

TEST(DedupCut, EndsWithTheBytes) {
  EXPECT_EQ(dedup::cut("", dedup::fine), 0U);
  EXPECT_EQ(dedup::cut("a", dedup::fine), 1U);
  const std::string zeros(100'000, '\0');
  EXPECT_EQ(dedup::cut(std::string_view(zeros).substr(0, dedup::fine.least), dedup::fine), dedup::fine.least);
  EXPECT_EQ(dedup::cut(zeros, dedup::fine), dedup::fine.most);
}

TEST(Dedup, SourceGivesTheWholeFileInOrder) {
  const scratch dir;
  const auto bytes = noise(9'000'000 / apart(2));  // more than is read at once
  const auto file = dir.write("file", bytes);
  for (const auto held : {apps::input_held::on_disk, apps::input_held::in_memory}) {
    const auto all = fragments(file, held);
    EXPECT_GT(all.size(), 20U);
    std::string joined;
    std::vector<std::size_t> ends;
    for (const auto& one : all) {
      EXPECT_EQ(one.number, ends.size());
      joined += apps::view(one.data);
      ends.push_back(joined.size());
    }
    EXPECT_TRUE(joined == bytes);
    EXPECT_EQ(ends, cuts(bytes, dedup::coarse));  // whatever is read at once
  }
}

TEST(Dedup, SourceRefusesWhatIsNoFile) {
  const scratch dir;
  EXPECT_THAT(message_of([&] { dedup::source(dir / "missing"); }), HasSubstr("missing"));
}

TEST(Dedup, RefineHashesEachChunk) {
  const auto bytes = text(100'000);
  const auto refined = dedup::refine({3, apps::bytes(bytes.begin(), bytes.end()), {}});
  EXPECT_EQ(refined.number, 3U);
  std::size_t at = 0;
  for (const auto& c : refined.chunks) {
    EXPECT_EQ(c.hash, apps::digest_of(std::string_view(bytes).substr(at, c.size)));
    EXPECT_FALSE(c.repeats);
    at += c.size;
  }
  EXPECT_EQ(at, bytes.size());
  EXPECT_GT(refined.chunks.size(), 5U);
}

TEST(Dedup, ArchiveIsTheSameWhateverIsLookedUpFirst) {
  const scratch dir;
  const auto some = text(500'000) + noise(500'000);
  const auto file = dir.write("file", some + "x" + some + text(700'001) + some.substr(123'456));
  const auto compressed = pack(file, dir / "in_order");
  const auto found = count(dir / "in_order");
  EXPECT_EQ(compressed, found.stored);
  EXPECT_GT(found.repeated, found.stored);
  const auto expected = scratch::read(dir / "in_order");
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    most = std::max(most, pack(file, dir / "shuffled", seed));
    EXPECT_TRUE(scratch::read(dir / "shuffled") == expected);
  }
  EXPECT_GT(most, compressed);  // the price of another order
}

TEST(Dedup, OnlyLowerNumbersThanAllBeforeAreCompressedAgain) {
  dedup::deduplicate deduplicate;
  const dedup::chunk same{5, apps::digest_of("hello"), false, {}};
  const auto repeats = [&](std::uint64_t number) {
    std::vector<bool> found;
    for (const auto& c : deduplicate({number, {}, {same, same}}).chunks) found.push_back(c.repeats);
    return found;
  };
  EXPECT_THAT(repeats(5), testing::ElementsAre(false, true));
  EXPECT_THAT(repeats(7), testing::ElementsAre(true, true));
  EXPECT_THAT(repeats(2), testing::ElementsAre(false, true));
  EXPECT_THAT(repeats(3), testing::ElementsAre(true, true));  // lower than 5, but 2 has come
}

TEST(Dedup, RestoresBitForBit) {
  const scratch dir;
  const auto all_alike = std::string(3'000'000 / apart(3), 'a');
  for (const auto& bytes : {std::string(), std::string("a"), noise(5'000), all_alike,
                            text(700'000 / apart(3)), noise(2'000'000 / apart(4))}) {
    pack(dir.write("file", bytes), dir / "archive");
    dedup::restore(dir / "archive", dir / "restored");
    EXPECT_TRUE(scratch::read(dir / "restored") == bytes) << bytes.size();
  }
  pack(dir.write("file", all_alike), dir / "archive");
  EXPECT_LT(fs::file_size(dir / "archive"), 2'000U);
}

TEST(Dedup, SinkWantsFragmentsInOrder) {
  const scratch dir;
  dedup::sink sink(dir / "out");
  sink({0, {}, {}});
  EXPECT_THAT(message_of([&] {
                sink({2, {}, {}});
              }),
              HasSubstr("out' is not written: fragment 2 came where fragment 1 was due"));
}

TEST(Dedup, SinkWantsWhatComesFirstCompressed) {
  const scratch dir;
  dedup::sink sink(dir / "out");
  EXPECT_THAT(message_of([&] {
                sink({0, {}, {{5, apps::digest_of("hello"), true, {}}}});
              }),
              EndsWith("a chunk of fragment 0 is the first of its kind, but was not compressed"));
}

TEST(DedupArchive, NothingThatIsWrongIsRestored) {
  const scratch dir;
  const auto bytes = text(9'000);
  pack(dir.write("file", bytes + bytes + bytes), dir / "archive");
  const auto good = scratch::read(dir / "archive");
  const auto restored = [&](const std::string& archive) {
    std::string says;
    try {
      dedup::restore(dir.write("bad", archive), dir / "restored");
      return scratch::read(dir / "restored") == bytes + bytes + bytes ? says : "WRONG";
    } catch (const apps::error& e) {
      says = e.what();
    }
    EXPECT_FALSE(fs::exists(dir / "restored"));
    return says;
  };
  for (std::size_t size = 0; size < good.size(); size += size < 60 || good.size() - size < 90 ? 1 : 97) {
    const auto says = restored(good.substr(0, size));
    const auto* what = size == 0                           ? "is empty"
                       : size < dedup::archive_mark.size() ? "no archive"
                                                           : "truncated";
    EXPECT_THAT(says, AllOf(HasSubstr("bad' "), HasSubstr(what))) << size;
  }
  std::size_t harmless = 0;
  for (std::size_t at = 0; at < good.size(); at += at < 60 || good.size() - at < 90 ? 1 : 97) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const auto says = restored(bad);
    EXPECT_NE(says, "WRONG") << at;
    harmless += says.empty() ? 1 : 0;
    fs::remove(dir / "restored");
  }
  EXPECT_LE(harmless, 1U);  // the last byte of a zlib stream may have bits that mean nothing
  EXPECT_THAT(restored(good + "x"), HasSubstr("damaged"));
  EXPECT_EQ(restored(good), "");
}

TEST(DedupArchive, RestoreDoesNotWriteOverTheArchive) {
  const scratch dir;
  pack(dir.write("file", "hello"), dir / "archive");
  const auto before = scratch::read(dir / "archive");
  EXPECT_THAT(message_of([&] { dedup::restore(dir / "archive", dir / "archive"); }),
              EndsWith("archive' is the archive, and is not written"));
  EXPECT_EQ(scratch::read(dir / "archive"), before);
}

TEST(DedupInputs, HaveTheClassesOfAllApplications) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < dedup::inputs.size(); ++i) {
    EXPECT_EQ(dedup::about().inputs[i], apps::classes[i]);
    EXPECT_EQ(dedup::inputs[i].name, apps::classes[i]);
    EXPECT_GT(dedup::inputs[i].bytes, before);
    before = dedup::inputs[i].bytes;
  }
  const scratch dir;
  EXPECT_EQ(message_of([&] { dedup::generate("tiny", dir.path(), {}); }), "dedup has no input 'tiny'");
}

TEST(DedupVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in, out;
  dedup::generate("test", in.path(), {});
  const auto backup = in / dedup::backup_file;
  EXPECT_EQ(apps::hash_of_file(backup), "83b987ed9e729b4ff0938fe09f04fb6b041930aea628f120008e53ca57ddc985");
  const auto judge = [&] { return dedup::verify("test", in.path(), out / "archive"); };
  pack(backup, out / "archive");
  EXPECT_TRUE(judge().good) << judge().says;
  EXPECT_THAT(judge().says, HasSubstr(" bytes as in the input, in "));

  const auto good = scratch::read(out / "archive");
  out.write("archive", good.substr(0, good.size() - 10));
  EXPECT_THAT(judge().says, EndsWith("is truncated"));
  out.write("archive", "nothing");
  EXPECT_THAT(judge().says, EndsWith("is no archive of dedup"));

  auto bytes = scratch::read(backup);
  // Blocks of fixed size find next to nothing of what was planted.
  pack_blocks(bytes, 8'192, out / "archive");
  EXPECT_THAT(judge().says, HasSubstr("bytes are stored, where "));
  pack_blocks(bytes.substr(0, 1'000'000), 8'192, out / "archive");
  EXPECT_THAT(judge().says, HasSubstr("the archive ends at byte 1000000 of"));
  pack_blocks(std::string(20'000, 'a') + bytes.substr(0, 100'000), 5'000, out / "archive");
  EXPECT_THAT(judge().says, HasSubstr("chunk 0 is not what the input has"));
  bytes[3'000'000] ^= 1;
  pack(out.write("other", bytes), out / "archive");
  EXPECT_THAT(judge().says, AllOf(HasSubstr("is not what the input has before byte 30")));
  EXPECT_FALSE(judge().good);

  // A whole that is right, but in which a chunk lies twice.
  bytes.resize(5'000);
  in.write(dedup::backup_file, bytes + bytes);
  in.write(dedup::truth_file, "bytes 10000\nfresh 5000\npieces 1\n");
  pack_blocks(bytes + bytes, 5'000, out / "archive");
  EXPECT_THAT(judge().says, HasSubstr("chunk 1 is stored, though the same was stored before"));
  in.write(dedup::truth_file, "bytes 10001\nfresh 5000\npieces 1\n");
  EXPECT_THAT(judge().says, HasSubstr("make the input again"));
}
