#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/encyclopedia.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/interruption.hpp"
#include "apps/support/output_folder.hpp"
#include "apps/support/temporary.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Bytes, AreNotTouchedByResize) {
  apps::bytes b(4, 'x');
  b.resize(2);
  b.resize(4);
  EXPECT_EQ(apps::view(b), "xxxx");
}

TEST(InputFile, IsReadPieceByPiece) {
  const scratch dir;
  apps::input_file in(dir.write("file", "12345"));
  EXPECT_EQ(in.size(), 5U);
  char some[4];
  EXPECT_EQ(in.read(some, 4), 4U);
  EXPECT_EQ(std::string(some, 4), "1234");
  EXPECT_EQ(in.read(some, 4), 1U);
  EXPECT_EQ(some[0], '5');
  EXPECT_EQ(in.read(some, 4), 0U);
}

TEST(InputFile, NamesTheFileThatIsNotThere) {
  const scratch dir;
  const auto path = dir / "missing";
  EXPECT_EQ(message_of([&] { apps::input_file in(path); }),
            "cannot open '" + path.string() + "': No such file or directory");
  EXPECT_EQ(message_of([&] { apps::input_file in(dir.path()); }),
            "cannot read '" + dir.path().string() + "': Is a directory");
}

TEST(InputFile, NamesTheFileThatMayNotBeRead) {
  const scratch dir;
  const auto path = dir.write("file", "text");
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const without_privileges nobody;
  ASSERT_TRUE(nobody.ok());
  EXPECT_EQ(message_of([&] { apps::read_file(path); }),
            "cannot open '" + path.string() + "': Permission denied");
}

TEST(InputFile, NamesTheFileThatBecomesShorter) {
  const scratch dir;
  const auto path = dir.write("a", "0123456789");
  apps::input_file in(path);
  char some[8];
  EXPECT_EQ(in.read(some, 4), 4U);
  std::filesystem::resize_file(path, 6);
  EXPECT_EQ(message_of([&] { in.read(some, sizeof some); }),
            "'" + path.string() + "' became shorter while it was read: it ends at byte 6 of 10");
}

TEST(InputFile, IsNotReadByAProgramThatIsToldToStop) {
  const scratch dir;
  apps::input_file in(dir.write("a", "0123456789"));
  char some[8];
  apps::stop_signal = SIGINT;
  EXPECT_THROW(in.read(some, sizeof some), apps::interruption);
  apps::stop_signal = 0;
  EXPECT_EQ(in.read(some, sizeof some), 8U);
}

TEST(Temporary, GoesUnlessItGetsItsName) {
  const scratch dir;
  std::error_code why;
  {
    apps::temporary kept(dir.write("a", "")), moved(dir.write("b", ""));
    const apps::temporary gone(std::move(moved));
    kept.rename(dir / "none/c", why);
    EXPECT_TRUE(why);
    kept.rename(dir / "c", why);
    EXPECT_FALSE(why);
    EXPECT_THAT(dir.names(), testing::ElementsAre("b", "c"));
  }
  EXPECT_THAT(dir.names(), testing::ElementsAre("c"));
}

TEST(Temporary, GoesWithAProcessThatEndsAtOnce) {
  const scratch dir;
  const auto end = [&] {
    const apps::output_file out(dir / "file");
    const apps::output_folder folder(dir / "folder", [](const auto&) { return false; });
    apps::write_file(folder.inside() / "a", "some");
    if (dir.names().size() != 2) std::_Exit(1);
    apps::remove_temporaries();
    std::_Exit(7);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(7), "");
  EXPECT_THAT(dir.names(), testing::IsEmpty());
}

TEST(ReadFile, ReadsAll) {
  const scratch dir;
  for (const std::size_t size : {0, 1, 300'000}) {
    const std::string text(size, 'a');
    EXPECT_EQ(apps::view(apps::read_file(dir.write("file", text))), text);
  }
  EXPECT_THAT(std::string(apps::view(apps::read_file("/proc/self/status"))), HasSubstr("Pid:"));  // of size 0
}

TEST(OutputFile, IsThereWhenItIsClosed) {
  const scratch dir;
  const auto path = dir.write("file", "old");
  apps::output_file out(path);
  out.write("new ");
  out.write(std::string(600'000, 'n'));
  out.write("!");
  EXPECT_EQ(scratch::read(path), "old");
  EXPECT_EQ(dir.names().size(), 2U);
  EXPECT_EQ(out.size(), 600'005U);
  out.close();
  EXPECT_EQ(scratch::read(path), "new " + std::string(600'000, 'n') + "!");
  EXPECT_THAT(dir.names(), ElementsAre("file"));
}

TEST(OutputFile, LeavesNothingBehindThatIsNotClosed) {
  const scratch dir;
  const auto path = dir.write("file", "old");
  {
    apps::output_file out(path);
    out.write("new");
    const apps::output_file moved = std::move(out);
    EXPECT_EQ(dir.names().size(), 2U);
  }
  EXPECT_THAT(dir.names(), ElementsAre("file"));
  EXPECT_EQ(scratch::read(path), "old");
}

TEST(OutputFile, ReplacesWhatALinkLeadsTo) {
  const scratch dir;
  const auto target = dir.write("target", "old");
  std::filesystem::create_symlink(target, dir / "link");
  apps::output_file out(dir / "link");
  out.write("new");
  out.close();
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(scratch::read(target), "new");
}

TEST(OutputFile, WritesToDevices) {
  apps::output_file out("/dev/null");
  out.write("text");
  out.close();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, NamesWhatCannotBeWritten) {
  const scratch dir;
  const auto path = dir / "missing" / "file";
  EXPECT_EQ(message_of([&] { apps::output_file out(path); }),
            "cannot write '" + path.string() + "': No such file or directory");
  EXPECT_EQ(message_of([&] { apps::output_file out(dir.path()); }),
            "cannot write '" + dir.path().string() + "': Is a directory");
  EXPECT_EQ(message_of([] {
              apps::output_file out("/dev/full");
              out.write("text");
              out.close();
            }),
            "cannot write '/dev/full': No space left on device");
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(Hash, OfBytesAndOfFiles) {
  // From RFC 1321 and FIPS 180.
  EXPECT_EQ(apps::hash_of("abc", apps::hash::md5), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(apps::hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const scratch dir;
  const std::string text(3'000'000, 'a');
  EXPECT_EQ(apps::hash_of_file(dir.write("file", text)), apps::hash_of(text));
  apps::hasher pieces;
  pieces.add(text.substr(0, 7));
  pieces.add(text.substr(7));
  EXPECT_EQ(pieces.hex(), apps::hash_of(text));
  EXPECT_THAT(message_of([&] { apps::hash_of_file(dir / "missing"); }), HasSubstr("missing"));
}

TEST(Encyclopedia, IsTheSameForASeed) {
  const auto text = [](std::uint64_t seed) {
    apps::encyclopedia pages(seed);
    std::string made;
    for (int i = 0; i < 100; ++i) pages.append_page(made);
    return made;
  };
  const auto first = text(1);
  EXPECT_EQ(apps::hash_of(first), "2234c5820daa9f39e4d426d4d19ccc623fb664b5c9bf1859ded5541bc0c35fdb");
  EXPECT_NE(first, text(2));
  EXPECT_EQ(static_cast<unsigned char>(*std::max_element(first.begin(), first.end())) & 0x80U, 0U);
}
