// The ways in which items travel: the same comes out of each, whatever its size, and nothing is left behind.
#include <thalweg/pipe/sanitizer.hpp>
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>

#include "mpi/ranks.hpp"

namespace tw = thalweg;

namespace {

// Memory that nobody has written to yet takes no room.
struct vast {
  std::size_t size = 0;
  std::unique_ptr<std::byte[]> data;

  vast() = default;
  explicit vast(std::size_t n) : size(n), data(std::make_unique_for_overwrite<std::byte[]>(n)) {}
};

}  // namespace

template <> struct thalweg::codec<vast> {
  static std::string tag() { return "vast"; }
  static void write(byte_writer& to, const vast& x) {
    to(static_cast<std::uint64_t>(x.size));
    to.block(x.data.get(), x.size);
  }
  static void read(byte_reader& from, vast& x) {
    std::uint64_t n = 0;
    from(n);
    x = vast(n);
    from.block(x.data.get(), n);
  }
};

namespace {

struct way {
  std::string name;
  tw::mpi_options how;
};

std::vector<way> ways() {
  return {{"messages", {.comm = tw::two_sided}},
          {"shared memory", {.comm = tw::one_sided}},
          {"windows", {.comm = tw::one_sided, .share_memory = false}},
          {"what is best", {}}};
}

std::vector<long> long_item(long n) {
  std::vector<long> x(static_cast<std::size_t>(n % 3 == 0 ? 400'000 : n % 1'000));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = n + static_cast<long>(i);
  return x;
}

TEST(Transport, ItemsThatAreLongerThanARing) {
  for (const auto& w : ways()) {
    SCOPED_TRACE(w.name);
    long next = 0;
    tw::run(tw::source([n = 0L]() mutable -> std::optional<std::vector<long>> {
              if (n == 8) return std::nullopt;
              return long_item(n++);
            }) | tw::farm([](std::vector<long> x) {
              for (auto& i : x) ++i;
              return x;
            }) | tw::sink([&](const std::vector<long>& x) {
              auto wanted = long_item(next++);
              for (auto& i : wanted) ++i;
              EXPECT_TRUE(x == wanted);
            }),
            ranks::policy(w.how));
    EXPECT_EQ(next, ranks::root() ? 8 : 0);
  }
}

// What has to be put into one piece, as strings are, may have more bytes than a message should.
TEST(Transport, ItemsThatAreTooLongForALetter) {
  if (ranks::count() > 3) GTEST_SKIP() << "few ranks show it";
  using item = std::pair<std::vector<std::string>, std::vector<double>>;
  const auto made = [](std::size_t n) {
    item x;
    for (std::size_t i = 0; i < n; ++i)
      x.first.emplace_back((std::size_t{1} << 20) + i, static_cast<char>('a' + i % 26));
    for (std::size_t i = 0; i < 10'000; ++i) x.second.push_back(static_cast<double>(i * n));
    return x;
  };
  for (const auto& w : ways()) {
    SCOPED_TRACE(w.name);
    int good = 0;
    tw::run(tw::source([&, n = std::size_t{0}]() mutable -> std::optional<item> {
              constexpr std::size_t lengths[] = {1, 70, 2, 64, 130};
              if (n == std::size(lengths)) return std::nullopt;
              return made(lengths[n++]);
            }) | tw::farm([](item x) { return x; }) |
                tw::sink([&](const item& x) { good += x == made(x.first.size()) ? 1 : 0; }),
            ranks::policy(w.how));
    EXPECT_EQ(good, ranks::root() ? 5 : 0);
  }
}

// What a process may still take, as Linux says it.
std::size_t free_memory() {
  std::ifstream about("/proc/meminfo");
  for (std::string line; std::getline(about, line);) {
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(line.find(':') + 1)) << 10;
  }
  return 0;
}

// MPI counts with int, so such an item is several of its messages.
TEST(Transport, ABlockThatMpiCannotCount) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  constexpr std::size_t size = 2 * gib + (1 << 20) + 7;
  static_assert(size > std::numeric_limits<int>::max());
  if (ranks::count() != 2) GTEST_SKIP() << "one rank sends it to one other";
  if (THALWEG_ADDRESS_SANITIZER || THALWEG_THREAD_SANITIZER) GTEST_SKIP() << "they take more memory";
  int enough = free_memory() >= 16 * gib ? 1 : 0;
  MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (enough == 0) GTEST_SKIP() << "less than 16 GiB of memory are free";

