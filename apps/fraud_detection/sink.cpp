#include "apps/fraud_detection/sink.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

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
  output_file joined(output);
  std::vector<char> bytes(std::size_t{1} << 16);
  for (const auto& file : files) {
    input_file in(file);
    while (const auto count = in.read(bytes.data(), bytes.size())) joined.write({bytes.data(), count});
  }
  joined.close();
  std::error_code ignored;
  for (const auto& file : files)
    if (!std::filesystem::equivalent(file, output, ignored)) std::filesystem::remove(file, ignored);
}

}  // namespace apps::fraud_detection
