#pragma once

#include "apps/support/application.hpp"

namespace apps::bzip2 {

/// What tools need to know of this application. Its inputs are `test` to `huge`, which are text, the same
/// with `_d`, which are .bz2 files of many streams, and two with `_single_d`, of one stream.
const application& about();

/// Makes `text.xml`, or `text.xml.bz2` and beside it the hash of what is in it.
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Whether `output` is, bit by bit, what was in the input.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

/// What an input is made of. Those above 150 MB of compressed text repeat the first, which is compressed but
/// once.
struct recipe {
  std::uint64_t bytes = 0;  ///< of text in a repetition, at least
  unsigned repetitions = 1;
  bool compressed = false;
  bool single_stream = false;
};

/// The recipe of an input. Throws `apps::error` for a name that is none.
recipe recipe_of(std::string_view input);

/// The file of an input in its folder.
std::filesystem::path file_of(std::string_view input, const std::filesystem::path& folder);

}  // namespace apps::bzip2