  std::vector<std::size_t> looked_at;
  for (const std::size_t around : {std::size_t{0}, gib - 1, gib, 2 * gib - 1, 2 * gib, size - 1}) {
    for (const std::size_t at : {around - 1, around, around + 1}) {
      if (at < size) looked_at.push_back(at);
    }
  }
  const auto wanted = [](std::size_t at) { return static_cast<std::byte>(at % 251 + 1); };
  // The others take their time: for them the environment has to ask, by more of everything.
  auto tried = ways();
  const char* const scale = std::getenv("THALWEG_TEST_SCALE");
  if (scale == nullptr || std::atof(scale) <= 1) tried.resize(1);
  for (auto& w : tried) {
    SCOPED_TRACE(w.name);
    w.how.place = {{"write", {1}}};
    int seen = 0;
    tw::run(tw::source(
                [&, sent = false]() mutable -> std::optional<vast> {
                  if (std::exchange(sent, true)) return std::nullopt;
                  vast x(size);
                  for (const auto at : looked_at) x.data[at] = wanted(at);
                  return x;
                },
                {.name = "read"}) |
                tw::sink(
                    [&](const vast& x) {
                      ++seen;
                      ASSERT_EQ(x.size, size);
                      for (const auto at : looked_at) EXPECT_EQ(x.data[at], wanted(at)) << at;
                    },
                    {.name = "write"}),
            ranks::policy(w.how));
    EXPECT_EQ(seen, ranks::root() ? 0 : 1);
  }
}

// Pages that the system had to find and to clear for this process, so far.
long page_faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

TEST(Transport, ItemsTakeTheMemoryOfThoseBefore) {
  if (ranks::count() == 1) GTEST_SKIP() << "nothing travels";
  if (std::getenv("GLIBC_TUNABLES") != nullptr) GTEST_SKIP() << "the environment says how memory is kept";
  if (THALWEG_ADDRESS_SANITIZER || THALWEG_THREAD_SANITIZER) GTEST_SKIP() << "memory is not of glibc's heaps";
  constexpr long blocks = 400, first_ones = 100, pages_of_a_block = 256;
  long before = 0, received = 0;
  tw::run(tw::source(
              [n = 0L]() mutable -> std::optional<std::vector<char>> {
                if (n++ == blocks) return std::nullopt;
                return std::vector<char>(1 << 20, static_cast<char>(n));
              },
              {.name = "read"}) |
              tw::sink(
                  [&](const std::vector<char>& x) {
                    EXPECT_EQ(x.back(), static_cast<char>(++received));
                    if (received == first_ones) before = page_faults();
                    if (received == blocks) {
                      EXPECT_LT(page_faults() - before, (blocks - first_ones) * pages_of_a_block / 4);
                    }
                  },
                  {.name = "write"}),
          ranks::policy({.place = {{"write", {1}}}}));
  EXPECT_EQ(received, ranks::policy().rank() == 1 ? blocks : 0);
}

TEST(Transport, LettersThatAreLongerThanARing) {
  const std::vector<std::string> item(100'000, "a word");
  for (const auto& w : ways()) {
    SCOPED_TRACE(w.name);
    int seen = 0;
    tw::run(tw::source(std::vector(3, item)) | tw::farm([](std::vector<std::string> x) { return x; }) |
                tw::sink([&](const std::vector<std::string>& x) {
                  EXPECT_TRUE(x == item);
                  ++seen;
                }),
            ranks::policy(w.how));
    EXPECT_EQ(seen, ranks::root() ? 3 : 0);
  }
}

TEST(Transport, AnErrorWhileBlocksAreOnTheirWay) {
  for (const auto& w : ways()) {
    SCOPED_TRACE(w.name);
    const auto job = tw::source([n = 0]() mutable -> std::optional<std::string> {
                       return std::string(100'000, static_cast<char>('a' + n++ % 26));
                     }) |
                     tw::farm([](std::string x) {
                       if (x.front() == 't') throw std::runtime_error("twenty");
                       return x;
                     }) |
                     tw::sink([](const std::string&) {});
    EXPECT_THROW(tw::run(job, ranks::policy(w.how)), tw::stage_error);
  }
}

// Pieces of memory that this process shares with others.
std::size_t shared_pieces() {
  std::ifstream maps("/proc/self/maps");
  std::size_t n = 0;
  for (std::string line; std::getline(maps, line);) n += line.find(" rw-s ") != std::string::npos ? 1 : 0;
  return n;
}

TEST(Transport, MemoryIsGivenBack) {
  const auto once = [] {
    for (const auto& w : ways()) {
      tw::run(tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }) | tw::sink([](int) {}),
              ranks::policy(w.how));
    }
  };
  once();
  const auto before = shared_pieces();
  for (int i = 0; i < 3; ++i) once();
  EXPECT_EQ(shared_pieces(), before);
}

TEST(Transport, ANumberIsNoWay) {
  EXPECT_THROW((void)tw::mpi_comm(1), tw::error);
  EXPECT_TRUE(tw::mpi_comm(tw::automatic) == tw::mpi_comm::way::by_machine);
}

}  // namespace
