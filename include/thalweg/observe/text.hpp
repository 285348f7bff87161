// Numbers and tables for people: three digits and a unit, columns that line up.
#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::observe {

/// `value` with `digits` significant digits and without an exponent: `0.0123`, `1.23`, `123`, `123456`.
std::string number_text(double value, int digits = 3);

/// `value` with `decimals` digits after the point.
std::string fixed_text(double value, int decimals);

/// A duration in the unit that suits it: `4.25 ns`, `12.3 µs`, `850 ms`, `2.35 s`, `3 min 20 s`, `5 h 12
/// min`.
std::string duration_text(double nanoseconds);

/// A whole number in groups of three: `1 234 567`.
std::string count_text(std::uint64_t count);

/// A rate in items per second: `850 /s`, `42.5 k/s`, `1.23 M/s`.
std::string rate_text(double per_second);

/// A number of bytes: `850 B`, `42.5 kB`, `1.23 GB`; a kB has 1000.
std::string size_text(std::uint64_t bytes);

/// A part of a whole: `93 %`, `0.4 %`.
std::string percent_text(double part);

/// All parts one after the other.
std::string joined(std::initializer_list<std::string_view> parts);

/// The length of the valid UTF-8 sequence at the start of `text`, which is not empty; 0 if there is none.
std::size_t utf8_length(std::string_view text) noexcept;

/// `text` for a line of a terminal: characters that would move the cursor, give an order or turn the
/// direction of writing are shown as `\x1b` or `\u202e`, and so are bytes that are not UTF-8. For names and
/// messages from outside.
std::string printable(std::string_view text);

/// How many columns of a terminal `text` (UTF-8) fills, each character counted as one.
std::size_t text_width(std::string_view text) noexcept;

/// Rows of text whose columns line up, numbers to the right.
///
/// ```cpp
/// #include <thalweg/observe/text.hpp>
/// tw::observe::text_table table;
/// table.add_column("stage", tw::observe::text_table::left);
/// table.add_column("items");
/// table.add_row({"read", "1 000"});
/// assert(table.to_string() == "stage  items\n"
///                             "read   1 000\n");
/// ```
class text_table {
 public:
  enum alignment { left, right };

  void add_column(std::string title, alignment where = right);
  /// Cells from the first column on; missing ones stay empty. They are `printable`. A column without any text
  /// below its title is left out.
  void add_row(std::vector<std::string> cells);
  std::string to_string(std::string_view indent = "") const;

 private:
  struct column {
    std::string title;
    alignment where;
  };
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The entry of `names` that a user who wrote `wrong` most likely meant; empty if none is close.
std::string_view closest_name(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace THALWEG_NAMESPACE::observe
