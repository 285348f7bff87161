// Peers that say what cannot be, and would have it believed. What fuzzers have found.
#include <thalweg/net/inlet.hpp>
#include <thalweg/net/outlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/raw_peer.hpp"

namespace tw = thalweg;

namespace {

using namespace std::chrono_literals;
namespace net = tw::net;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// What was confirmed was forgotten while it was being sent, and what lay behind its memory was sent.
TEST(Hostile, AReceiverCannotConfirmWhatWasNotSent) {
  const auto listener = raw_peer::listening();
  const std::vector<std::byte> item(100);
  net::outlet out({.host = "127.0.0.1", .port = listener.port()}, {.capacity = 110, .connect_within = 0ms});
  ASSERT_TRUE(out.send(item));
  const auto peer = listener.accepted();
  peer.say(answer_bytes() + bytes_of(std::uint64_t{1}));
  peer.hang_up();
  EXPECT_THAT([&] { out.send(item); },
              ThrowsMessage<tw::network_error>(HasSubstr("has taken items that were never sent to it")));
}

TEST(Hostile, WhatAPeerSaysGivesATerminalNoOrders) {
  const auto listener = raw_peer::listening();
  net::outlet out({.host = "127.0.0.1", .port = listener.port()}, {});
  const auto peer = listener.accepted();
  peer.say(answer_bytes(0, "\x1b[2J"));
  peer.hang_up();
  EXPECT_THAT([&] { out.connect(); }, ThrowsMessage<tw::network_error>(HasSubstr("refuses: \\x1b[2J")));

  const tw::tcp_listener at("127.0.0.1:0");
  const auto sender = raw_peer::connected_to(at.port());
  sender.say(hello_bytes(1, "\x1b[2J"));
  sender.hang_up();
  net::inlet in(at, {.tag = "text"});
  EXPECT_THAT([&] { in.next(); }, ThrowsMessage<tw::network_error>(HasSubstr("items of '\\x1b[2J'")));
}

TEST(Hostile, ASenderMayTellAnyTime) {
  for (const auto told :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    const tw::tcp_listener at("127.0.0.1:0");
    const auto peer = raw_peer::connected_to(at.port());
    std::string times;
    for (int i = 0; i < 8; ++i) times += bytes_of(static_cast<std::uint64_t>(told));
    peer.say(hello_bytes(1, "text", 2, "another clock") + times + text_bytes("item"));
    net::inlet in(at, {});
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.clock().by, net::sender_clock::relation::asked);
    peer.cut();
  }
}

}  // namespace
