#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/ferret/earth_mover.hpp"
#include "apps/ferret/ferret.hpp"
#include "apps/ferret/inputs.hpp"
#include "apps/support/error.hpp"
#include "apps/support/rounded.hpp"

namespace apps::ferret {
namespace {

constexpr std::size_t most_compared = 24;  // queries, with an exhaustive ranking
constexpr double least_recall = 0.75, least_of_families = 0.5;

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class T> using by_name = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;

by_name<std::uint32_t> read_families(const std::filesystem::path& file) {
  const auto text = read_file(file);
  by_name<std::uint32_t> families;
  auto rest = view(text);
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto comma = rest.substr(0, end).rfind(',');
    std::uint32_t family = 0;
    if (comma == rest.npos ||
        std::from_chars(rest.data() + comma + 1, rest.data() + end, family).ptr != rest.data() + end)
      throw error(file.string() + ":" + std::to_string(line) + ": not picture,family");
    families.emplace(rest.substr(0, comma), family);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return families;
}

/// What the names of an input say.
class truth {
 public:
  truth(const std::filesystem::path& folder, const database& collection)
      : families_(read_families(folder / families_file)), path_(folder / families_file) {
    for (std::uint32_t i = 0; i < collection.size(); ++i) {
      numbers_.emplace(collection.name(i), i);
      ++members_[family_of(collection.name(i))];
    }
  }

  /// The number of a picture of the collection; nothing for another name.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view picture) const {
    const auto found = numbers_.find(picture);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] std::uint32_t family_of(std::string_view picture) const {
    const auto found = families_.find(picture);
    if (found == families_.end())
      throw error(path_.string() + ": has no family of '" + std::string(picture) + "'");
    return found->second;
  }
  /// How many pictures of the collection are of a family.
  [[nodiscard]] std::size_t members(std::uint32_t family) const {
    const auto found = members_.find(family);
    return found == members_.end() ? 0 : found->second;
  }

 private:
  by_name<std::uint32_t> families_;
  by_name<std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, std::size_t> members_;
  std::filesystem::path path_;
};

/// `12.345`, with as many digits as `unit_weight` has zeros; nothing if it is something else.
std::optional<std::uint32_t> parse_distance(std::string_view text) {
  std::uint32_t whole = 0, fraction = 0;
  const auto* const last = text.data() + text.size();
  const auto [point, wrong] = std::from_chars(text.data(), last, whole);
  if (wrong != std::errc() || last - point != 4 || *point != '.') return std::nullopt;
  if (std::from_chars(point + 1, last, fraction).ptr != last) return std::nullopt;
  return whole * unit_weight + fraction;
}

/// The ranking in a line behind the name; says what is wrong with it.
std::string parse_ranking(std::string_view line, const truth& known, std::vector<match>& ranking) {
  std::vector<std::uint32_t> seen;
  while (!line.empty()) {
    line.remove_prefix(1);
    const auto entry = line.substr(0, line.find('\t'));
    line.remove_prefix(entry.size());
    const auto colon = std::min(entry.rfind(':'), entry.size());
    const auto picture = known.number_of(entry.substr(0, colon));
    const auto distance = colon < entry.size() ? parse_distance(entry.substr(colon + 1)) : std::nullopt;
    if (!picture || !distance) return "'" + std::string(entry) + "' is no picture:distance of this input";
    const match next{*picture, *distance};
    if (!ranking.empty() && next < ranking.back())
      return "'" + std::string(entry) + "' is nearer than the one before";
    ranking.push_back(next);
    seen.push_back(next.picture);
  }
  if (ranking.empty()) return "has no ranking";
  if (ranking.size() > ranked) return "has more than " + std::to_string(ranked) + " pictures";
  std::ranges::sort(seen);
  if (std::ranges::adjacent_find(seen) != seen.end()) return "has a picture twice";
  return {};
}

double mean(double sum, std::size_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

/// Computes the distances of rankings again, and compares some with exhaustive ones.
class judge {
 public:
  explicit judge(const database& collection) : collection_(collection), everything_(collection.size()) {
    std::iota(everything_.begin(), everything_.end(), 0);
  }

  /// Says what is wrong. If it is to be compared, too, what the program has missed counts for the recall.
  std::string see(query asked, const std::vector<match>& ranking, bool compared) {
    const auto described = extract{}(segmentation_(std::move(asked))).description;
    for (const auto& [picture, distance] : ranking)
      if (earth_mover_distance(described, collection_[picture]) != distance)
        return "has a wrong distance of '" + std::string(collection_.name(picture)) + "'";
    if (!compared) return {};
    const auto best = nearest(collection_, described, everything_);
    std::size_t found = 0;
    for (const auto& one : best) found += std::ranges::binary_search(ranking, one) ? 1 : 0;
    recall_ += mean(static_cast<double>(found), best.size());
    ++compared_;
    return {};
  }
  [[nodiscard]] double recall() const { return mean(recall_, compared_); }
  [[nodiscard]] std::size_t compared() const { return compared_; }

 private:
  const database& collection_;
  std::vector<std::uint32_t> everything_;
  segmentation segmentation_;
  double recall_ = 0;
  std::size_t compared_ = 0;
};

}  // namespace

verdict verify(std::string_view name, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto& input = input_named(name);
  input_file is_there(output);
  const auto collection = database::load(folder / database_file);
  const truth known(folder, collection);
  judge judge(collection);
  source next(folder / queries_file);
  std::ifstream lines(output, std::ios::binary);
  const auto stride = std::max<std::size_t>(input.queries / most_compared, 1);

  std::string line;
  std::uint64_t number = 0;
  double of_families = 0;
  const auto wrong = [&](const std::string& what) {
    return verdict{false, output.string() + ":" + std::to_string(number + 1) + ": " + what};
  };
  for (; auto asked = next(); ++number) {
    if (!std::getline(lines, line)) return wrong("query '" + asked->name + "' is missing");
    if (lines.eof()) return wrong("is cut off");
    const auto query = std::string_view(line).substr(0, line.find('\t'));
    if (query != asked->name)
      return wrong("'" + std::string(query) + "' comes where '" + asked->name + "' is due");
    std::vector<match> ranking;
    if (const auto what = parse_ranking(std::string_view(line).substr(query.size()), known, ranking);
        !what.empty())
      return wrong(what);
    const auto family = known.family_of(query);
    std::size_t found = 0;
    for (const auto& one : ranking) found += known.family_of(collection.name(one.picture)) == family ? 1 : 0;
    of_families += mean(static_cast<double>(found), std::min(known.members(family), ranked));
    if (const auto what = judge.see(std::move(*asked), ranking, number % stride == 0); !what.empty())
      return wrong(what);
  }
  if (std::getline(lines, line)) return wrong("there are more lines than queries");

  of_families = mean(of_families, number);
  const bool good = judge.recall() >= least_recall && of_families >= least_of_families;
  return {good, std::to_string(number) + " rankings; recall " + rounded(judge.recall(), 3) +
                    " of exhaustive ones (" + std::to_string(judge.compared()) + " queries), " +
                    rounded(of_families, 3) + " of the families" +
                    (good ? "" : ": may not be below 0.75 and 0.5")};
}

}  // namespace apps::ferret
