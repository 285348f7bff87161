#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "apps/fraud_detection/fraud_detection.hpp"
#include "apps/fraud_detection/inputs.hpp"
#include "apps/support/error.hpp"

namespace apps::fraud_detection {
namespace {

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <typename T> using by_text = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;

std::string line_of(const alarm& alarm) {
  char line[40];
  return {line, write_line(alarm, line) - 1};
}

/// Reads a text file line by line. \throws apps::error  if it cannot be read
template <typename F> void for_each_line(const std::filesystem::path& file, F f) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw error(file.string() + ": cannot be read");
  std::string line;
  for (std::uint64_t number = 1; std::getline(in, line); ++number)
    if (!f(number, std::string_view(line), !in.eof())) return;
}

/// Which transactions were planted: their episodes.
by_text<std::uint32_t> read_planted(const std::filesystem::path& file) {
  by_text<std::uint32_t> episodes;
  for_each_line(file, [&](std::uint64_t number, std::string_view line, bool) {
    std::uint32_t episode = 0;
    const auto [end, wrong] = std::from_chars(line.data(), line.data() + line.size(), episode);
    const auto comma = line.rfind(',');
    if (wrong != std::errc() || episode == 0 || comma == line.npos || *end != ',' ||
        end == line.data() + comma)
      throw error(file.string() + ":" + std::to_string(number) + ": not episode,card,transaction");
    episodes.emplace(line.substr(comma + 1), episode);
    return true;
  });
  return episodes;
}

/// What a sequential run gives.
struct reference {
  by_text<std::uint64_t> alarms;  ///< each line, and how often it comes
  double precision = 0;
  double recall = 0;
};

/// Counts, while the transactions go by once, which alarms are right: those while a card's history has a
/// planted transaction in it.
class judge {
 public:
  explicit judge(by_text<std::uint32_t> planted) : planted_(std::move(planted)) {}

  void see(const transaction& item, bool alarm) {
    auto& recent = recent_[item.card];
    std::ranges::copy(recent.begin() + 1, recent.end(), recent.begin());
    const auto found = planted_.find(item.id.text());
    recent.back() = found == planted_.end() ? 0 : found->second;
    if (recent.back()) there_.insert(recent.back());
    if (!alarm) return;
    ++alarms_;
    bool is_right = false;
    for (const auto episode : recent) {
      if (episode == 0) continue;
      is_right = true;
      shown_.insert(episode);
    }
    right_ += is_right;
  }
  double precision() const {
    return alarms_ ? static_cast<double>(right_) / static_cast<double>(alarms_) : 0;
  }
  double recall() const {
    return there_.empty() ? 0 : static_cast<double>(shown_.size()) / static_cast<double>(there_.size());
  }

 private:
  by_text<std::uint32_t> planted_;
  std::unordered_map<card, std::array<std::uint32_t, history::length>> recent_;
  std::unordered_set<std::uint32_t> there_;
  std::unordered_set<std::uint32_t> shown_;
  std::uint64_t alarms_ = 0;
  std::uint64_t right_ = 0;
};

reference run_sequentially(const input& input, const std::filesystem::path& folder) {
  const auto file = folder / transactions_file;
  source next(file, {.transactions = (history::length + 1) * input.transactions, .time = {}});
  predictor predict(model::load(folder / model_file), input.transactions / 10);
  judge judge(read_planted(folder / planted_file));
  reference result;
  // A card's history depends on nothing but its last few transactions: after as many passes over the file all
  // further ones are alike, and need not be run.
  const auto passes = input.extent.transactions.value_or(0) / input.transactions;
  const auto rest = input.extent.transactions.value_or(0) % input.transactions;
  for (std::uint64_t pass = 0; pass <= history::length; ++pass)
    for (std::uint64_t i = 0; i < input.transactions; ++i) {
      const auto item = next();
      const auto alarm = predict(*item);
      if (pass == 0) judge.see(*item, alarm.has_value());
      if (!alarm) continue;
      std::uint64_t times = pass < passes;
      if (pass == history::length && pass < passes) times = passes - pass;
      times += i < rest && pass == std::min<std::uint64_t>(passes, history::length);
      if (input.extent.time) times = 1;
      if (times) result.alarms[line_of(*alarm)] += times;
    }
  result.precision = judge.precision();
  result.recall = judge.recall();
  return result;
}

std::string rounded(double share) {
  const auto text = std::to_string(std::lround(share * 1000) + 10000);
  return text.substr(1, 1) + "." + text.substr(2);
}

}  // namespace

verdict verify(std::string_view name, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto& input = input_named(name);
  const bool counted = input.extent.transactions.has_value();
  if (!std::filesystem::exists(output)) throw error(output.string() + ": is not there");
  auto [expected, precision, recall] = run_sequentially(input, folder);

  verdict result;
  std::uint64_t read = 0;
  for_each_line(output, [&](std::uint64_t number, std::string_view line, bool whole) {
    const auto at = [&] {
      return output.string() + ":" + std::to_string(number) + ": '" + std::string(line) + "' ";
    };
    const auto found = expected.find(line);
    if (!whole)
      result.says = at() + "is cut off";
    else if (found == expected.end())
      result.says = at() + "is no alarm of this input";
    else if (counted && found->second-- == 0)
      result.says = at() + "comes too often";
    ++read;
    return result.says.empty();
  });
  if (!result.says.empty()) return result;

  if (counted) {
    std::uint64_t missing = 0;
    for (const auto& [line, times] : expected) missing += times;
    if (missing) {
      result.says = output.string() + ": " + std::to_string(missing) + " alarms of " +
                    std::to_string(read + missing) + " are missing";
      return result;
    }
  } else if (read == 0) {
    result.says = output.string() + ": has no alarms";
    return result;
  }
  result.good = precision >= 0.9 && recall >= 0.9;
  result.says = std::to_string(read) +
                (counted ? " alarms as in a sequential run" : " alarms, all of this input") + "; precision " +
                rounded(precision) + ", recall " + rounded(recall) +
                (result.good ? "" : ": neither may be below 0.9");
  return result;
}

}  // namespace apps::fraud_detection
