#include <thalweg/flow/rate.hpp>
#include <thalweg/model/errors.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

void require(bool good, const std::string& what) {
  if (!good) throw error("rate: " + what);
}

bool is_rate(double r) {
  return std::isfinite(r) && r >= 0;
}

void check(const rate::swing& s) {
  require(std::isfinite(s.period) && s.period > 0, "the period must be above 0 seconds");
  require(is_rate(s.min) && is_rate(s.max), "rates must be 0 or more items per second");
  require(s.max >= s.min, "the maximum is below the minimum");
  require(s.max > 0, "no item would ever be due: the maximum is 0");
}

}  // namespace

class rate::curve {
 public:
  curve() = default;
  curve(const curve&) = delete;
  curve& operator=(const curve&) = delete;
  virtual ~curve() = default;
  [[nodiscard]] virtual double at(double seconds) const = 0;
  [[nodiscard]] virtual double items(double seconds) const = 0;
  [[nodiscard]] virtual double when(double items) const = 0;
};

namespace {

// Straight lines, one after the other: again and again, or the last one for ever.
class lines final : public rate::curve {
 public:
  struct line {
    double seconds, from, to;  // how long, and the rates at its ends
  };

  lines(const std::vector<line>& all, bool again) : again_(again) {
    double begin = 0;
    double items = 0;
    for (const auto& l : all) {
      parts_.push_back({begin, l.seconds, l.from, l.to, items});
      begin += l.seconds;
      items += l.seconds * (l.from + l.to) / 2;
    }
    period_ = begin;
    per_period_ = items;
    last_ = all.back().to;
  }

  [[nodiscard]] double at(double seconds) const override {
    if (!again_ && seconds >= period_) return last_;
    const auto [rounds, rest] = split(seconds, period_);
    const auto& p = part_at(rest);
    return p.from + (p.to - p.from) * (rest - p.begin) / p.seconds;
  }

  [[nodiscard]] double items(double seconds) const override {
    if (!again_ && seconds >= period_) return per_period_ + (seconds - period_) * last_;
    const auto [rounds, rest] = split(seconds, period_);
    const auto& p = part_at(rest);
    const double t = rest - p.begin;
    return rounds * per_period_ + p.before + t * (p.from + (p.to - p.from) * t / p.seconds / 2);
  }

  [[nodiscard]] double when(double items) const override {
    if (!again_ && items >= per_period_) {
      if (items == per_period_ && items > 0 && last_ == 0) return period_;
      return last_ > 0 ? period_ + (items - per_period_) / last_ : never;
    }
    const auto [rounds, rest] = split(items, per_period_);
    // The last part in which that many have not come before it begins: those with nothing are passed over.
    auto p = std::upper_bound(parts_.begin(), parts_.end(), rest,
                              [](double n, const part& next) { return n < next.before; });
    p = std::prev(p);
    return rounds * period_ + p->begin + p->time_of(rest - p->before);
  }

 private:
  struct part {
    double begin, seconds, from, to, before;

    // When so many have come in it: from t + (to - from) t^2 / (2 seconds) = items, solved so that nothing
    // cancels where the line is nearly level.
    [[nodiscard]] double time_of(double items) const {
      const double slope = (to - from) / seconds;
      const double root = std::sqrt(std::max(0.0, from * from + 2 * slope * items));
      return from + root > 0 ? std::min(seconds, 2 * items / (from + root)) : 0;
    }
  };

  [[nodiscard]] std::pair<double, double> split(double value, double of) const {
    if (!again_) return {0, value};
    const double rounds = std::floor(value / of);
    return {rounds, std::clamp(value - rounds * of, 0.0, of)};
  }
  [[nodiscard]] const part& part_at(double seconds) const {
    const auto p = std::upper_bound(parts_.begin(), parts_.end(), seconds,
                                    [](double t, const part& next) { return t < next.begin; });
    return p == parts_.begin() ? *p : *std::prev(p);
  }

