#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "apps/file_writer/file_writer.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/csv.hpp"
#include "apps/support/error.hpp"
#include "apps/support/hash.hpp"

namespace apps::file_writer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t block = std::size_t{64} << 10U;  // what is written at once; a whole number of words
constexpr std::size_t word = sizeof(std::uint64_t);

std::string name_of(std::uint32_t number) {
  constexpr std::size_t digits = 7;
  const auto text = std::to_string(number);
  return "file" + std::string(digits - std::min(digits, text.size()), '0') + text + ".bin";
}

// Fills whole words: `to` has room for the last one.
void fill(char* to, std::size_t size, random& dice) {
  for (std::size_t at = 0; at < size; at += word) {
    const auto number = dice.next();
    for (std::size_t i = 0; i < word; ++i) to[at + i] = static_cast<char>(number >> (8 * i));
  }
}

}  // namespace

std::optional<file> source::operator()() {
  if (next_ == recipe_.files) return std::nullopt;
  const auto u = dice_.uniform();
  // Rounded product by product, and alike everywhere: sums are of whole numbers.
  const auto more =
      static_cast<std::uint64_t>(static_cast<double>(recipe_.most - recipe_.least + 1) * (u * u * u));
  const auto number = next_++;
  return file{number, name_of(number), std::min(recipe_.least + more, recipe_.most), dice_.next(), {}};
}

file write(const fs::path& folder, bool sync, file one) {
  bytes some(std::min<std::uint64_t>(block, one.size + word));
  random dice(one.seed);
  hasher hash;
  new_file out(folder / one.name);
  for (auto left = one.size; left > 0;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block, left));
    fill(some.data(), size, dice);
    hash.add({some.data(), size});
    out.write({some.data(), size});
    left -= size;
  }
  if (sync) out.sync();
  out.close();
  one.hash = hash.hex();
  return one;
}

std::string line_of(const file& written) {
  return written.name + "," + std::to_string(written.size) + "," + written.hash + "\n";
}

void sink::operator()(const file& written) {
  files_.note(written.number);
  lines_[written.number] = line_of(written);
}

void sink::close() {
  files_.check_complete();
  for (const auto& line : lines_) out_.write(line);
  out_.close();
}

bool is_output(const fs::path& folder) {
  std::error_code why;
  std::set<std::string> there;
  for (fs::directory_iterator entry(folder, why), end; !why && entry != end; entry.increment(why)) {
    if (!fs::is_regular_file(entry->symlink_status(why))) return false;
    there.insert(entry->path().filename().string());
  }
  if (why || there.erase(std::string(list_file)) == 0) return false;
  csv_reader lines(folder / list_file);
  while (lines.next())
    if (there.erase(std::string(lines.field())) == 0) return false;
  return there.empty();
}

}  // namespace apps::file_writer
