#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <vector>

#include "apps/ferret/pack.hpp"
#include "apps/ferret/query.hpp"
#include "apps/support/input_held.hpp"

namespace apps::ferret {

using apps::input_held;

/// Gives the pictures of a pack, of a folder (its `.ppm` files, by name), or a single `.ppm` file.
/// \throws error  naming the file, if it cannot be read, is damaged, or is none of these
class source {
 public:
  explicit source(std::filesystem::path path, input_held held = input_held::on_disk);
  /// The next query; nothing behind the last.
  std::optional<query> operator()();

 private:
  std::optional<query> read();

  std::optional<pack_reader> pack_;
  std::vector<std::filesystem::path> files_;  // without a pack
  std::uint64_t number_ = 0;
  std::deque<query> held_;
};

}  // namespace apps::ferret
