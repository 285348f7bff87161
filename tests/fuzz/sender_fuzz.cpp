// A sender that says what it likes to who takes its stream.
#include <thalweg/net/inlet.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include <sys/socket.h>

#include "fuzz/fuzz.hpp"
#include "net/raw_peer.hpp"

namespace net = thalweg::net;
using namespace std::chrono_literals;

std::vector<std::string> fuzz::seeds() {
  const auto hello = hello_bytes(1, "text");
  const auto item = text_bytes("an item");
  const auto end = bytes_of(std::uint32_t{0xFFFF'FFFF}) + bytes_of(std::uint64_t{2});
  const auto gave_up = bytes_of(std::uint32_t{0xFFFF'FFFE}) + text_bytes("why");
  const auto times = std::string(64, '\x7F');
  return {hello,
          hello + item + item + end,
          hello + item + gave_up,
          hello + bytes_of(std::uint32_t{5000}),
          hello_bytes(1, "text", 2, "another clock") + times + item + item + end,
          hello_bytes(1, "other"),
          hello_bytes(1, "text", 3),
          "GET / HTTP/1.1\r\n\r\n"};
}

void fuzz::read(const std::string& input) {
  // The port stays the same: so many new ones would all wait to be free again.
  static const thalweg::tcp_listener at("127.0.0.1:0");
  const auto peer = raw_peer::connected_to(at.port());
  peer.say(input);
  peer.hang_up();
  net::inlet in(at, {.tag = "text", .longest_item = 1000, .come_within = 0ms, .return_within = 0ms});
  std::size_t items = 0;
  for (auto one = in.next(); one; one = in.next()) {
    expect(one->size() <= 1000, "an item is longer than it may be");
    ++items;
    static_cast<void>(in.place());
  }
  expect(in.ended(), "a stream is over that has not ended");
  expect(items * 4 <= input.size(), "there are more items than were sent");
}