  std::vector<part> parts_;
  bool again_;
  double period_ = 0, per_period_ = 0, last_ = 0;
};

class sine final : public rate::curve {
 public:
  explicit sine(const rate::swing& s) : swing_(s) {}

  [[nodiscard]] double at(double seconds) const override {
    return middle() + amplitude() * std::sin(turn() * phase(seconds));
  }
  [[nodiscard]] double items(double seconds) const override {
    return middle() * seconds +
           amplitude() * swing_.period / turn() * (1 - std::cos(turn() * phase(seconds)));
  }
  // Newton's method between two bounds that close in: it ends wherever the rate comes near 0.
  [[nodiscard]] double when(double items) const override {
    const double rounds = std::floor(items / (middle() * swing_.period));
    double low = rounds * swing_.period;
    double high = low + swing_.period;
    double t = low + (items / middle() - low) / 2;
    for (int i = 0; i < 100 && high - low > 1e-12 * (1 + high); ++i) {
      const double missing = items - this->items(t);
      (missing > 0 ? low : high) = t;
      const double r = at(t);
      const double next = r > 0 ? t + missing / r : low;
      if (std::abs(next - t) < 1e-10) return std::clamp(next, low, high);
      t = next > low && next < high ? next : (low + high) / 2;
    }
    return t;
  }

 private:
  static constexpr double turn() { return 2 * std::numbers::pi; }
  [[nodiscard]] double phase(double seconds) const {
    return seconds / swing_.period - std::floor(seconds / swing_.period);
  }
  [[nodiscard]] double middle() const { return (swing_.min + swing_.max) / 2; }
  [[nodiscard]] double amplitude() const { return (swing_.max - swing_.min) / 2; }

  rate::swing swing_;
};

// One item at each of these times.
class moments final : public rate::curve {
 public:
  explicit moments(std::vector<double> times) : times_(std::move(times)) {}

  // Of an item and the one before it.
  [[nodiscard]] double at(double seconds) const override {
    const auto next = std::upper_bound(times_.begin(), times_.end(), seconds);
    if (next == times_.end()) return 0;
    const double before = next == times_.begin() ? 0 : *std::prev(next);
    return *next > before ? 1 / (*next - before) : std::numeric_limits<double>::max();
  }
  [[nodiscard]] double items(double seconds) const override {
    return static_cast<double>(std::lower_bound(times_.begin(), times_.end(), seconds) - times_.begin());
  }
  [[nodiscard]] double when(double items) const override {
    const auto n = static_cast<std::size_t>(std::ceil(std::max(0.0, items)));
    return n < times_.size() ? times_[n] : never;
  }

 private:
  std::vector<double> times_;
};

void check(const rate::step& s) {
  require(std::isfinite(s.seconds) && s.seconds > 0, "a step must take more than 0 seconds");
  require(is_rate(s.rate), "rates must be 0 or more items per second");
}

// The numbers of a line, one or two.
std::pair<std::array<double, 2>, std::size_t> numbers_of(std::string_view line) {
  std::array<double, 2> all{};
  std::size_t n = 0;
  const auto* at = line.data();
  const auto* const end = line.data() + line.size();
  const auto blanks = [&] {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
  };
  for (;; ++at) {
    blanks();
    if (n == all.size()) return {all, 0};
    const auto [next, wrong] = std::from_chars(at, end, all[n]);
    if (wrong != std::errc() || !is_rate(all[n])) return {all, 0};
    ++n;
    at = next;
    blanks();
    if (at == end) return {all, n};
    if (*at != ',') return {all, 0};
  }
}

}  // namespace

rate::rate(double items_per_second) {
  require(std::isfinite(items_per_second) && items_per_second > 0,
          "it must be above 0 items per second, not " + std::to_string(items_per_second));
  curve_ = std::make_shared<lines>(std::vector<lines::line>{{1, items_per_second, items_per_second}}, false);
}

