// Compressed files: whatever their bytes are, and whatever is compressed.
#include <thalweg/stages/compression.hpp>
#include <thalweg/stages/lines.hpp>

#include <filesystem>
#include <optional>
#include <stop_token>

#include "fuzz/fuzz.hpp"

namespace tw = thalweg;

namespace {

constexpr std::int64_t longest = 1'000'000;

std::string packed(const std::string& text, const tw::compression& how) {
  std::string made;
  const auto packer = how.way()->packs("");
  packer->pack(text, made);
  packer->finish(made);
  return made;
}

// What is in a file, with an LF behind each line; empty if it cannot be read to its end.
std::optional<std::string> text_of(const std::filesystem::path& file, const tw::compression& how) {
  tw::stages::line_reader lines(file, {.compressed = how, .longest = longest});
  std::string text;
  std::int64_t number = 0;
  try {
    while (auto line = lines.next(std::stop_token())) {
      fuzz::expect(lines.number() == ++number, "the lines are not counted");
      text += *line + '\n';
    }
  } catch (const std::filesystem::filesystem_error&) {
    return {};
  }
  return text;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const std::string text = "one\ntwo\n\nthree";
  return {"",
          text,
          packed(text, tw::gzip()),
          packed(text, tw::gzip()) + packed("x", tw::gzip(1)),
          packed(text, tw::zstd()),
          packed(text, tw::zstd()) + packed("x", tw::zstd(1))};
}

void fuzz::read(const std::string& input) {
  const auto file = as_file(input);
  for (const auto& how : {tw::compression(tw::automatic), tw::gzip(), tw::zstd()}) {
    if (how.problem().empty()) text_of(file, how);
  }
  // What is compressed is the same when it is read.
  const auto plain = text_of(file, {});
  for (const auto& how : {tw::gzip(), tw::zstd()}) {
    if (how.problem().empty() && plain)
      expect(text_of(as_file(packed(input, how)), tw::automatic) == plain,
             "another text is read than was written");
  }
}
