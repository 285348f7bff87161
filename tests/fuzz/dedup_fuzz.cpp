// Archives of dedup.
#include <fstream>
#include <ios>
#include <iterator>
#include <utility>

#include "apps/dedup/archive.hpp"
#include "apps/dedup/dedup.hpp"
#include "fuzz/fuzz.hpp"

namespace dedup = apps::dedup;

namespace {

std::string archive_of(const std::string& text) {
  dedup::source source(fuzz::as_file(text));
  dedup::deduplicate deduplicate;
  dedup::compress compress;
  dedup::sink sink(fuzz::output());
  while (auto one = source()) sink(compress(deduplicate(dedup::refine(std::move(*one)))));
  sink.close();
  std::ifstream made(fuzz::output(), std::ios::binary);
  return {std::istreambuf_iterator<char>(made), {}};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {archive_of(""), archive_of("some text"), archive_of(std::string(200'000, 'a'))};
}

void fuzz::read(const std::string& input) {
  dedup::restore(as_file(input), output());
}
