#include <thalweg/net/inlet.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include "clock.hpp"
#include "interrupts.hpp"
#include "protocol.hpp"

namespace THALWEG_NAMESPACE {

namespace net {

namespace {

using namespace std::chrono_literals;
using namespace protocol;

// What a peer may take to say who it is.
constexpr auto patience_with_peer = 5s;
// Connections that have not been taken; more wait in the system.
constexpr std::size_t most_at_door = 16;

bool begins_with_magic(const connection& link) {
  std::array<char, magic.size()> first{};
  return ::recv(link.get(), first.data(), first.size(), MSG_PEEK) == static_cast<ssize_t>(first.size()) &&
         std::equal(first.begin(), first.end(), magic.begin());
}

// Also where bytes are there that nobody has read.
bool has_left(const connection& link) {
  pollfd one{link.get(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;
}

// Somebody has connected, and says who that is, or has said it and waits for the stream that is taken to end.
struct visitor {
  connection link;
  std::string who;
  moment until = from_now(patience_with_peer);
  short events = POLLIN;  // what it is waited for by
  bool known = false;     // as somebody who may send here
  greeting said{};
  std::optional<hello> is{};
  std::string problem{};  // what it said instead
  bool gone = false;

  void hear() {
    try {
      if (is)
        gone = has_left(link);
      else if (problem.empty() && (known || shake_hands()) && said.receive(link))
        is = hello_in(said.body());
    } catch (const connection_lost&) {
      gone = true;  // somebody who only looked whether there is anybody
    } catch (const network_error& e) {
      problem = e.what();
    }
    gone = gone || (is_silent() && std::chrono::steady_clock::now() > until);
  }
  [[nodiscard]] bool is_silent() const { return !is && problem.empty(); }

 private:
  // Whether it may send here.
  bool shake_hands() {
    if (auto* cipher = link.secured()) {
      if (begins_with_magic(link)) {
        link = std::move(link).plain();  // or it would not hear the answer
        throw network_error("it does not speak TLS, which is required");
      }
      events = cipher->shake_hands();
      if (events != 0) return false;
      events = POLLIN;
    }
    return known = true;
  }
};

}  // namespace

}  // namespace net

struct tcp_listener::state {
  net::address at;
  net::descriptor socket;
  std::shared_ptr<const net::accepting_security> security;
  std::vector<net::visitor> door;  // of the stream that is taken, or the next one
  std::atomic<bool> taken{false};
};

tcp_listener::tcp_listener(std::string_view address, std::shared_ptr<const net::accepting_security> security)
    : state_(std::make_shared<state>()) {
  state_->security = std::move(security);
  state_->at = net::address::parse(address);
  state_->socket = net::listen_at(state_->at);
}

std::uint16_t tcp_listener::port() const noexcept {
  return state_->at.port;
}

std::string tcp_listener::where() const {
  return state_->at.text();
}

namespace net {

namespace {

// How often a sender is asked for its time: the answer that comes soonest counts.
constexpr std::uint32_t questions = 8;
constexpr std::size_t read_ahead = std::size_t{256} << 10U;

}  // namespace

struct inlet::state {
  state(tcp_listener from, inlet_options options)
      : at(std::move(from)), how(std::move(options)), buffer(read_ahead) {
    how.longest_item = std::min(how.longest_item, too_long);
    waits = {&rung, [this] { return interrupted || (how.given_up && how.given_up()); },
             static_cast<bool>(how.given_up)};
  }

  bool await();
  waited wait_at_door(short events, moment until);
  bool look_at_door();
  bool take_sender();
  void take(visitor& v);
  void refuse(visitor& v, const std::string& why);
  std::string why_not(const hello& said) const;
  bool welcome();
  bool compare_clocks();
  std::optional<std::span<const std::byte>> frame();
  bool has_frame();
  waited fill(moment until);
  void acknowledge();
  void let_go(std::string_view why);
  [[noreturn]] void fail(const std::string& says);

  tcp_listener at;
  inlet_options how;
  bell rung;
  std::atomic<bool> interrupted{false};
  patience waits;

  connection link;
  std::string peer;     // who that is
  std::string lost;     // why there is none any more
  std::string refused;  // who else has come since, and why that was refused
  bool begun = false;   // a sender has come: `said` is of it
  bool wanted = false;  // it knows on this connection that items are wanted
  hello said;
  sender_clock clock{};

