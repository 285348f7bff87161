#include "apps/fraud_detection/model.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "apps/fraud_detection/source.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps::fraud_detection {
namespace {

constexpr std::uint32_t million = 1'000'000;

/// The lines of a model file, each split at its commas; knows where it is, for errors.
class lines {
 public:
  explicit lines(const std::filesystem::path& file) : path_(file) {
    if (std::filesystem::is_directory(path_)) throw error(path_.string() + ": is a folder");
    in_.open(path_);
    if (!in_) throw error(path_.string() + ": cannot be read");
  }

  /// The values of the next line; `what` it should be.
  const std::vector<std::string_view>& next(std::string_view what) {
    ++number_;
    if (!std::getline(in_, text_)) fail("ends where there should be " + std::string(what));
    if (text_.ends_with('\r')) text_.pop_back();
    values_.clear();
    std::string_view rest = text_;
    for (auto comma = rest.find(','); comma != rest.npos; comma = rest.find(',')) {
      values_.push_back(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
    }
    values_.push_back(rest);
    return values_;
  }
  void end() {
    ++number_;
    if (in_.peek() != std::ifstream::traits_type::eof()) fail("more than a model");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw error(path_.string() + ":" + std::to_string(number_) + ": " + what);
  }
  double number(std::string_view text, double most) const {
    double value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool fits = value >= 0 && value <= most;  // which NaN does not
    if (wrong != std::errc() || end != text.data() + text.size() || !fits)
      fail("'" + std::string(text) + "' is not a number from 0 to " + std::to_string(std::lround(most)));
    return value;
  }

 private:
  std::filesystem::path path_;
  std::ifstream in_;
  std::string text_;
  std::vector<std::string_view> values_;
  std::size_t number_ = 0;
};

/// `units` of which 10^digits are one.
std::string decimal(std::uint32_t units, std::size_t digits) {
  auto text = std::to_string(units);
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  return text.insert(text.size() - digits, ".");
}

}  // namespace

std::uint16_t surprise_of(std::uint32_t millionths) {
  // log2 of a 32-bit mantissa between 1 and 2, bit by bit: squaring it doubles its logarithm.
  const auto log2 = [](std::uint64_t value) {
    constexpr int fraction = 24;
    const auto whole = std::bit_width(value) - 1;
    auto mantissa = value << (31 - whole);
    std::uint64_t result = static_cast<std::uint64_t>(whole);
    for (int bit = 0; bit < fraction; ++bit) {
      mantissa = (mantissa * mantissa) >> 31;
      result = 2 * result + (mantissa >> 32);
      mantissa >>= mantissa >> 32;
    }
    return result;
  };
  return static_cast<std::uint16_t>(((log2(million) - log2(millionths)) * 100 + (1 << 23)) >> 24);
}

void model::set(type from, type to, std::uint32_t millionths) {
  probability_[from - 1][to - 1] = millionths;
  surprise_[from][to] = surprise_of(std::max(millionths, 1U));
}

model model::load(const std::filesystem::path& file) {
  lines in(file);
  const auto fits = [&in](std::size_t count, std::string_view what) {
    if (count != types)
      in.fail(std::to_string(count) + " " + std::string(what) + " instead of " + std::to_string(types));
  };
  const auto& names = in.next("the names of the types");
  fits(names.size(), "types");
  std::array<type, types> order{};
  for (std::size_t i = 0; i < types; ++i) {
    const auto known = std::ranges::find(type_names, names[i]);
    if (known == type_names.end()) in.fail("there is no type '" + std::string(names[i]) + "'");
    order[i] = static_cast<type>(known - type_names.begin() + 1);
    if (std::find(order.begin(), order.begin() + i, order[i]) != order.begin() + i)
      in.fail("type '" + std::string(names[i]) + "' comes twice");
  }
  model read;
  for (const auto from : order) {
    const auto& row = in.next("the probabilities after " + std::string(type_names[from - 1]));
    fits(row.size(), "probabilities");
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < types; ++i) {
      const auto millionths = static_cast<std::uint32_t>(std::lround(in.number(row[i], 1) * million));
      read.set(from, order[i], millionths);
      sum += millionths;
    }
    if (sum < million - 1000 || sum > million + 1000)
      in.fail("the probabilities add up to " + decimal(sum, 6));
  }
  const auto& last = in.next("the threshold");
  if (last.size() != 2 || last[0] != "threshold") in.fail("not 'threshold' and a number of bits");
  read.threshold_ = static_cast<std::uint32_t>(std::lround(in.number(last[1], 1000) * 100));
  in.end();
  return read;
}

model model::train(const std::filesystem::path& transactions, double false_alarms) {
  std::array<std::array<std::uint64_t, types + 1>, types + 1> counts{};
  {
    source next(transactions);
    histories cards;
    while (const auto item = next()) {
      auto& past = cards.of(item->card);
      ++counts[past.types().back()][item->type];
      past.add(item->type);
    }
  }
  model learned;
  for (type from = 1; from <= types; ++from) {
    std::uint64_t all = types;
    for (type to = 1; to <= types; ++to) all += counts[from][to];
    for (type to = 1; to <= types; ++to) {
      const auto millionths = ((counts[from][to] + 1) * million + all / 2) / all;
      learned.set(from, to, static_cast<std::uint32_t>(std::max<std::uint64_t>(millionths, 1)));
    }
  }
  // How often there was each surprise, from which the threshold follows.
  std::vector<std::uint64_t> often((history::length - 1) * surprise_of(1) + 1);
  std::uint64_t count = 0;
  {
    source next(transactions);
    histories cards;
    for (; const auto item = next(); ++count) {
      auto& past = cards.of(item->card);
      past.add(item->type);
      ++often[learned.surprise(past)];
    }
  }
  const auto allowed = static_cast<std::uint64_t>(false_alarms * static_cast<double>(count));
  learned.threshold_ = static_cast<std::uint32_t>(often.size());
  for (std::uint64_t above = 0; learned.threshold_ > 1; --learned.threshold_) {
    above += often[learned.threshold_ - 1];
    if (above > allowed) break;
  }
  return learned;
}

void model::save(const std::filesystem::path& file) const {
  std::string text;
  for (const auto name : type_names) text.append(name).append(",");
  text.back() = '\n';
  for (const auto& row : probability_) {
    for (const auto millionths : row) text.append(decimal(millionths, 6)).append(",");
    text.back() = '\n';
  }
  text.append("threshold,").append(decimal(threshold_, 2)).append("\n");
  output_file out(file);
  out.write(text);
  out.close();
}

}  // namespace apps::fraud_detection
