#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "apps/ferret/picture.hpp"
#include "apps/support/files.hpp"
#include "apps/support/numbers.hpp"

namespace apps::ferret {

/// Finds what was damaged: FNV-1a, by words of four bytes.
std::uint32_t check_sum(std::string_view bytes);

/// Writes pictures, packed, one behind the other into a file. The file's name is given to it at `close`.
class pack_writer {
 public:
  /// `pictures`: how many will come.
  pack_writer(std::filesystem::path file, std::uint32_t pictures);
  void add(std::string_view name, const picture& added);
  void close() { out_.close(); }

 private:
  output_file out_;
};

struct named_picture {
  std::string name;
  picture shows;
};

/// Reads them. \throws error  naming the file, if it is none, is cut off or damaged, and the number of the
/// picture
class pack_reader {
 public:
  explicit pack_reader(std::filesystem::path file);
  /// The next one; nothing behind the last.
  std::optional<named_picture> operator()();
  [[nodiscard]] std::uint32_t pictures() const { return pictures_; }
  /// Whether a file starts like a pack.
  static bool is_pack(const std::filesystem::path& file);

 private:
  [[noreturn]] void fail(const char* what) const;

  input_file in_;
  bytes packed_;
  std::uint32_t pictures_ = 0;
  std::uint32_t read_ = 0;
};

}  // namespace apps::ferret
