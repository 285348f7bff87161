#include "apps/fraud_detection/inputs.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "apps/fraud_detection/model.hpp"
#include "apps/support/choice.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/random.hpp"
#include "apps/support/zipf.hpp"

namespace apps::fraud_detection {
namespace {

using weights = std::vector<std::uint64_t>;

/// What holders of cards do: seldom spend much, buy expensive things only when they do, rarely twice in a
/// short time.
weights weights_after(type from) {
  constexpr std::array<std::array<std::uint64_t, 3>, 3> amount = {{{6, 5, 1}, {4, 8, 1}, {6, 5, 1}}};
  constexpr std::array<std::array<std::uint64_t, 2>, 3> ticket = {{{59, 1}, {55, 5}, {40, 20}}};
  constexpr std::array<std::array<std::uint64_t, 3>, 3> gap = {{{9, 10, 1}, {8, 11, 1}, {10, 9, 1}}};
  weights result;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t g = 0; g < 3; ++g)
        result.push_back(amount[(from - 1U) / 6][a] * ticket[a][t] * gap[(from - 1U) % 3][g]);
  return result;
}

/// What thieves do: buy expensive things, fast, with a small payment now and then to see whether the card
/// still works.
weights weights_of_fraud() {
  constexpr std::array<std::uint64_t, 3> amount = {2, 2, 8};
  constexpr std::array<std::array<std::uint64_t, 2>, 3> ticket = {{{10, 0}, {4, 6}, {2, 8}}};
  constexpr std::array<std::uint64_t, 3> gap = {0, 1, 9};
  weights result;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t g = 0; g < 3; ++g) result.push_back(amount[a] * ticket[a][t] * gap[g]);
  return result;
}

/// A name of N letters and digits for each number below 2^bits, no two alike: an odd factor goes through all.
template <std::size_t N> name<N> name_of(std::uint64_t number, int bits) {
  number = (number + 1) * 0x9E3779B97F4A7C15 & ((std::uint64_t{1} << bits) - 1);
  name<N> result;
  for (auto& character : result.characters) {
    character = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 36];
    number /= 36;
  }
  return result;
}

/// Cards in use: which comes next, what it is used for, and by whom.
class cards {
 public:
  /// `frauds`: whether there are any.
  cards(std::uint64_t seed, std::uint64_t count, bool frauds)
      : dice_(seed),
        seed_(seed),
        frauds_(frauds),
        popular_(zipf_weights(count, 10)),
        stolen_(weights_of_fraud()),
        last_(count, 8),
        used_(count) {
    for (type from = 1; from <= types; ++from) usual_.emplace_back(weights_after(from));
  }

  struct use {
    transaction item;
    std::uint32_t episode = 0;  ///< of fraud, counted from 1; 0: the holder's
  };

  use next() {
    if (!episodes_.empty() && dice_.below(32) == 0) return by_thief();
    const auto card = popular_(dice_);
    if (frauds_ && used_[card] >= history::length && dice_.below(2500) == 0)
      episodes_.push_back({card, ++begun_, static_cast<std::uint32_t>(dice_.between(6, 9))});
    last_[card] = static_cast<type>(usual_[last_[card] - 1U](dice_) + 1);
    return {make(card, last_[card]), 0};
  }

 private:
  struct episode {
    std::uint32_t card;
    std::uint32_t number;
    std::uint32_t left;
  };

  use by_thief() {
    const auto i = dice_.below(episodes_.size());
    const auto [card, number, left] = episodes_[i];
    if (--episodes_[i].left == 0) episodes_.erase(episodes_.begin() + static_cast<std::ptrdiff_t>(i));
    return {make(card, static_cast<type>(stolen_(dice_) + 1)), number};
  }
  transaction make(std::uint32_t card, type type) {
    ++used_[card];
    return {name_of<10>(card + (seed_ << 32), 51), name_of<12>(made_++ + (seed_ << 40), 62), type};
  }

  random dice_;
  std::uint64_t seed_;
  bool frauds_;
  choice popular_;
  choice stolen_;
  std::vector<choice> usual_;
  std::vector<type> last_;
  std::vector<std::uint32_t> used_;
  std::vector<episode> episodes_;
  std::uint32_t begun_ = 0;
  std::uint64_t made_ = 0;
};

void append(std::string& text, const transaction& item) {
  text.append(item.card.text()).append(",").append(item.id.text()).append(",");
  text.append(type_names[item.type - 1U]).append("\n");
}

constexpr std::uint64_t trained_with = 100'000;

}  // namespace

const input& input_named(std::string_view name) {
  const auto found = std::ranges::find(inputs, name, &input::name);
  if (found == inputs.end()) throw error("fraud_detection has no input '" + std::string(name) + "'");
  return *found;
}

void generate(std::string_view name, const std::filesystem::path& folder, const progress& progress) {
  const auto& input = input_named(name);
  const auto all = trained_with + input.transactions;
  constexpr std::uint64_t step = 10'000;
  std::string text;

  // Past transactions of fewer cards, known to be their holders'.
  output_file training(folder / training_file);
  cards past(input.seed + 1000, trained_with / 50, false);
  for (std::uint64_t i = 0; i < trained_with; ++i) {
    append(text, past.next().item);
    if (i % step != step - 1) continue;
    training.write(std::exchange(text, {}));
    if (progress) progress(i + 1, all);
  }
  training.close();
  model::train(folder / training_file).save(folder / model_file);

  output_file transactions(folder / transactions_file);
  output_file planted(folder / planted_file);
  cards now(input.seed, input.transactions / 20, true);
  for (std::uint64_t i = 0; i < input.transactions; ++i) {
    const auto [item, episode] = now.next();
    append(text, item);
    if (episode) {
      const auto line = std::to_string(episode).append(",").append(item.card.text()).append(",");
      planted.write(std::string(line).append(item.id.text()).append("\n"));
    }
    if (i % step != step - 1) continue;
    transactions.write(std::exchange(text, {}));
    if (progress) progress(trained_with + i + 1, all);
  }
  transactions.close();
  planted.close();
}

}  // namespace apps::fraud_detection
