#include "apps/xml_transform/statement.hpp"

#include <array>
#include <string_view>

#include "apps/support/random.hpp"

namespace apps::xml_transform {
namespace {

constexpr std::uint32_t products = 400, lines_of_order = 8;

constexpr std::array<std::string_view, 6> customers = {"Müller & Söhne", "O'Neill <Holding>",
                                                       "Żółć i Spółka",  "Smith and Daughters",
                                                       "Frères Lefèvre", "\"Nord\" AB"};

std::string two_digits(std::int64_t number) {
  return std::to_string(100 + number).substr(1);
}

}  // namespace

statement invent_statement(std::uint64_t seed, std::uint32_t number, std::uint32_t lines) {
  random dice((seed << 32) + number);
  statement made;
  made.number = number;
  made.customer = customers[dice.below(customers.size())];
  made.customer += " " + std::to_string(dice.below(1'000));
  const double share = dice.uniform();
  auto left = 1 + static_cast<std::uint32_t>(share * share * share * lines);
  while (left > 0) {
    auto& order = made.orders.emplace_back();
    order.date = "2024-" + two_digits(dice.between(1, 12));
    order.date += "-" + two_digits(dice.between(1, 28));
    for (auto of = 1 + dice.below(2 * lines_of_order); of > 0 && left > 0; --of, --left) {
      auto& line = order.lines.emplace_back();
      line.product = static_cast<std::uint32_t>(dice.below(1 + dice.below(products)));
      line.quantity = static_cast<std::uint32_t>(dice.between(1, 30));
      line.cents = line.quantity * static_cast<std::uint64_t>(95 + 7 * line.product);
    }
  }
  return made;
}

std::string xml_of(const statement& from) {
  auto text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<statement number=\"" +
              std::to_string(from.number) + "\">\n  <customer>" + escaped(from.customer) + "</customer>\n";
  for (const auto& order : from.orders) {
    text += "  <order date=\"" + order.date + "\">\n";
    for (const auto& line : order.lines)
      text += "    <line product=\"P" + std::to_string(1'000 + line.product) + "\" quantity=\"" +
              std::to_string(line.quantity) + "\" cents=\"" + std::to_string(line.cents) + "\"/>\n";
    text += "  </order>\n";
  }
  return text + "</statement>\n";
}

std::string escaped(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (c == '&')
      made += "&amp;";
    else if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else
      made += c;
  }
  return made;
}

}  // namespace apps::xml_transform
