// Batches of Arrow's columns, as others may send them.
#include <thalweg/model/arrow.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "model/arrow_by_hand.hpp"

namespace {

std::string bytes_of(const arrow_by_hand::table& of) {
  std::vector<std::byte> bytes;
  thalweg::encode(arrow_by_hand::batch_of(of), bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {bytes_of({.columns = {{.format = "s", .name = "n", .values = {"ab", {}, "cd"}},
                                {.format = "u", .name = "text", .values = {"Rome", "", {}}},
                                {.format = "Z", .name = "bytes", .values = {{}, "x", "yz"}},
                                {.format = "b", .name = "good", .values = {"\1", std::string(1, '\0'), {}}}},
                    .rows = 3}),
          bytes_of({.columns = {{.format = "n", .name = "nothing", .values = {{}}},
                                {.format = "d:5,2,32", .name = "price", .values = {"abcd"}}},
                    .rows = 1,
                    .metadata = std::string("\1\0\0\0\1\0\0\0k\1\0\0\0v", 14)})};
}

// All that a batch has is read once more when it is sent on, and comes back the same.
void fuzz::read(const std::string& input) {
  const auto batch = thalweg::decode<thalweg::arrow_batch>(std::as_bytes(std::span(input)));
  static_cast<void>(batch.size_of());
  std::vector<std::byte> first, second;
  thalweg::encode(batch, first);
  thalweg::encode(thalweg::decode<thalweg::arrow_batch>(first), second);
  expect(first == second, "a batch is another one after it has been sent on");
}
