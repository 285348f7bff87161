// The layout: IEEE Std 1003.1 (POSIX), pax, ustar Interchange Format.
#include "apps/xml_transform/archive.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

#include "apps/support/error.hpp"

namespace apps::xml_transform {
namespace {

constexpr std::size_t block = 512, name_size = 100, size_at = 124, sum_at = 148, sum_size = 8;
constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 33) - 1;  // eleven octal digits

/// The sum of a header's bytes, those of the sum itself counted as spaces.
unsigned sum_of(std::string_view header) {
  unsigned sum = sum_size * ' ';
  for (std::size_t i = 0; i < block; ++i)
    if (i < sum_at || i >= sum_at + sum_size) sum += static_cast<unsigned char>(header[i]);
  return sum;
}

/// A number in octal digits.
std::uint64_t octal(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') break;
    number = 8 * number + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

/// What stands before a file.
std::string header_of(std::string_view name, std::size_t size) {
  std::string header(block, '\0');
  const auto put = [&](std::size_t at, const char* format, unsigned long long number) {
    std::snprintf(&header[at], block - at, format, number);
  };
  put(100, "%07llo", 0644);  // mode
  put(108, "%07llo", 0);     // user
  put(116, "%07llo", 0);     // group
  put(size_at, "%011llo", size);
  put(136, "%011llo", 0);  // time
  header[156] = '0';       // a regular file
  std::memcpy(&header[257], "ustar\00000", 8);
  std::memcpy(header.data(), name.data(), name.size());
  put(sum_at, "%06llo", sum_of(header));
  header[sum_at + 7] = ' ';
  return header;
}

std::size_t padding(std::size_t size) {
  return (block - size % block) % block;
}

}  // namespace

archive_writer::archive_writer(std::filesystem::path file) : out_(std::move(file)) {}

void archive_writer::add(const std::string& name, std::string_view content) {
  if (name.size() > name_size || content.size() > most_bytes)
    throw error("'" + path().string() + "' is not written: it cannot hold '" + name + "', whose " +
                (name.size() > name_size ? "name" : "content") + " is too long");
  out_.write(header_of(name, content.size()));
  out_.write(content);
  out_.write(std::string(padding(content.size()), '\0'));
}

void archive_writer::close() {
  out_.write(std::string(2 * block, '\0'));
  out_.close();
}

std::optional<archived> archive_reader::next() {
  const auto rest = view(all_).substr(at_);
  const auto fail = [&](const char* what) { throw error("'" + path_.string() + "' " + what); };
  if (rest.size() < block) fail("is cut off, or no archive");
  if (rest.find_first_not_of('\0') == std::string_view::npos) {
    if (rest.size() != 2 * block) fail("has another end than an archive");
    return std::nullopt;
  }
  if (rest.substr(257, 5) != "ustar" || octal(rest.substr(sum_at, sum_size)) != sum_of(rest))
    fail("is damaged, or no archive");
  const auto size = octal(rest.substr(size_at, 12));
  if (size > rest.size() - block || rest.size() - block - size < padding(size)) fail("is cut off");
  const auto name = rest.substr(0, rest.substr(0, name_size).find('\0'));
  const auto filler = rest.substr(block + size, padding(size));
  if (!rest.starts_with(header_of(name, size)) || filler.find_first_not_of('\0') != filler.npos)
    fail("has something that archives of this program do not have");
  at_ += block + size + padding(size);
  return archived{name, rest.substr(block, size)};
}

}  // namespace apps::xml_transform
