#include "apps/hash_search/sink.hpp"

#include <utility>

namespace apps::hash_search {

sink::sink(std::filesystem::path file, std::uint32_t hashes)
    : out_(std::move(file)), places_(out_.path(), "hash", 1, hashes), numbers_(hashes) {}

void sink::operator()(const wanted& found) {
  places_.note(found.place);
  numbers_[found.place - 1] = found.number;
}

void sink::close() {
  places_.check_complete();
  for (const auto& number : numbers_) out_.write(line_of(number));
  out_.close();
}

}  // namespace apps::hash_search
