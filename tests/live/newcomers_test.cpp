// Who is cut that takes a place and asks for nothing: by a clock that the tests set.
#include "newcomers.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "net/raw_peer.hpp"

namespace live = thalweg::live;
using namespace std::chrono_literals;

namespace {

/// Clients of a port, and the other ends of their connections.
class clients {
 public:
  void come() {
    theirs.push_back(raw_peer::connected_to(door.port()));
    ours.push_back(door.accepted());
  }
  /// As if it had been asked for something whole.
  void ask(live::newcomers& who, std::size_t i) const { who.has_asked("127.0.0.1", theirs[i].port()); }
  /// Those that can still be talked to.
  [[nodiscard]] std::vector<std::size_t> there() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i].say("x") && theirs[i].hear(1) == "x") all.push_back(i);
    }
    return all;
  }

  raw_peer door = raw_peer::listening();
  std::vector<raw_peer> theirs{}, ours{};
};

using numbers = std::vector<std::size_t>;
const live::newcomers::moment begin{1h};

}  // namespace

TEST(live_newcomers, who_asks_for_nothing_is_cut_after_a_while) {
  clients some;
  live::newcomers who({.patience = 5s, .in_a_crowd = 1s, .places = 10});
  const int port = some.door.port();
  EXPECT_FALSE(who.any_waits());
  for (int i = 0; i < 4; ++i) {
    some.come();
    who.look(port, begin + i * 1s);
  }
  some.ask(who, 1);
  some.theirs[0].say("GET / HTTP/1.1\r\nHost: localhost\r\n");
  some.theirs[2].say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");  // Nobody has read it yet.
  who.look(port, begin + 5s);
  EXPECT_EQ(some.there(), (numbers{0, 1, 2, 3}));
  who.look(port, begin + 5s + 1ms);
  EXPECT_EQ(some.there(), (numbers{1, 2, 3}));
  who.look(port, begin + 1min);
  EXPECT_EQ(some.there(), (numbers{1, 2}));
  some.ask(who, 2);
  EXPECT_FALSE(who.any_waits());
}

TEST(live_newcomers, where_places_run_out_those_go_that_came_first) {
  clients some;
  live::newcomers who({.patience = 5s, .in_a_crowd = 1s, .places = 3});
  const int port = some.door.port();
  for (int i = 0; i < 5; ++i) {
    some.come();
    who.look(port, begin + i * 1ms);
  }
  some.ask(who, 0);
  who.look(port, begin + 1s);
  EXPECT_EQ(some.there(), (numbers{0, 1, 2, 3, 4}));
  who.look(port, begin + 1s + 10ms);
  EXPECT_EQ(some.there(), (numbers{0, 3, 4}));
  // When one leaves by itself there is room.
  some.theirs[0] = {};
  some.ours[0] = {};
  some.come();
  who.look(port, begin + 2s);
  EXPECT_EQ(some.there(), (numbers{3, 4, 5}));
}

TEST(live_newcomers, connections_at_other_ports_are_left_alone) {
  clients some, others;
  live::newcomers who({.patience = 5s, .in_a_crowd = 1s, .places = 0});
  some.come();
  others.come();
  who.look(some.door.port(), begin);
  who.look(some.door.port(), begin + 1min);
  EXPECT_EQ(some.there(), numbers{});
  EXPECT_EQ(others.there(), numbers{0});
}