  std::vector<std::byte> buffer;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t needed = frame_head;  // bytes that what has begun is at least
  std::uint64_t taken = 0;          // frames
  std::uint64_t acknowledged = 0;
  std::vector<std::byte> unsent{};  // of an acknowledgement
  bool over = false;
  std::string failure;

  std::optional<std::stop_callback<interrupts<inlet>>> on_stop;  // last: it uses the others
};

inlet::inlet(tcp_listener at, inlet_options how)
    : state_(std::make_unique<state>(std::move(at), std::move(how))) {
  if (state_->at.state_->taken.exchange(true))
    throw network_error(state_->at.where() + " is already used by another source");
}

inlet::~inlet() {
  state_->on_stop.reset();
  if (!state_->over) state_->let_go("the receiver's stream has ended");
  state_->at.state_->taken = false;
}

bool inlet::await_sender() {
  return state_->link || state_->await();
}

const std::string& inlet::name() const noexcept {
  return state_->said.name;
}

const std::string& inlet::tag() const noexcept {
  return state_->said.tag;
}

std::string inlet::place() const {
  return "item " + std::to_string(state_->taken - 1) + " from " + state_->peer;
}

sender_clock inlet::clock() const noexcept {
  return state_->clock;
}

bool inlet::ended() const noexcept {
  return state_->over;
}

std::optional<std::span<const std::byte>> inlet::next() {
  auto& my = *state_;
  if (!my.failure.empty()) throw network_error(my.failure);
  while (!my.over) {
    if (auto found = my.frame()) return found;
    if (my.over) break;
    try {
      if (!my.link && !my.await()) return {};
      if (!my.wanted && !my.welcome()) return {};
      if (my.fill(moment::max()) != waited::ready) return {};
    } catch (const connection_lost& e) {
      my.lost = e.what();
      my.link.reset();
    }
  }
  return {};
}

bool inlet::ready_by(std::int64_t until_ns) {
  auto& my = *state_;
  const moment until{std::chrono::nanoseconds(until_ns)};
  while (!my.over && my.failure.empty() && !my.has_frame()) {
    try {
      if (!my.link && my.wait_at_door(0, until) == waited::late) return false;
      if (!my.link) return true;
      if (!my.wanted && !my.welcome()) return true;
      const auto came = my.fill(until);
      if (came != waited::ready) return came != waited::late;
    } catch (const connection_lost& e) {
      my.lost = e.what();
      my.link.reset();
    }
  }
  return true;
}

void inlet::close(std::string_view why) {
  state_->let_go(why);
  state_->over = true;
}

void inlet::interrupt() noexcept {
  state_->interrupted = true;
  state_->rung.ring();
}

void inlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts{this});
}

// Waits for somebody who sends this stream. False if the wait was given up.
bool inlet::state::await() {
  const auto until = begun             ? from_now(how.return_within)
                     : how.come_within ? from_now(*how.come_within)
                                       : moment::max();
  refused.clear();
  switch (wait_at_door(0, until)) {
    case waited::given_up:
      return false;
    case waited::ready:
      return true;
    case waited::late:
      break;
  }
  if (!begun)
    fail("no sender has connected to " + at.where() + " within " + std::to_string(how.come_within->count()) +
         " ms" + refused);
  fail("the connection to " + peer + " broke after " + std::to_string(taken) +
       " items, before the end of the stream (" + lost + "), and the sender has not come back to " +
       at.where() + " within " + std::to_string(how.return_within.count()) + " ms" + refused);
}

// Waits for `events` of the connection, if there is one, and for the sender to come anew: its old connection
// may look alive here though it is none any more there.
waited inlet::state::wait_at_door(short events, moment until) {
  auto& door = at.state_->door;
  for (std::vector<pollfd> any;;) {
    const bool listens = look_at_door();
    if (take_sender()) return waited::ready;
    if ((events & POLLIN) != 0 && link.has_more()) return waited::ready;
    any.assign({{link ? link.get() : -1, events, 0}, {listens ? at.state_->socket.get() : -1, POLLIN, 0}});
    auto soonest = until;
    for (const auto& v : door) {
      any.push_back({v.link.get(), v.is ? std::int16_t{POLLRDHUP} : v.events, 0});
      if (v.is_silent()) soonest = std::min(soonest, v.until);
    }
    const auto how_it_came = waits.wait(any, soonest);
    if (how_it_came == waited::given_up || any.front().revents != 0) return how_it_came;
    if (std::chrono::steady_clock::now() >= until) return waited::late;
  }
}

// Who has connected, and what those say. Whether more can be taken in.
bool inlet::state::look_at_door() {
  auto& door = at.state_->door;
  bool can_take = true;
  for (std::size_t more = most_at_door; more > 0; --more) {
    std::string who;
    try {
      auto made = accept_from(at.state_->socket, who);
      if (!made) break;
      auto secured = at.state_->security ? at.state_->security->of_accepted(made.get()) : nullptr;
      door.push_back({connection(std::move(made), std::move(secured)), std::move(who)});
    } catch (const network_error&) {
      if (!link) throw;
      can_take = false;  // a stream that is taken needs nobody else
      break;
    }
  }
  for (auto& v : door) v.hear();
  std::erase_if(door, [](const visitor& v) { return v.gone; });
  // Who has said nothing makes room for others, and then who waits for another stream; those try again.
  while (door.size() > most_at_door) {
    const auto silent =
        std::find_if(door.begin(), door.end(), [](const visitor& v) { return v.is_silent(); });
    const auto other = std::find_if(door.begin(), door.end(), [this](const visitor& v) {
      return v.is && begun && v.is->stream != said.stream;
    });
    door.erase(silent != door.end() ? silent : other != door.end() ? other : door.begin());
  }
  return can_take;
}

// Whether one of them is the sender, from whom the stream is taken now. While there is a connection those of
// other streams wait for the next one who takes from here.
bool inlet::state::take_sender() {
  auto& door = at.state_->door;
  for (auto v = door.begin(); v != door.end();) {
    const auto why = v->is ? why_not(*v->is) : v->problem;
    const bool waits_on = v->is ? link && v->is->stream != said.stream : v->problem.empty();
    if (waits_on) {
      ++v;
      continue;
    }
    auto came = std::move(*v);
    v = door.erase(v);
    if (why.empty()) return take(came), true;
    refuse(came, why);
  }
  return false;
}

void inlet::state::refuse(visitor& v, const std::string& why) {
  const auto says = v.who + " is refused at " + at.where() + ": " + why;
  // TLS has told why it refuses.
  if (v.link.secured() == nullptr || v.known) {
    const auto bytes = packed(answer{0, why, 0});
    if (!link && v.known) {
      say_last(std::move(v.link), bytes);
    } else {
      try {
        (void)send_some(v.link, bytes);  // the stream must not wait for that
      } catch (const connection_lost&) {
        return;
      }
    }
  }
  // Where not everybody may send, anybody may try, and ends no run by it.
  if (!begun && v.known) fail(says);
  refused = "; " + says;
}

void inlet::state::take(visitor& v) {
  said = std::move(*v.is);
  link = std::move(v.link);
  peer = std::move(v.who);
  begun = true;
  wanted = false;
  // The sender begins with what has not been taken: what was cut off comes again.
  begin = end = 0;
  needed = frame_head;
  unsent.clear();
}

// Why this is not whom the stream is taken from; empty if it is.
std::string inlet::state::why_not(const hello& its) const {
  if (begun && its.stream != said.stream)
    return "it sends another stream, while the sender of the present one is expected back";
  if (!how.tag.empty() && its.tag != how.tag)
    return "it sends items of '" + observe::printable(its.tag) + "', but this source takes '" + how.tag + "'";
  return {};
}

bool inlet::state::welcome() {
  const bool shared = said.clock == clock_name();
  const auto asks = said.clock.empty() || shared ? 0 : questions;
  if (send_all(link, packed(answer{taken, {}, asks}), waits, moment::max()) != waited::ready) return false;
  clock = {.by = !said.clock.empty() && shared ? sender_clock::relation::shared
                                               : sender_clock::relation::unknown};
  if (asks > 0 && !compare_clocks()) return false;
  acknowledged = taken;
  wanted = true;
  return true;
}

// Asks the sender for its time, as NTP does: it was told about the middle between question and answer, which
// is wrong by no more than half of the time between them. False if the wait was given up.
bool inlet::state::compare_clocks() {
  std::array<std::byte, sizeof(std::uint64_t)> bytes{};
  auto soonest = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t i = 0; i < questions; ++i) {
    const auto asked = observe::now_ns();
    const auto until = from_now(patience_with_peer);
    auto came = send_all(link, bytes, waits, until);
    if (came == waited::ready) came = receive_all(link, bytes, waits, until);
    const auto answered = observe::now_ns();
    if (came == waited::late) throw connection_lost(peer + " does not answer when it is asked for its time");
    if (came == waited::given_up) return false;
    if (answered - asked >= soonest) continue;
    soonest = answered - asked;
    const auto told = static_cast<std::int64_t>(number_at<std::uint64_t>(bytes));
    clock = {.by = sender_clock::relation::asked,
             .ahead_ns = ahead_of(told, asked + soonest / 2),
             .within_ns = soonest / 2};
  }
  return true;
}

// The next item of what was read; nothing if it has not come as a whole, or at the end.
std::optional<std::span<const std::byte>> inlet::state::frame() {
  if (!has_frame()) return {};
  const auto there = std::span<const std::byte>(buffer).subspan(begin, end - begin);
  const auto size = number_at<std::uint32_t>(there);
  if (size > how.longest_item && size < too_long) {
    const auto why = "an item of " + std::to_string(size) + " bytes is longer than .longest_item, " +
                     std::to_string(how.longest_item);
    let_go(why);
    fail(peer + " sends too long an item to " + at.where() + ": " + why);
  }
  if (size >= too_long && size != end_mark && size != gave_up_mark)
    fail(peer + " sends bytes that are not an item to " + at.where());

  const auto whole = size_of_frame(there);
  begin += whole;
  needed = frame_head;
  const auto body = there.subspan(frame_head, whole - frame_head);
  if (size == end_mark) {
    const auto items = number_at<std::uint64_t>(body);
    if (items != taken)
      fail(peer + " says that it has sent " + std::to_string(items) + " items, but " + std::to_string(taken) +
           " have come");
    ++taken;
    over = true;
    try {
      acknowledge();
      if (!unsent.empty()) (void)send_all(link, unsent, waits, from_now(patience_with_peer));
    } catch (const connection_lost&) {
      lost = "at its end";  // all has come, whatever the sender makes of it
    }
    return {};
  }
  if (size == gave_up_mark)
    fail("the sender, " + peer + ", has given up its stream after " + std::to_string(taken) +
         " items: " + observe::printable(text_in(body.subspan(frame_head))));
  ++taken;
  return body;
}

// Whether `frame` has something to say of what was read, if only that it cannot be.
bool inlet::state::has_frame() {
  const auto there = std::span<const std::byte>(buffer).subspan(begin, end - begin);
  needed = frame_head;
  if (there.size() < frame_head) return false;
  const auto size = number_at<std::uint32_t>(there);
  if (size > how.longest_item && size != end_mark && size != gave_up_mark) return true;
  const auto whole = size_of_frame(there);
  needed = whole == 0 ? 2 * frame_head : whole;
  return whole != 0 && there.size() >= whole;
}

// Reads on.
waited inlet::state::fill(moment until) {
  acknowledge();
  std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin),
            buffer.begin() + static_cast<std::ptrdiff_t>(end), buffer.begin());
  end -= std::exchange(begin, 0);
  // Memory is got as bytes come, not as somebody says that they will.
  if (end == buffer.size()) buffer.resize(std::min(needed, 2 * buffer.size()));
  const auto events = static_cast<short>(unsent.empty() ? POLLIN : POLLIN | POLLOUT);
  const auto came = wait_at_door(events, until);
  if (came == waited::ready && wanted) end += receive_some(link, std::span(buffer).subspan(end));
  return came;
}

// Tells the sender what it need not keep any more. What cannot be said at once is said with the next one.
void inlet::state::acknowledge() {
  if (unsent.empty() && taken != acknowledged) {
    put(unsent, taken);
    acknowledged = taken;
  }
  if (unsent.empty()) return;
  const auto sent = send_some(link, unsent);
  unsent.erase(unsent.begin(), unsent.begin() + static_cast<std::ptrdiff_t>(sent));
}

void inlet::state::let_go(std::string_view why) {
  if (!link) return;
  std::vector<std::byte> last = std::move(unsent);
  if (wanted) {
    put(last, closed_mark);
    put_text(last, why);
  } else {
    last = packed(answer{0, std::string(why), 0});
  }
  say_last(std::exchange(link, {}), last);
}

void inlet::state::fail(const std::string& says) {
  let_go(says);
  failure = says;
  throw network_error(says);
}

}  // namespace net
}  // namespace THALWEG_NAMESPACE