rate rate::wave(swing s) {
  check(s);
  return rate(std::make_shared<sine>(s));
}

rate rate::binary(swing s) {
  check(s);
  return steps({{s.period / 2, s.min}, {s.period / 2, s.max}});
}

rate rate::increasing(swing s) {
  check(s);
  return rate(std::make_shared<lines>(std::vector<lines::line>{{s.period, s.min, s.max}}, false));
}

rate rate::decreasing(swing s) {
  check(s);
  return rate(std::make_shared<lines>(std::vector<lines::line>{{s.period, s.max, s.min}}, false));
}

rate rate::spike(swing s, double share) {
  check(s);
  require(share > 0 && share <= 1, "a spike's share of the period must be above 0 and at most 1");
  std::vector<lines::line> all;
  if (share < 1) all.push_back({s.period * (1 - share), s.min, s.min});
  all.push_back({s.period * share, s.min, s.max});
  return rate(std::make_shared<lines>(all, true));
}

rate rate::steps(const std::vector<step>& all) {
  std::vector<lines::line> made;
  bool any = false;
  for (const auto& s : all) {
    check(s);
    any = any || s.rate > 0;
    made.push_back({s.seconds, s.rate, s.rate});
  }
  require(any, "no item would ever be due: no step has a rate above 0");
  return rate(std::make_shared<lines>(made, true));
}

rate rate::bursts(double on, double off, double items_per_second) {
  require(items_per_second > 0, "no item would ever be due: the rate of the bursts is not above 0");
  return steps({{on, items_per_second}, {off, 0}});
}

rate rate::trace(const std::string& file) {
  std::ifstream in(file);
  require(in.good(), "the trace '" + file + "' cannot be read");
  std::vector<std::array<double, 2>> all;
  std::size_t columns = 0;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    // Spreadsheets put a mark before UTF-8.
    if (constexpr std::string_view mark = "\xEF\xBB\xBF"; ++number == 1 && line.starts_with(mark))
      line.erase(0, mark.size());
    const auto where = "the trace '" + file + "', line " + std::to_string(number) + ": ";
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    const auto [values, n] = numbers_of(line);
    require(n > 0, where + "'" + line +
                       "' must be one number, or two as in `1.5, 200` (seconds, rate), none below 0; a "
                       "heading begins with #");
    require(columns == 0 || columns == n, where + "the lines before it have " + std::to_string(columns) +
                                              (columns == 1 ? " number" : " numbers"));
    columns = n;
    // Two items may come at once, but a rate holds for some time.
    require(all.empty() || values[0] > all.back()[0] || (n == 1 && values[0] == all.back()[0]),
            where + "times must rise");
    all.push_back(values);
  }
  require(!in.bad(), "the trace '" + file + "' cannot be read to its end");
  require(!all.empty(), "the trace '" + file + "' has no line with numbers");
  if (columns == 1) {
    std::vector<double> times;
    for (const auto& line : all) times.push_back(line[0]);
    return rate(std::make_shared<moments>(std::move(times)));
  }
  std::vector<lines::line> made;
  bool any = false;
  if (all.front()[0] > 0) made.push_back({all.front()[0], 0, 0});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double seconds = i + 1 < all.size() ? all[i + 1][0] - all[i][0] : 1;  // the last one stays
    made.push_back({seconds, all[i][1], all[i][1]});
    any = any || all[i][1] > 0;
  }
  require(any, "no item would ever be due: the trace '" + file + "' has no rate above 0");
  return rate(std::make_shared<lines>(made, false));
}

rate rate::poisson(std::uint64_t seed) const {
  auto random = *this;
  random.seed_ = seed;
  return random;
}

double rate::at(double seconds) const {
  return curve_->at(std::max(0.0, seconds));
}

double rate::items(double seconds) const {
  return curve_->items(std::max(0.0, seconds));
}

double rate::when(double items) const {
  return curve_->when(std::max(0.0, items));
}

}  // namespace THALWEG_NAMESPACE
