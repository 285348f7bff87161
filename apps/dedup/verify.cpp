#include <limits>
#include <string>
#include <unordered_set>

#include "apps/dedup/archive.hpp"
#include "apps/dedup/digest_hash.hpp"
#include "apps/dedup/inputs.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/parameters.hpp"
#include "apps/support/rounded.hpp"

namespace apps::dedup {
namespace {

truth read_truth(const std::filesystem::path& file) {
  constexpr auto any = std::numeric_limits<std::uint64_t>::max();
  parameters of(file);
  truth read;
  read.bytes = of.whole("bytes", 1, any);
  read.fresh = of.whole("fresh", 1, read.bytes);
  read.pieces = of.whole("pieces", 0, read.bytes);
  of.finish();
  return read;
}

// What begins or ends within a chunk or a fragment is not found there, at both ends of a copied piece.
constexpr std::uint64_t lost_by_piece = 20'000;

std::string share(std::uint64_t part, std::uint64_t whole) {
  return rounded(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

verdict compare(archive_reader& archive, input_file& original) {
  std::unordered_set<digest, digest_hash> stored;
  bytes due;
  std::uint64_t chunks = 0;
  for (; archive.next(); ++chunks) {
    due.resize(archive.size());
    due.resize(original.read(due.data(), due.size()));
    const bool same =
        archive.repeats() ? digest_of(view(due)) == archive.hash() : view(due) == archive.text();
    if (!same)
      return {false, "chunk " + std::to_string(chunks) + " is not what the input has before byte " +
                         std::to_string(archive.bytes_read())};
    if (!archive.repeats() && !stored.insert(archive.hash()).second)
      return {false, "chunk " + std::to_string(chunks) + " is stored, though the same was stored before"};
  }
  char more = 0;
  if (original.read(&more, 1) != 0)
    return {false, "the archive ends at byte " + std::to_string(archive.bytes_read()) + " of the input"};
  return {true, std::to_string(archive.bytes_read()) + " bytes as in the input, in " +
                    std::to_string(chunks) + " chunks, of which " + std::to_string(stored.size()) +
                    " are stored"};
}

}  // namespace

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto known = read_truth(folder / truth_file);
  input_file original(folder / backup_file);
  if (original.size() != known.bytes)
    return {false, "the input is not what its truth says: make the input again"};
  try {
    archive_reader archive(output);
    auto found = compare(archive, original);
    if (!found.good) return found;
    const auto stored = archive.bytes_stored();
    const auto enough = known.fresh + known.pieces * lost_by_piece;
    if (stored > enough)
      return {false, std::to_string(stored) + " bytes are stored, where " + std::to_string(known.fresh) +
                         " are new: " + std::to_string(enough) + " would do"};
    found.says += ": " + share(stored, known.bytes) + " of the bytes, where " +
                  share(known.fresh, known.bytes) + " are new";
    return found;
  } catch (const error& e) {
    return {false, e.what()};
  }
}

}  // namespace apps::dedup
