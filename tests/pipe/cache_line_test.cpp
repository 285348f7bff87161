#include <thalweg/pipe/cache_line.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace pipe = thalweg::pipe;

TEST(padded, neighbours_share_no_line) {
  std::vector<pipe::padded<char>> row(3);
  for (auto& cell : row) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*cell) % pipe::cache_line, 0u);
  EXPECT_GE(&*row[1] - &*row[0], static_cast<std::ptrdiff_t>(pipe::cache_line));
}

TEST(padded, holds_and_gives_access) {
  pipe::padded<std::string> word(std::in_place, 3, 'x');
  EXPECT_EQ(*word, "xxx");
  word->push_back('y');
  const auto& read_only = word;
  EXPECT_EQ(*read_only, "xxxy");
  EXPECT_EQ(read_only->size(), 4u);
}

}  // namespace
