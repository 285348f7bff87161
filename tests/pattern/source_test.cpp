#include <thalweg/thalweg.hpp>

#include <atomic>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class Source : public under_every_policy {
 protected:
  template <class T, class From> static std::vector<T> items_of(From&& from) {
    std::vector<T> seen;
    tw::run(std::forward<From>(from) | tw::sink(seen), policy());
    return seen;
  }
};
FOR_EVERY_POLICY(Source);

// --- callables that give optionals ---

TEST_P(Source, CallsUntilThereIsNothing) {
  EXPECT_THAT(items_of<int>(tw::source([n = 0]() mutable -> std::optional<int> {
                return n < 3 ? std::optional(n++) : std::nullopt;
              })),
              ElementsAre(0, 1, 2));
}

TEST_P(Source, IsNotCalledAgainAfterItsEnd) {
  int calls = 0;
  tw::run(tw::source([&]() -> std::optional<int> {
            ++calls;
            return calls <= 3 ? std::optional(calls) : std::nullopt;
          }) | tw::farm([](int x) { return x; }) |
              tw::sink([](int) {}),
          policy());
  EXPECT_EQ(calls, 4);
}

TEST_P(Source, MayBeEmpty) {
  EXPECT_THAT(items_of<int>(tw::source([]() -> std::optional<int> { return {}; })), IsEmpty());
  EXPECT_THAT(items_of<int>(tw::source(std::vector<int>{})), IsEmpty());
  EXPECT_THAT(items_of<int>(tw::source([](tw::emitter<int>&) {})), IsEmpty());
  EXPECT_THAT(items_of<int>(tw::source(std::vector<int>{}) | tw::farm([](int x) { return x; }) |
                            tw::flat_map([](int x, tw::emitter<int>& out) { out(x); })),
              IsEmpty());
}

TEST_P(Source, AnythingLikeAnOptionalWillDo) {
  EXPECT_THAT(
      items_of<int>(tw::source([n = 2]() mutable { return n > 0 ? std::optional(n--) : std::nullopt; })),
      ElementsAre(2, 1));
}

std::atomic<int> sevens{0};
std::optional<int> three_sevens() {
  return sevens++ % 4 < 3 ? std::optional(7) : std::nullopt;
}
void two_eights(tw::emitter<int>& out) {
  out(8);
  out(8);
}

struct countdown {
  int n;
  std::optional<int> operator()() { return n > 0 ? std::optional(n--) : std::nullopt; }
};

TEST_P(Source, FunctionsAndObjectsWillDo) {
  EXPECT_THAT(items_of<int>(tw::source(countdown{3})), ElementsAre(3, 2, 1));
  EXPECT_THAT(items_of<int>(tw::source(three_sevens)), ElementsAre(7, 7, 7));
  EXPECT_THAT(items_of<int>(tw::source(&three_sevens)), ElementsAre(7, 7, 7));
  EXPECT_THAT(items_of<int>(tw::source(two_eights)), ElementsAre(8, 8));
}

TEST_P(Source, GivesMoveOnlyItems) {
  const auto items =
      items_of<std::unique_ptr<int>>(tw::source([n = 0]() mutable -> std::optional<std::unique_ptr<int>> {
        if (n == 3) return {};
        return std::make_unique<int>(n++);
      }));
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(*items[2], 2);
}

TEST_P(Source, ABoolOptionalThatHoldsFalseIsAnItem) {
  EXPECT_THAT(items_of<bool>(tw::source([n = 0]() mutable -> std::optional<bool> {
                return n++ < 2 ? std::optional(false) : std::nullopt;
              })),
              ElementsAre(false, false));
}

// --- emitting callables ---

