#include "standard.hpp"

#include <algorithm>
#include <array>

namespace thalweg::spar::driver {

words standard_flag(const command_line& line) {
  constexpr std::array older{"98", "03", "0x", "11", "1y", "14", "1z", "17"};
  // As compilers choose without an option: with their extensions.
  std::string dialect = "gnu++";
  for (const auto& p : line.parts) {
    if (p.text[0] == "-ansi") dialect = "c++";
    if (p.is != role::standard) continue;
    const auto plus = p.value.rfind('+');
    if (plus == std::string::npos) continue;
    dialect = p.value.substr(0, plus + 1);
    if (std::ranges::find(older, p.value.substr(plus + 1)) == older.end()) return {};
  }
  return {"-std=" + dialect + "20"};
}

}  // namespace thalweg::spar::driver
