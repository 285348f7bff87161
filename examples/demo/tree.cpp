#include "tree.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace demo {
namespace {

namespace fs = std::filesystem;

// The header of the "ustar" format as POSIX describes it, with the marks by which GNU tar knows its own.
struct header {
  char name[100], mode[8], uid[8], gid[8], size[12], modified[12], checksum[8], type, link[100], magic[8];
  char user[32], group[32], device[16], prefix[155], unused[12];
};
static_assert(sizeof(header) == tar_block);

template <std::size_t Size> void put_octal(char (&field)[Size], std::uint64_t value) {
  field[Size - 1] = '\0';
  for (std::size_t i = Size - 1; i-- > 0; value >>= 3U) field[i] = static_cast<char>('0' + (value & 7U));
}

template <std::size_t Size> void put_text(char (&field)[Size], const std::string& text) {
  std::memcpy(field, text.data(), std::min(Size, text.size()));
}

std::string plain_header(const entry& e) {
  header h{};
  put_text(h.name, e.name);
  put_octal(h.mode, e.mode);
  put_octal(h.uid, 0);
  put_octal(h.gid, 0);
  put_octal(h.size, e.size);
  put_octal(h.modified, static_cast<std::uint64_t>(std::max<std::int64_t>(0, e.modified)));
  h.type = e.type;
  put_text(h.link, e.link);
  std::memcpy(h.magic, "ustar  ", sizeof h.magic);
  // The sum of all bytes, with the field of the sum itself taken as spaces.
  std::memset(h.checksum, ' ', sizeof h.checksum);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&h);
  put_octal(h.checksum, std::accumulate(bytes, bytes + sizeof h, 0U));
  return {reinterpret_cast<const char*>(&h), sizeof h};
}

// A text too long for its field goes before the header, as the content of an entry of a type of its own.
std::string long_text(char type, const std::string& text) {
  std::string block =
      plain_header({.path = {}, .name = "././@LongLink", .link = {}, .type = type, .size = text.size() + 1});
  block += text;
  block.append(1 + padding(text.size() + 1), '\0');
  return block;
}

bool describe(const fs::path& path, entry& e) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  e.mode = status.st_mode & 07777U;
  e.modified = status.st_mtime;
  std::error_code problem;
  if (S_ISREG(status.st_mode)) {
    e.size = static_cast<std::uint64_t>(status.st_size);
    return e.size < (1ULL << 33U) && ::access(path.c_str(), R_OK) == 0;  // A header has room for 8 GiB.
  }
  if (S_ISLNK(status.st_mode)) {
    e.type = '2';
    e.link = fs::read_symlink(path, problem).string();
    return !problem;
  }
  e.type = '5';
  e.name += '/';
  return S_ISDIR(status.st_mode);
}

}  // namespace

std::string tar_header(const entry& e) {
  std::string text;
  if (e.link.size() > sizeof header::link) text += long_text('K', e.link);
  if (e.name.size() > sizeof header::name) text += long_text('L', e.name);
  return text + plain_header(e);
}

std::string default_folder() {
  for (const char* folder : {"/usr/share/doc", "/usr/share", "/usr/include"}) {
    if (fs::is_directory(folder)) return folder;
  }
  return ".";
}

tree tree::below(const fs::path& root) {
  const fs::path top = fs::canonical(root);
  tree found;
  const auto add = [&](const fs::path& path) {
    entry e;
    e.path = path;
    e.name = (top.filename() / path.lexically_relative(top)).lexically_normal().string();
    if (e.name.ends_with('/')) e.name.pop_back();
    if (describe(path, e))
      found.entries.push_back(std::move(e));
    else
      found.left_out.push_back(path.lexically_relative(top).string());
  };
  fs::recursive_directory_iterator below(top);
  add(top);
  std::error_code problem;
  for (; below != fs::recursive_directory_iterator(); below.increment(problem)) add(below->path());
  std::ranges::sort(found.entries, {}, &entry::name);
  std::ranges::sort(found.left_out);
  for (const entry& e : found.entries) found.bytes += tar_header(e).size() + e.size + padding(e.size);
  found.bytes += end_of_archive;
  return found;
}

}  // namespace demo
