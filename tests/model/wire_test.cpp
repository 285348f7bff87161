// Runs of items that travel: what comes back is what went, and messages that are wrong are found.
#include <thalweg/model/wire.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw = thalweg;

namespace {

template <class T> void expect_refused(std::size_t n, bool ranked, std::size_t bytes) {
  const std::vector<std::byte> message(bytes);
  tw::byte_reader from(message);
  tw::pipe::chunk<T> into;
  into.ranked = ranked;
  EXPECT_THROW(tw::model::wire_for<T>().read(from, n, into), tw::codec_error);
}

// No memory is got for them: it would be more than there is.
TEST(Wire, MoreItemsThanCanHaveComeAreFound) {
  constexpr std::size_t many = std::numeric_limits<std::size_t>::max() / 4;
  for (const bool ranked : {false, true}) {
    expect_refused<double>(many, ranked, 64);
    expect_refused<std::string>(many, ranked, 64);
    expect_refused<double>(3, ranked, 23);
  }
}

TEST(Wire, ItemsComeBackWithTheirMarks) {
  for (const bool ranked : {false, true}) {
    tw::pipe::chunk<std::string> items;
    items.ranked = ranked;
    for (int i = 0; i < 3; ++i) items.emplace_marked(0, i, std::to_string(i));
    std::vector<std::byte> message;
    tw::byte_writer to(message);
    const auto& how = tw::model::wire_for<std::string>();
    how.write(to, items);
    tw::pipe::chunk<std::string> back;
    back.ranked = ranked;
    tw::byte_reader from(message);
    how.read(from, 3, back);
    ASSERT_EQ(back.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(back[i], std::to_string(i));
      EXPECT_EQ(back.mark_of(i).rank, ranked ? static_cast<std::int64_t>(i) : tw::pipe::mark{}.rank);
    }
  }
}

// As one of a library that is unloaded: its type may be known to others, too.
TEST(Wire, IsKnownForAsLongAsItLives) {
  struct item {
    int x;
  };
  EXPECT_EQ(tw::model::wire_of(typeid(item)), nullptr);
  {
    const tw::model::typed_wire<item> first;
    {
      const tw::model::typed_wire<item> second;
      EXPECT_NE(tw::model::wire_of(typeid(item)), nullptr);
    }
    EXPECT_EQ(tw::model::wire_of(typeid(item)), &first);
  }
  EXPECT_EQ(tw::model::wire_of(typeid(item)), nullptr);
}

}  // namespace
