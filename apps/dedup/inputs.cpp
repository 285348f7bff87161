#include "apps/dedup/inputs.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "apps/support/encyclopedia.hpp"
#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"
#include "apps/support/parameters.hpp"
#include "apps/support/random.hpp"

namespace apps::dedup {
namespace {

constexpr std::uint64_t seed = 1'000'003;
constexpr std::int64_t least = 32 << 10, most = 256 << 10;  // bytes of a new document
constexpr std::size_t remembered = 64;                      // documents that may come again

/// Documents, new and old.
class archivist {
 public:
  /// The next document, good until the next call.
  const std::string& next() {
    if (documents_.empty() || dice_.chance(0.5)) return keep(dice_.chance(0.125) ? noise() : text());
    const auto& old = documents_[dice_.below(documents_.size())];
    if (dice_.chance(0.6)) {
      ++known_.pieces;
      copy_ = old;
    } else {
      copy_ = changed(old);
    }
    known_.bytes += copy_.size();
    return copy_;
  }
  [[nodiscard]] const truth& known() const { return known_; }

 private:
  std::size_t some_size() { return static_cast<std::size_t>(dice_.between(least, most)); }

  std::string text() {
    std::string made;
    for (const auto size = some_size(); made.size() < size;) pages_.append_page(made);
    return made;
  }

  // What cannot be compressed, as packed pictures.
  std::string noise(std::size_t size) {
    std::string made(size, '\0');
    for (auto& byte : made) byte = static_cast<char>(dice_.next() >> 56U);
    return made;
  }
  std::string noise() { return noise(some_size()); }

  const std::string& keep(std::string made) {
    known_.bytes += made.size();
    known_.fresh += made.size();
    if (documents_.size() < remembered) return documents_.emplace_back(std::move(made));
    return documents_[dice_.below(remembered)] = std::move(made);
  }

  // Other bytes in a few places, not as many as there were.
  std::string changed(const std::string& old) {
    constexpr std::int64_t most_changes = 4, most_bytes = 200;
    std::vector<std::size_t> places(static_cast<std::size_t>(dice_.between(1, most_changes)));
    for (auto& place : places) place = dice_.below(old.size());
    std::sort(places.begin(), places.end());
    std::string made;
    std::size_t from = 0;
    for (const auto place : places) {
      if (place > from) made.append(old, from, place - from);
      const auto other = noise(static_cast<std::size_t>(dice_.between(1, most_bytes)));
      made += other;
      known_.fresh += other.size();
      from = std::max(from, place + static_cast<std::size_t>(dice_.below(most_bytes)));
    }
    if (from < old.size()) made.append(old, from);
    known_.pieces += places.size() + 1;
    return made;
  }

  random dice_{seed};
  encyclopedia pages_{seed};
  std::vector<std::string> documents_;
  std::string copy_;
  truth known_;
};

}  // namespace

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto size = named_input(inputs, "dedup", name).bytes;
  output_file out(folder / backup_file);
  archivist documents;
  while (out.size() < size) {
    out.write(documents.next());
    if (told) told(std::min(out.size(), size), size);
  }
  out.close();
  const auto& known = documents.known();
  write_file(folder / truth_file, parameter("bytes", known.bytes) + parameter("fresh", known.fresh) +
                                      parameter("pieces", known.pieces));
}

}  // namespace apps::dedup