TEST_P(Source, EmitsAllItemsInOneCall) {
  int calls = 0;
  EXPECT_THAT(items_of<int>(tw::source([&](tw::emitter<int>& out) {
                ++calls;
                for (int i = 0; i < 3; ++i) out.send(i);
                out(3);
              })),
              ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(calls, 1);
}

TEST_P(Source, EmitsManyItems) {
  const auto items = items_of<int>(tw::source([](tw::emitter<int>& out) {
                                     for (int i = 0; i < 100'000; ++i) out(i);
                                   }) |
                                   tw::farm([](int x) { return x + 1; }, {.replicas = 3}));
  ASSERT_EQ(items.size(), 100'000U);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(items[static_cast<std::size_t>(i)], i + 1);
}

TEST_P(Source, AGenericEmitterNamesItsType) {
  EXPECT_THAT(items_of<std::string>(tw::source<std::string>([](auto& out) {
                out("a");
                out.send("b");
              })),
              ElementsAre("a", "b"));
}

TEST_P(Source, EmitsMoveOnlyItems) {
  const auto items = items_of<std::unique_ptr<int>>(
      tw::source([](tw::emitter<std::unique_ptr<int>>& out) { out(std::make_unique<int>(5)); }));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(*items[0], 5);
}

// --- ranges ---

TEST_P(Source, ReadsARangeGivenByReferenceInPlace) {
  std::vector<std::string> words{"a", "b"};
  const auto job = tw::source(words) | tw::map([](const std::string& s) { return s + "!"; });
  EXPECT_THAT(items_of<std::string>(job), ElementsAre("a!", "b!"));
  EXPECT_THAT(words, ElementsAre("a", "b")) << "the items of the caller's range must stay";
  words.push_back("c");
  EXPECT_THAT(items_of<std::string>(job), ElementsAre("a!", "b!", "c!"))
      << "it is read at the time of the run";
}

TEST_P(Source, ReadsAConstantRange) {
  const std::vector<int> numbers{1, 2};
  EXPECT_THAT(items_of<int>(tw::source(numbers)), ElementsAre(1, 2));
  const int array[] = {3, 4};
  EXPECT_THAT(items_of<int>(tw::source(array)), ElementsAre(3, 4));
}

TEST_P(Source, OwnsARangeMovedIn) {
  auto words = std::make_unique<std::vector<std::string>>(2, "w");
  const auto job = tw::source(std::move(*words)) | tw::filter([](const std::string&) { return true; });
  words.reset();
  EXPECT_THAT(items_of<std::string>(job), ElementsAre("w", "w"));
  EXPECT_THAT(items_of<std::string>(job), ElementsAre("w", "w")) << "a job may be run twice";
}

// Counts copies and moves.
struct counted {
  int value = 0;
  int* copies = nullptr;
  counted(int v, int* c) : value(v), copies(c) {}
  counted(const counted& o) : value(o.value), copies(o.copies) { ++*copies; }
  counted(counted&&) noexcept = default;
  counted& operator=(const counted& o) {
    if (this != &o) {
      value = o.value;
      copies = o.copies;
      ++*copies;
    }
    return *this;
  }
  counted& operator=(counted&&) noexcept = default;
  ~counted() = default;
};

TEST_P(Source, ARangeMovedInIsUsedUpWhereTheJobIs) {
  int copies = 0;
  std::vector<counted> items;
  items.reserve(3);
  for (int i = 0; i < 3; ++i) items.emplace_back(i, &copies);
  int sum = 0;
  tw::run(tw::source(std::move(items)) | tw::map([](counted c) { return c; }) |
              tw::sink([&](const counted& c) { sum += c.value; }),
          policy());
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(copies, 0) << "an rvalue job owns its items and moves them";
}

TEST_P(Source, MoveOnlyItemsOfARangeMovedIn) {
  std::vector<std::unique_ptr<int>> items;
  items.push_back(std::make_unique<int>(1));
  items.push_back(std::make_unique<int>(2));
  const auto seen = items_of<std::unique_ptr<int>>(tw::source(std::move(items)));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(*seen[1], 2);
}

TEST_P(Source, ASinglePassRangeCanBeRunOnce) {
  std::istringstream text("1 2 3");
  EXPECT_THAT(items_of<int>(tw::source(std::views::istream<int>(text))), ElementsAre(1, 2, 3));
}

TEST_P(Source, ASinglePassRangeByReferenceGoesOnWhereItWas) {
  std::istringstream text("1 2 3");
  auto view = std::views::istream<int>(text);
  EXPECT_THAT(items_of<int>(tw::source(view)), ElementsAre(1, 2, 3));
}

TEST_P(Source, TakesEveryKindOfRange) {
  EXPECT_THAT(items_of<int>(tw::source(std::views::iota(0, 3))), ElementsAre(0, 1, 2));
  EXPECT_THAT(items_of<int>(tw::source(std::list{1, 2})), ElementsAre(1, 2));
  EXPECT_THAT(items_of<int>(tw::source(std::set{3, 1, 2})), ElementsAre(1, 2, 3));
  EXPECT_THAT(items_of<int>(tw::source(std::deque{1, 2})), ElementsAre(1, 2));
  EXPECT_THAT(items_of<int>(tw::source(std::forward_list{1, 2})), ElementsAre(1, 2));
  std::vector<int> v{1, 2, 3, 4};
  EXPECT_THAT(items_of<int>(tw::source(std::span(v).subspan(2))), ElementsAre(3, 4));
  EXPECT_THAT(items_of<int>(tw::source(v | std::views::filter([](int x) { return x % 2 == 0; }) |
                                       std::views::transform([](int x) { return 10 * x; }))),
              ElementsAre(20, 40));
  EXPECT_THAT(items_of<char>(tw::source(std::string("abc"))), ElementsAre('a', 'b', 'c'));
  EXPECT_THAT(items_of<bool>(tw::source(std::vector<bool>{true, false})), ElementsAre(true, false));
  const std::map<int, char> m{{1, 'a'}};
  using pair = std::pair<const int, char>;
  std::vector<char> letters;
  tw::run(tw::source(m) | tw::sink([&](const pair& p) { letters.push_back(p.second); }), policy());
  EXPECT_THAT(letters, ElementsAre('a'));
}

TEST_P(Source, ErrorsOfAnIteratorComeOutWithItsName) {
  const auto f = failure_of([] {
    std::vector<int> v{1, 2, 3};
    tw::run(tw::source(v | std::views::transform([](int x) {
                         if (x == 3) throw std::runtime_error("unreadable");
                         return x;
                       }),
                       {.name = "reader"}) |
                tw::sink([](int) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "reader");
  EXPECT_EQ(f.cause, "unreadable");
}

}  // namespace
