// What stands in a message of a topic beside the item: its header, and the mark at a stream's beginning.
#include <cstddef>
#include <span>
#include <vector>

#include "../../src/net/kafka/label.hpp"
#include "fuzz/fuzz.hpp"

namespace kafka = thalweg::net::kafka;

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"", text_of(kafka::packed(kafka::label{kafka::kind::end, 1, 2})),
          text_of(kafka::packed(kafka::beginning{"text", "a name", "a clock", -3}))};
}

// The input is both, one after the other. What is read is what would have been written.
void fuzz::read(const std::string& input) {
  const auto bytes = std::as_bytes(std::span(input));
  const auto writes = [&](const std::vector<std::byte>& what) { return input.starts_with(text_of(what)); };
  try {
    expect(writes(kafka::packed(kafka::label_in(bytes))), "another label is read than was written");
  } catch (const std::runtime_error&) {  // it is none
  }
  expect(writes(kafka::packed(kafka::beginning_in(bytes))), "another beginning is read than was written");
}
