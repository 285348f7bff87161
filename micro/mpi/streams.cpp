// What it costs to get items from rank to rank: many small ones, large ones, and one by one.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../support/program.hpp"
#include "../support/statistics.hpp"
#include "plain.hpp"
#include "session.hpp"

namespace micro {

namespace tw = thalweg;

/// A frame whose memory is not cleared before it is written, as that of a `cv::Mat`.
class picture {
 public:
  picture() = default;
  explicit picture(std::size_t bytes)
      : data_(std::make_unique_for_overwrite<unsigned char[]>(bytes)), bytes_(bytes) {}  // NOLINT(*-c-arrays)
  [[nodiscard]] std::span<unsigned char> data() const { return {data_.get(), bytes_}; }
  [[nodiscard]] std::size_t size_of() const noexcept { return sizeof *this + bytes_; }

 private:
  std::unique_ptr<unsigned char[]> data_;  // NOLINT(*-c-arrays)
  std::size_t bytes_ = 0;
};

}  // namespace micro

template <> struct thalweg::codec<micro::picture> {
  static std::string tag() { return "picture"; }
  static void write(byte_writer& to, const micro::picture& x) {
    to.count(x.data().size());
    to.block(x.data().data(), x.data().size());
  }
  static void read(byte_reader& from, micro::picture& x) {
    x = micro::picture(from.count(1));
    from.block(x.data().data(), x.data().size());
  }
};

namespace micro {
namespace {

using number = std::uint32_t;

std::uint64_t checksum_of_numbers(std::uint64_t items) {
  checksum sum;
  for (std::uint64_t i = 1; i <= items; ++i) sum(i);
  return sum.value();
}

auto numbers_to(std::uint64_t items) {
  return [next = number{0}, last = static_cast<number>(items)]() mutable -> std::optional<number> {
    if (next == last) return std::nullopt;
    return ++next;
  };
}

/// How thalweg gets items from rank to rank.
struct way {
  const char* name;
  tw::mpi_comm comm;
};
constexpr way ways[] = {{"two-sided", tw::two_sided}, {"one-sided", tw::one_sided}};

contender one_way(const ranks& all, std::uint64_t items, const way& by) {
  return on_all(
      all, "thalweg", std::string("one way, ") + by.name,
      [items, comm = by.comm] {
        checksum sum;
        tw::run(tw::source(numbers_to(items)) | tw::sink([&](number x) { sum(x); }, {.name = "sink"}),
                tw::mpi(tw::mpi_options{.place = {{"sink", {1}}}, .comm = comm}));
        return sum.value();
      },
      1);
}

contender there_and_back(const ranks& all, std::uint64_t items, const way& by) {
  return on_all(all, "thalweg", std::string("through a farm and back, ") + by.name, [items, comm = by.comm] {
    checksum sum;
    tw::run(tw::source(numbers_to(items)) | tw::farm([](number x) { return x; }) |
                tw::sink([&](number x) { sum(x); }),
            tw::mpi(tw::mpi_options{.comm = comm}));
    return sum.value();
  });
}

contender plain(const ranks& all, std::uint64_t items, std::size_t in_a_message) {
  const auto how =
      in_a_message == 1 ? std::string("an item a message") : std::to_string(in_a_message) + " a message";
  return on_all(
      all, "plain MPI", how, [&all, items, in_a_message] { return plain_numbers(all, items, in_a_message); },
      1);
}

contender blocks(const ranks& all, std::uint64_t items, std::size_t bytes, const way& by) {
  return on_all(
      all, "thalweg", by.name,
      [items, bytes, comm = by.comm] {
        checksum sum;
        tw::run(tw::source([from = camera(items, bytes)]() mutable { return from(); }) |
                    tw::sink([&](const frame& x) { sum(x.front()); }, {.name = "sink"}),
                tw::mpi(tw::mpi_options{.place = {{"sink", {1}}}, .comm = comm}));
        return sum.value();
      },
      1);
}

contender pictures(const ranks& all, std::uint64_t items, std::size_t bytes, const way& by) {
  return on_all(
      all, "thalweg", std::string("pictures, ") + by.name,
      [items, bytes, comm = by.comm] {
        std::uint64_t seen = 0;
        const auto take = [left = items, bytes]() mutable -> std::optional<picture> {
          if (left == 0) return std::nullopt;
          picture one(bytes);
          std::memset(one.data().data(), static_cast<int>(left-- & 0xFFU), bytes);
          return one;
        };
        tw::run(tw::source(take) | tw::sink(
                                       [&, left = items](const picture& x) mutable {
                                         const auto wanted = static_cast<unsigned char>(left-- & 0xFFU);
                                         if (x.data().front() == wanted && x.data().back() == wanted) ++seen;
                                       },
                                       {.name = "sink"}),
                tw::mpi(tw::mpi_options{.place = {{"sink", {1}}}, .comm = comm}));
        return seen;
      },
      1);
}

/// A stream in which one item at a time is under way, at its own pace: how long the journeys took, on rank 0.
class paced_journeys {
 public:
  paced_journeys(const paced_journeys&) = delete;
  paced_journeys& operator=(const paced_journeys&) = delete;
  ~paced_journeys() = default;
  paced_journeys(mpi_session& s, std::string variant, double interval)
      : s_(s), variant_(std::move(variant)), interval_(interval), items_(s.quick ? 100 : 1'000) {
    for (const auto& by : ways)
      contenders_.push_back(
          {"thalweg", by.name, [this, comm = by.comm] { return by_thalweg(comm); }, {}, {}, {}});
    contenders_.push_back({"plain MPI", "", [this] { return by_hand(); }, {}, {}, {}});
  }

