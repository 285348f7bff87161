#include <algorithm>
#include <string>

#include "apps/bzip2/application.hpp"
#include "apps/bzip2/reader.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"

namespace apps::bzip2 {

namespace {

// Compares the text in a .bz2 file with text in a file, piece by piece.
verdict compare(reader& packed, input_file& text, std::string_view good) {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  bytes left(piece), right(piece);
  for (std::uint64_t done = 0;; done += piece) {
    const auto from_packed = packed.read(left.data(), piece);
    const auto from_text = text.read(right.data(), piece);
    const auto both = std::min(from_packed, from_text);
    const auto same = static_cast<std::size_t>(
        std::mismatch(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(both), right.begin()).first -
        left.begin());
    const auto at = std::to_string(done + same);
    if (same < both) return {false, "byte " + at + " of the text differs"};
    if (from_packed != from_text)
      return {false, "the decompressed text is " +
                         std::string(from_packed < from_text ? "shorter" : "longer") +
                         " than the other one, which are the same up to byte " + at};
    if (both < piece) return {true, std::string(good) + ", " + at + " bytes"};
  }
}

// The hash in the file that `generate` left beside the input.
std::string hash_beside(const std::filesystem::path& folder) {
  const auto path = folder / "text.xml.sha256";
  const auto text = read_file(path);
  constexpr std::size_t digits = 64;
  if (text.size() < digits) throw error("'" + path.string() + "' holds no hash");
  return std::string(view(text).substr(0, digits));
}

}  // namespace

verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto original = file_of(input, folder);
  if (!recipe_of(input).compressed) {
    input_file text(original);
    try {
      reader packed(output);
      return compare(packed, text, "decompressed, it is the input");
    } catch (const error& e) {
      return {false, e.what()};
    }
  }
  const auto found = hash_of_file(output);
  if (found == hash_beside(folder)) return {true, "SHA-256 of the text as it should be, " + found};
  // To tell where they differ takes longer than to know that they do.
  reader packed(original);
  input_file text(output);
  auto differs = compare(packed, text, "");
  if (differs.good) return {false, "the text of the input is not what its hash says: make the input again"};
  return differs;
}

}  // namespace apps::bzip2
