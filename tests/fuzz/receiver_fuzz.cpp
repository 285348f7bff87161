// A receiver that says what it likes to who gives it a stream.
#include <thalweg/net/outlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "net/raw_peer.hpp"

namespace net = thalweg::net;
using namespace std::chrono_literals;

std::vector<std::string> fuzz::seeds() {
  const auto closed = bytes_of(~std::uint64_t{0}) + text_bytes("why");
  return {answer_bytes(),
          answer_bytes() + bytes_of(std::uint64_t{0}) + bytes_of(std::uint64_t{1}),
          answer_bytes() + bytes_of(std::uint64_t{1}) + closed,
          answer_bytes(0, "refused"),
          answer_bytes(1),
          "HTTP/1.1 400 Bad Request\r\n"};
}

void fuzz::read(const std::string& input) {
  const raw_peer listens = raw_peer::listening();
  // Each item is a block in the memory of the sender, which has room for two.
  const std::vector<std::byte> item(3000);
  net::outlet out({.host = "127.0.0.1", .port = listens.port()},
                  {.tag = "text", .capacity = 6100, .connect_within = 0ms});
  for (int i = 0; i < 2; ++i) expect(out.send(item), "nobody has given up");
  std::jthread receiver([&] {
    const auto peer = listens.accepted();
    listens.cut();  // the sender cannot come back
    peer.say(input);
    peer.hang_up();
    static_cast<void>(peer.hear());
  });
  struct shut_at_end {
    const raw_peer& door;
    ~shut_at_end() { door.cut(); }
  } const last{listens};
  for (int i = 0; i < 2; ++i) expect(out.send(item), "nobody has given up");
  expect(out.end(), "nobody has given up");
}