  void run() {
    for (auto& one : contenders_) measure(one);  // what is only slow the first time does not count
    for (auto& one : contenders_) {
      one.p50.clear();
      one.p99.clear();
      one.used.clear();
    }
    for (int repeat = 0; repeat < s_.repeats; ++repeat) {
      s_.out.progress("mpi_latency", repeat, s_.repeats, variant_);
      for (auto& one : contenders_) measure(one);
      std::rotate(contenders_.begin(), contenders_.begin() + 1, contenders_.end());
    }
    for (const auto& one : contenders_) print(one);
  }

 private:
  struct entrant {
    std::string peer, setting;
    std::function<std::vector<nanos>()> journeys;
    std::vector<double> p50, p99, used;
  };

  [[nodiscard]] open_loop source() const { return {items_, interval_, pacing::sleep_then_spin}; }
  std::vector<nanos> by_thalweg(tw::mpi_comm comm) {
    std::vector<nanos> took;
    // A rank may have one worker: while the source waits in its call, this one is to execute the sink.
    tw::run(tw::source([from = source()]() mutable { return from(); }, {.name = "source", .blocking = true}) |
                tw::map([](stamped x) { return x; }, {.name = "there"}) |
                tw::sink([&](const stamped& x) { took.push_back(now() - x.since); }),
            tw::mpi(tw::mpi_options{.place = {{"there", {1}}}, .comm = comm}));
    return took;
  }
  std::vector<nanos> by_hand() {
    auto from = source();
    return plain_journeys(s_.all, [&]() -> nanos {
      const auto item = from();
      return item ? item->since : 0;
    });
  }
  void measure(entrant& one) {
    const auto before = s_.all.used();
    const nanos start = now();
    const auto took = one.journeys();
    const auto wall = static_cast<double>(now() - start);
    const auto after = s_.all.used();
    one.used.push_back(static_cast<double>(after.processor - before.processor) / wall);
    std::vector<double> one_way_us;
    for (const auto t : took) one_way_us.push_back(static_cast<double>(t) / 2e3);
    one.p50.push_back(quantile_of(one_way_us, 0.5));
    one.p99.push_back(quantile_of(one_way_us, 0.99));
  }
  void print(const entrant& one) {
    row r;
    r.bench = "mpi_latency";
    r.variant = variant_;
    r.peer = one.peer;
    r.setting = one.setting;
    r.unit = "µs";
    r.items = items_;
    r.repeats = s_.repeats;
    r.parallelism = one.used;
    r.metric = "p50";
    r.samples = one.p50;
    s_.out.result(r);
    r.metric = "p99";
    r.samples = one.p99;
    s_.out.result(r);
  }

  mpi_session& s_;
  std::string variant_;
  double interval_;
  std::uint64_t items_;
  std::vector<entrant> contenders_;
};

}  // namespace

void run_mpi_messages(mpi_session& s) {
  const std::uint64_t items = s.quick ? 100'000 : 1'000'000;
  const auto expected = checksum_of_numbers(items);
  auto e = s.compare("mpi_messages", "4 bytes", items);
  e.also({"rate", "million/s",
          [items](const sample& x, double) { return 1e3 * static_cast<double>(items) / x.wall; }});
  const auto reference = e.reference(plain(s.all, items, 1), expected);
  e.add(plain(s.all, items, 1'000), expected, reference);
  for (const auto& by : ways) {
    e.add(one_way(s.all, items, by), expected, reference);
    e.add(there_and_back(s.all, items, by), expected, reference);
  }
  e.run(s.repeats, s.out, s.random);
}

void run_mpi_bandwidth(mpi_session& s) {
  for (const std::size_t kib : {64, 1024}) {
    const std::size_t bytes = kib << 10U;
    const std::uint64_t items = (s.quick ? 16'384 : 1'048'576) / kib;
    auto e = s.compare("mpi_bandwidth", std::to_string(kib) + " KiB", items);
    e.also({"rate", "GB/s",
            [all = static_cast<double>(items * bytes)](const sample& x, double) { return all / x.wall; }});
    const auto ping_pong = on_all(s.all, "plain MPI", "one block back and forth",
                                  [&s, items, bytes] { return plain_ping_pong(s.all, items, bytes); });
    const auto reference = e.reference(ping_pong, items);
    const auto expected = checksum_of_numbers(items);
    e.add(on_all(
              s.all, "plain MPI", "each in memory of its own",
              [&s, items, bytes] { return plain_blocks(s.all, items, bytes); }, 1),
          expected, reference);
    for (const auto& by : ways) {
      e.add(blocks(s.all, items, bytes, by), expected, reference);
      e.add(pictures(s.all, items, bytes, by), items, reference);
    }
    e.run(s.repeats, s.out, s.random);
  }
}

void run_mpi_latency(mpi_session& s) {
  paced_journeys(s, "1 000 items/s", 1e6).run();
  paced_journeys(s, "5 000 items/s", 2e5).run();
}

}  // namespace micro
