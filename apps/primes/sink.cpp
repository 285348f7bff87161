#include "apps/primes/sink.hpp"

#include <string>
#include <utility>

namespace apps::primes {

sink::sink(std::filesystem::path file, const range& of)
    : range_(of),
      out_(std::move(file)),
      numbers_(out_.path(), "number", of.first, of.size()),
      primes_(of.size()) {}

void sink::operator()(const candidate& tested) {
  numbers_.note(tested.number);
  if (tested.prime) primes_[tested.number - range_.first] = true;
}

void sink::close() {
  numbers_.check_complete();
  for (std::uint32_t i = 0; i < range_.size(); ++i)
    if (primes_[i]) out_.write(std::to_string(range_.first + i) + "\n");
  out_.close();
}

}  // namespace apps::primes
