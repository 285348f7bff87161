#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace THALWEG_NAMESPACE::observe {

namespace {

struct unit {
  double size;
  std::string_view name;
};

// The largest unit in which the value, as it will be printed, is at least 1: 999.7 µs prints as 1 ms, not as
// 1000 µs.
template <std::size_t N> std::string in_unit(double value, const unit (&units)[N]) {
  const unit* best = &units[0];
  for (const unit& u : units) {
    if (std::abs(value) >= u.size * 0.9995) best = &u;
  }
  std::string text = number_text(value / best->size);
  return text.append(best->name);
}

std::string two_units(double value, double size, std::string_view large, std::string_view small) {
  const double rounded = std::round(value);
  const double whole = std::floor(rounded / size);
  std::string text = count_text(static_cast<std::uint64_t>(whole));
  text.append(large);
  if (const double rest = rounded - whole * size; rest > 0)
    text.append(" ").append(fixed_text(rest, 0)).append(small);
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i != a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j != b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0: the whole path
}

bool is_continuation(unsigned char c) noexcept {
  return (c & 0xC0) == 0x80;
}

// Of a valid sequence.
std::uint32_t code_point(std::string_view sequence) noexcept {
  const auto lead = static_cast<unsigned char>(sequence.front());
  std::uint32_t code = sequence.size() == 1 ? lead : lead & (0x7FU >> sequence.size());
  for (const char c : sequence.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

// Control characters, ends of lines and paragraphs, and what sets the direction of writing.
bool gives_orders(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string hex_text(const char* prefix, std::uint32_t code, int digits) {
  constexpr char hex[] = "0123456789abcdef";
  std::string text(prefix);
  for (int i = digits - 1; i >= 0; --i) text += hex[code >> (4 * i) & 15U];
  return text;
}

}  // namespace

// No overlong forms, no surrogates, nothing above U+10FFFF (The Unicode Standard, table 3-7).
std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i != length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return length;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto valid = utf8_length(text);
    const auto sequence = text.substr(0, std::max<std::size_t>(valid, 1));
    if (valid == 0) {
      out += hex_text("\\x", static_cast<unsigned char>(text.front()), 2);
    } else if (const auto code = code_point(sequence); !gives_orders(code)) {
      out += sequence;
    } else {
      out += code < 0x80 ? hex_text("\\x", code, 2) : hex_text("\\u", code, 4);
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string fixed_text(double value, int decimals) {
  char text[400];
  const auto end =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::fixed, decimals).ptr;
  return {text, static_cast<std::size_t>(end - text)};
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (value == 0) return "0";
  // Round to the wanted digits first: 9.996 has one digit before the point, but prints as 10.0.
  const auto decimals_of = [&](double v) {
    return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(v)))), 0, 12);
  };
  const double scale = std::pow(10.0, decimals_of(value));
  const double rounded = std::round(value * scale) / scale;
  if (rounded == 0) return "0";
  return fixed_text(rounded, decimals_of(rounded));
}

std::string duration_text(double nanoseconds) {
  constexpr unit units[] = {{1, " ns"}, {1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}};
  const double seconds = nanoseconds / 1e9;
  if (std::isfinite(seconds) && seconds >= 59.95) {
    return seconds < 3599.5 ? two_units(seconds, 60, " min", " s")
                            : two_units(seconds / 60, 60, " h", " min");
  }
  return nanoseconds == 0 ? "0" : in_unit(nanoseconds, units);
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ' ');
  return text;
}

std::string rate_text(double per_second) {
  constexpr unit units[] = {{1, " /s"}, {1e3, " k/s"}, {1e6, " M/s"}, {1e9, " G/s"}};
  return in_unit(per_second, units);
}

std::string size_text(std::uint64_t bytes) {
  constexpr unit units[] = {{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}, {1e12, " TB"}};
  return in_unit(static_cast<double>(bytes), units);
}

std::string percent_text(double part) {
  const double percent = part * 100;
  return (std::abs(percent) < 0.05 ? "0" : fixed_text(percent, std::abs(percent) < 9.95 ? 1 : 0)) + " %";
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string text;
  text.reserve(size);
  for (const std::string_view part : parts) text += part;
  return text;
}

std::size_t text_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void text_table::add_column(std::string title, alignment where) {
  columns_.push_back({std::move(title), where});
}

void text_table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string text_table::to_string(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c != columns_.size(); ++c) {
    std::size_t width = 0;
    for (const auto& row : rows_) width = std::max(width, text_width(row[c]));
    widths.push_back(width == 0 ? 0 : std::max(width, text_width(columns_[c].title)));
  }
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line(indent);
    std::string_view gap = "";
    for (std::size_t c = 0; c != columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - text_width(cell), ' ');
      line += gap;
      line += columns_[c].where == left ? cell + padding : padding + cell;
      gap = "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) add_line([&](std::size_t c) -> const std::string& { return row[c]; });
  return out;
}

std::string_view closest_name(std::string_view wrong, const std::vector<std::string>& names) {
  std::string_view best;
  std::size_t smallest =
      std::max<std::size_t>(2, wrong.size() / 3) + 1;  // farther away it is not a slip of the pen
  for (const std::string& name : names) {
    const std::size_t distance =
        std::min(edit_distance(wrong, name), edit_distance(last_part(wrong), last_part(name)));
    if (distance < smallest && distance < name.size()) {
      smallest = distance;
      best = name;
    }
  }
  return best;
}

}  // namespace THALWEG_NAMESPACE::observe
