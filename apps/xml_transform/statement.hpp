#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apps::xml_transform {

/// What the documents of an input hold: a customer's orders over a year.
struct statement {
  struct line {
    std::uint32_t product = 0;
    std::uint32_t quantity = 0;
    std::uint64_t cents = 0;  ///< of all of them
  };
  struct order {
    std::string date;  ///< year-month-day
    std::vector<line> lines;
  };
  std::uint32_t number = 0;
  std::string customer;  ///< in UTF-8, not escaped
  std::vector<order> orders;
};

/// Invents one: `lines` lines at most, few of them mostly, many rarely. The same on every machine.
statement invent_statement(std::uint64_t seed, std::uint32_t number, std::uint32_t lines);

/// The document that holds it.
std::string xml_of(const statement& from);

/// Text as a document has it: with references for what has a meaning there.
std::string escaped(const std::string& text);

}  // namespace apps::xml_transform
