#pragma once

#include <thalweg/model/codec.hpp>

#include <filesystem>
#include <string>

#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"

namespace spb::detail {

/// How items travel whose source names files, for an operator to read: with what is in the file, as the one
/// who takes them may not have it. `More`: members beside number, file and content.
template <class Item, auto... More> struct codec_of_file {
  static std::string tag() { return "file" + thalweg::codec_of_members<&Item::number, More...>::tag(); }
  static void write(thalweg::byte_writer& to, const Item& item) {
    to(item.number, item.file.string(), (item.*More)...);
    to(item.content.empty() ? apps::read_file(item.file) : item.content);
  }
  static void read(thalweg::byte_reader& from, Item& item) {
    std::string file;
    from(item.number, file, (item.*More)..., item.content);
    item.file = file;
  }
};

}  // namespace spb::detail
