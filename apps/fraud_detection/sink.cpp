#include "apps/fraud_detection/sink.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/support/error.hpp"

namespace apps::fraud_detection {

char* write_line(const alarm& alarm, char* line) {
  const auto card = alarm.card.text();
  const auto id = alarm.id.text();
  line = std::copy(card.begin(), card.end(), line);
  *line++ = ',';
  line = std::copy(id.begin(), id.end(), line);
  *line++ = ',';
  line = std::to_chars(line, line + 10, alarm.surprise / 100).ptr;
  *line++ = '.';
  *line++ = static_cast<char>('0' + alarm.surprise / 10 % 10);
  *line++ = static_cast<char>('0' + alarm.surprise % 10);
  *line++ = '\n';
  return line;
}

void join(std::span<const std::filesystem::path> files, const std::filesystem::path& output) {
  new_file joined(output);
  std::vector<char> bytes(1 << 16);
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw error(file.string() + ": cannot be read");
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0)
      joined.write({bytes.data(), static_cast<std::size_t>(in.gcount())});
    if (in.bad()) throw error(file.string() + ": cannot be read to the end");
  }
  joined.close();
  std::error_code ignored;
  for (const auto& file : files)
    if (!std::filesystem::equivalent(file, output, ignored)) std::filesystem::remove(file, ignored);
}

}  // namespace apps::fraud_detection
