#include <thalweg/observe/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace THALWEG_NAMESPACE::observe {

namespace {
constexpr auto relaxed = std::memory_order_relaxed;
constexpr double word = 18446744073709551616.0;  // 2^64
}  // namespace

histogram::histogram(const histogram& other) noexcept {
  *this = other;
}

histogram& histogram::operator=(const histogram& other) noexcept {
  if (this == &other) return *this;
  for (std::size_t i = 0; i != buckets; ++i) counts_[i].store(other.counts_[i].load(relaxed), relaxed);
  sum_low_.store(other.sum_low_.load(relaxed), relaxed);
  sum_high_.store(other.sum_high_.load(relaxed), relaxed);
  min_.store(other.min(), relaxed);
  max_.store(other.max(), relaxed);
  settle_bounds();
  return *this;
}

// A copy taken in the middle of a record may hold a count whose bounds were not stored yet.
void histogram::settle_bounds() noexcept {
  std::size_t first = 0;
  while (first != buckets && count_in(first) == 0) ++first;
  if (first == buckets) return;
  std::size_t last = buckets - 1;
  while (count_in(last) == 0) --last;
  if (min() > highest_of(first)) min_.store(lowest_of(first), relaxed);
  if (max() < lowest_of(last)) max_.store(highest_of(last), relaxed);
}

// There is no counter of all items: summing the buckets costs a reader a microsecond and spares every record
// a store. It also makes the ranks of a copy consistent with its buckets.
std::uint64_t histogram::count() const noexcept {
  std::uint64_t n = 0;
  for (const cell& c : counts_) n += c.load(relaxed);
  return n;
}

double histogram::sum() const noexcept {
  return static_cast<double>(sum_high_.load(relaxed)) * word + static_cast<double>(sum_low_.load(relaxed));
}

double histogram::mean() const noexcept {
  const std::uint64_t n = count();
  return n == 0 ? 0.0 : sum() / static_cast<double>(n);
}

std::int64_t histogram::quantile(double q) const noexcept {
  const std::uint64_t n = count();
  if (n == 0) return 0;
  const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(n));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, n);
  if (rank == 1) return min();
  if (rank == n) return max();
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (bucket + 1 < buckets && (seen += count_in(bucket)) < rank) ++bucket;
  const std::int64_t low = lowest_of(bucket);
  const std::int64_t middle = low + (highest_of(bucket) - low) / 2;
  return std::min(std::max(middle, min()), max());
}

std::uint64_t histogram::count_up_to(std::int64_t value) const noexcept {
  if (value < 0) return 0;
  std::uint64_t n = 0;
  const std::size_t last = bucket_of(value);
  for (std::size_t i = 0; i <= last; ++i) n += count_in(i);
  return n;
}

void histogram::merge(const histogram& other) noexcept {
  for (std::size_t i = 0; i != buckets; ++i) {
    if (const std::uint64_t n = other.count_in(i); n != 0) bump(counts_[i], n);
  }
  const std::uint64_t low = other.sum_low_.load(relaxed);
  add_to_sum(low, 1);
  bump(sum_high_, other.sum_high_.load(relaxed));
  min_.store(std::min(min(), other.min()), relaxed);
  max_.store(std::max(max(), other.max()), relaxed);
  settle_bounds();
}

histogram histogram::since(const histogram& earlier) const noexcept {
  histogram window;
  std::int64_t low = window.min();
  std::int64_t high = window.max();
  for (std::size_t i = 0; i != buckets; ++i) {
    const std::uint64_t before = earlier.count_in(i);
    const std::uint64_t now = count_in(i);
    if (now <= before) continue;
    window.counts_[i].store(now - before, relaxed);
    if (low > high) low = std::max(lowest_of(i), min());
    high = std::min(highest_of(i), max());
  }
  const std::uint64_t sum_now = sum_low_.load(relaxed);
  const std::uint64_t sum_before = earlier.sum_low_.load(relaxed);
  const std::uint64_t borrow = sum_now < sum_before ? 1 : 0;
  window.sum_low_.store(sum_now - sum_before, relaxed);
  window.sum_high_.store(sum_high_.load(relaxed) - earlier.sum_high_.load(relaxed) - borrow, relaxed);
  window.min_.store(low, relaxed);
  window.max_.store(high, relaxed);
  return window;
}

std::vector<std::uint64_t> histogram::to_words() const {
  std::vector<std::uint64_t> words{sum_low_.load(relaxed), sum_high_.load(relaxed),
                                   static_cast<std::uint64_t>(min()), static_cast<std::uint64_t>(max())};
  for (std::size_t i = 0; i != buckets; ++i) {
    if (const auto n = count_in(i); n != 0) words.insert(words.end(), {i, n});
  }
  return words;
}

histogram histogram::from_words(std::span<const std::uint64_t> words) {
  constexpr std::size_t head = 4;
  histogram made;
  if (words.size() < head || words.size() % 2 != 0)
    throw std::invalid_argument("histogram: the number of words is wrong");
  made.sum_low_.store(words[0], relaxed);
  made.sum_high_.store(words[1], relaxed);
  made.min_.store(static_cast<std::int64_t>(words[2]), relaxed);
  made.max_.store(static_cast<std::int64_t>(words[3]), relaxed);
  for (std::size_t i = head; i != words.size(); i += 2) {
    if (words[i] >= buckets) throw std::invalid_argument("histogram: a bucket that does not exist");
    made.counts_[words[i]].store(words[i + 1], relaxed);
  }
  return made;
}

void histogram::clear() noexcept {
  *this = histogram();
}

}  // namespace THALWEG_NAMESPACE::observe
