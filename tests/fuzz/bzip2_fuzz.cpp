// .bz2 files, and what is no such file: what the operators read of it is what libbz2 alone reads.
#include <fstream>
#include <ios>
#include <iterator>
#include <utility>

#include "apps/bzip2/bzip2.hpp"
#include "apps/bzip2/reader.hpp"
#include "apps/support/error.hpp"
#include "fuzz/fuzz.hpp"

namespace bz = apps::bzip2;

namespace {

std::string packed(const std::string& text, int level) {
  std::string made(text.size() + text.size() / 50 + 1000, '\0');
  auto size = static_cast<unsigned>(made.size());
  BZ2_bzBuffToBuffCompress(made.data(), &size, const_cast<char*>(text.data()),
                           static_cast<unsigned>(text.size()), level, 0, 0);
  made.resize(size);
  return made;
}

std::string text_in(const std::filesystem::path& file) {
  bz::reader in(file);
  std::string text, some(std::size_t{64} << 10U, '\0');
  while (const auto got = in.read(some.data(), some.size())) text.append(some, 0, got);
  return text;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const std::string several(250'000, 'a');  // three blocks of a level that holds 100 kB
  return {packed("", 9),
          packed("some text", 9),
          packed(several, 1),
          packed("one", 1) + packed("", 5) + packed("two", 9),
          packed("text", 1) + "garbage",
          packed("text", 1) + "BZh9"};
}

void fuzz::read(const std::string& input) {
  const auto file = as_file(input);
  bz::source_d source(file);
  bz::decompress decompress;
  bz::sink_d sink(output(), file);
  while (auto block = source()) sink(decompress(std::move(*block)));
  sink.close();
  std::ifstream written(output(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(written), {}};
  expect(text == text_in(file), "the operators read another text than libbz2");
}
