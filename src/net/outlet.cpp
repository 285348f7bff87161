#include <thalweg/net/outlet.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>

#include "clock.hpp"
#include "interrupts.hpp"
#include "protocol.hpp"
#include "random_number.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace std::chrono_literals;
using namespace protocol;

constexpr std::chrono::milliseconds first_pause = 10ms,
                                    longest_pause = 200ms;  // between two attempts to connect

// Frames that follow each other, in memory that does not move: they are sent while more are added.
struct block {
  std::vector<std::byte> bytes{};
  std::uint64_t first = 0;  // frame
  std::uint64_t frames = 0;

  // Where its frame of that number begins.
  [[nodiscard]] std::size_t place_of(std::uint64_t frame) const {
    std::size_t at = 0;
    for (auto number = first; number < frame; ++number) at += size_of_frame(std::span(bytes).subspan(at));
    return at;
  }
  // Where the frame ends that a byte of this place belongs to; the place itself, if it is between two.
  [[nodiscard]] std::size_t end_around(std::size_t place) const {
    std::size_t at = 0;
    while (at < place) at += size_of_frame(std::span(bytes).subspan(at));
    return at;
  }
};

}  // namespace

struct outlet::state {
  state(address where, outlet_options options)
      : to(std::move(where)),
        how(std::move(options)),
        block_size(std::clamp(how.capacity / 16, std::size_t{4} << 10U, std::size_t{64} << 10U)) {
    how.longest_item = std::min(how.longest_item, too_long - 1);
  }

  // Of the one who sends.
  template <class Ready> bool wait_for(std::unique_lock<std::mutex>& held, Ready ready);
  void add(std::uint32_t size, std::span<const std::byte> body);

  // Of the thread.
  void carry();
  connection reach(moment until, const std::string& lost);
  std::string why_unreachable(const std::string& lost, const std::string& why) const;
  connection connect(moment until, const patience& waits) const;
  waited introduce(const connection& link, const patience& waits, moment until) const;
  bool greet(const connection& link, const patience& waits, moment until);
  static bool tell_time(const connection& link, std::uint32_t questions, const patience& waits, moment until);
  void resume(std::uint64_t next);
  bool pump(const connection& link);
  bool all_taken();
  std::span<const std::byte> unsent();
  void hear(const connection& link);
  std::uint64_t sent_at_most();
  void confirm(std::uint64_t frames);
  std::vector<std::byte> rest_of_frame(std::size_t begun);
  static void say_farewell(connection link, std::vector<std::byte> last);
  void say_farewell_to_a_stranger() const;
  void fail(const std::string& says);

  const address to;
  outlet_options how;
  const std::size_t block_size;
  const std::uint64_t id = random_number();

  std::mutex mutex;
  std::condition_variable changed;  // for the one who sends
  bell rung;                        // for the thread
  std::deque<block> kept;           // frames that are not confirmed, in order; references to blocks last
  std::size_t kept_bytes = 0;
  std::uint64_t next = 0;       // frame
  std::uint64_t confirmed = 0;  // frames
  bool reached = false;         // the receiver wanted items once
  bool asleep = false;          // the thread has nothing to send
  bool ended = false;           // the last frame is among them
  std::string failure;
  std::atomic<bool> interrupted{false};
  std::atomic<bool> abandoned{false};  // nothing is to be sent any more

  // The thread's own: where it is, and what it has heard of a number.
  bool connected = false;    // to anyone, at any time
  std::size_t at_block = 0;  // of `kept`
  std::size_t at_byte = 0;
  std::vector<std::byte> heard{};

  std::jthread thread;
  std::optional<std::stop_callback<interrupts<outlet>>> on_stop;  // last: it uses the others
};

outlet::outlet(address to, outlet_options how) {
  if (auto problem = problem_with(to.text()); !problem.empty()) throw network_error(problem);
  state_ = std::make_unique<state>(std::move(to), std::move(how));
  state_->thread = std::jthread([my = state_.get()] { my->carry(); });
}

outlet::~outlet() {
  state_->on_stop.reset();
  state_->abandoned = true;
  state_->rung.ring();
  state_->thread.join();
}

// Waits until `ready`, or there is no point in waiting: false if the wait was given up.
template <class Ready> bool outlet::state::wait_for(std::unique_lock<std::mutex>& held, Ready ready) {
  const auto done = [&] { return interrupted || !failure.empty() || ready(); };
  const auto given_up = [&] { return interrupted || (how.given_up && how.given_up()); };
  while (!done() && !given_up()) {
    if (how.given_up)
      changed.wait_for(held, 20ms);
    else
      changed.wait(held, done);
  }
  if (given_up()) return false;
  if (!failure.empty()) throw network_error(failure);
  return true;
}

bool outlet::connect() {
  std::unique_lock held(state_->mutex);
  return state_->wait_for(held, [this] { return state_->reached; });
}

bool outlet::send(std::span<const std::byte> item, std::string_view /*key*/) {
  auto& my = *state_;
  if (item.size() > my.how.longest_item)
    throw network_error("an item of " + std::to_string(item.size()) + " bytes for " + my.to.text() +
                        " is longer than .longest_item, " + std::to_string(my.how.longest_item));
  const auto size = frame_head + item.size();
  std::unique_lock held(my.mutex);
  const auto room = [&] { return my.kept_bytes == 0 || my.kept_bytes + size <= my.how.capacity; };
  if (!my.wait_for(held, room)) return false;
  my.add(static_cast<std::uint32_t>(item.size()), item);
  return true;
}

bool outlet::end() {
  auto& my = *state_;
  std::unique_lock held(my.mutex);
  if (!my.ended && !my.interrupted) {
    std::vector<std::byte> items;
    put(items, my.next);
    my.add(end_mark, items);
    my.ended = true;
  }
  return my.wait_for(held, [&] { return my.confirmed == my.next; });
}

void outlet::interrupt() noexcept {
  {
    // Whoever has just found that nothing is up must be waiting before this is told.
    const std::lock_guard held(state_->mutex);
    state_->interrupted = true;
    state_->abandoned = true;
  }
  state_->changed.notify_all();
  state_->rung.ring();
}

void outlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts{this});
}

// The lock is held.
void outlet::state::add(std::uint32_t size, std::span<const std::byte> body) {
  const auto bytes = frame_head + body.size();
  if (kept.empty() || kept.back().bytes.capacity() - kept.back().bytes.size() < bytes) {
    kept.emplace_back().first = next;
    kept.back().bytes.reserve(std::max(bytes, block_size));
  }
  auto& into = kept.back();
  put(into.bytes, size);
  into.bytes.insert(into.bytes.end(), body.begin(), body.end());
  ++into.frames;
  ++next;
  kept_bytes += bytes;
  if (std::exchange(asleep, false)) rung.ring();
}

void outlet::state::carry() {
  std::string lost;
  auto until = from_now(how.connect_within);
  std::uint64_t confirmed_then = 0;
  try {
    while (!abandoned) {
      auto link = reach(until, lost);
      if (!link) break;
      const auto began = std::chrono::steady_clock::now();
      try {
        if (pump(link)) return;
        auto last = rest_of_frame(link.secured() != nullptr ? link.secured()->begun() : 0);
        say_farewell(std::move(link), std::move(last));
      } catch (const connection_lost& e) {
        lost = e.what();
        // A connection that breaks at once, again and again, does not buy time.
        const bool lasted = std::chrono::steady_clock::now() - began > 1s;
        if (lasted || confirmed != confirmed_then) until = from_now(how.connect_within);
        confirmed_then = confirmed;
      }
    }
    if (!connected) say_farewell_to_a_stranger();
  } catch (const std::exception& e) {
    fail(e.what());
  }
}

// A connection on which items are wanted; none if the stream was given up.
connection outlet::state::reach(moment until, const std::string& lost) {
  const patience waits{&rung, [this] { return abandoned.load(); }, false};
  std::string why;
  for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    const auto began = std::chrono::steady_clock::now();
    try {
      auto link = connect(until, waits);
      connected = connected || link;
      // A receiver may begin long after it has been connected to. One that knows the stream is there already.
      if (!link || greet(link, waits, lost.empty() ? moment::max() : until)) return link;
      // Who is greeted and has not answered hears it when it comes to that.
      say_farewell(std::move(link), {});
      return {};
    } catch (const connection_lost& e) {
      why = e.what();
      // Who waited for the first answer, and lost the connection over it, has not tried in vain so far.
      if (lost.empty() && std::chrono::steady_clock::now() - began > 1s) until = from_now(how.connect_within);
    }
    const auto again = std::chrono::steady_clock::now() + pause;
    if (again >= until) throw network_error(why_unreachable(lost, why));
    if (waits.wait(-1, 0, again) == waited::given_up) return {};
  }
}

connection outlet::state::connect(moment until, const patience& waits) const {
  auto made = connect_to(to, waits, until);
  auto secured = made && how.secured ? how.secured->of_connected(made.get(), to) : nullptr;
  return connection(std::move(made), std::move(secured));
}

std::string outlet::state::why_unreachable(const std::string& lost, const std::string& why) const {
  std::string told = "cannot connect to " + to.text();
  if (!lost.empty())
    told = "the connection to " + to.text() + " broke (" + lost + ") and cannot be made again";
  return told + ": " + why + "; tried for " + std::to_string(how.connect_within.count()) + " ms";
}

waited outlet::state::introduce(const connection& link, const patience& waits, moment until) const {
  const auto greeting = packed(hello{id, how.tag, how.name, clock_name()});
  const auto came = shake_hands(link, waits, until);
  return came == waited::ready ? send_all(link, greeting, waits, until) : came;
}

// False if the stream was given up. A receiver that is busy answers when it comes to it.
bool outlet::state::greet(const connection& link, const patience& waits, moment until) {
  answer its;
  try {
    const auto came = introduce(link, waits, until);
    if (came == waited::late) throw connection_lost("it does not answer");
    if (came == waited::given_up) return false;
    const auto said = receive_greeting(link, waits, until);
    if (!said) return false;
    its = answer_in(*said);
  } catch (const connection_lost&) {
    throw;
  } catch (const network_error& e) {
    throw network_error(to.text() + ": " + e.what());
  }
  if (!its.refusal.empty()) throw network_error(to.text() + " refuses: " + observe::printable(its.refusal));
  if (!tell_time(link, its.questions, waits, until)) return false;
  resume(its.next);
  return true;
}

// Answers at once, each time that it is asked. False if the stream was given up.
bool outlet::state::tell_time(const connection& link, std::uint32_t questions, const patience& waits,
                              moment until) {
  std::array<std::byte, sizeof(std::uint64_t)> asked{};
  for (; questions > 0; --questions) {
    auto came = receive_all(link, asked, waits, until);
    std::vector<std::byte> time;
    put(time, static_cast<std::uint64_t>(observe::now_ns()));
    if (came == waited::ready) came = send_all(link, time, waits, until);
    if (came == waited::late) throw connection_lost("it does not answer");
    if (came == waited::given_up) return false;
  }
  return true;
}

// Goes on with the frame that the receiver has not got.
void outlet::state::resume(std::uint64_t from) {
  confirm(from);
  const std::lock_guard held(mutex);
  at_block = 0;
  while (at_block < kept.size() && kept[at_block].first + kept[at_block].frames <= from) ++at_block;
  at_byte = at_block < kept.size() ? kept[at_block].place_of(from) : 0;
  if (at_block == kept.size() && at_block > 0) at_byte = kept[--at_block].bytes.size();
  heard.clear();
  reached = true;
  changed.notify_all();
}

// Sends what there is, and hears what has been taken. True when all has been; false if the stream was given
// up.
bool outlet::state::pump(const connection& link) {
  const patience waits{&rung, [this] { return abandoned.load(); }, false};
  for (;;) {
    const auto bytes = unsent();
    if (abandoned) return false;
    if (all_taken()) return true;
    const auto events = static_cast<short>(bytes.empty() ? POLLIN : POLLIN | POLLOUT);
    if (waits.wait(link, events, moment::max(), bytes.empty()) == waited::given_up) return false;
    hear(link);
    if (!bytes.empty()) at_byte += send_some(link, bytes);
  }
}

bool outlet::state::all_taken() {
  const std::lock_guard held(mutex);
  return ended && confirmed == next;
}

// What the thread has to send next; without anything it is asleep from now on.
std::span<const std::byte> outlet::state::unsent() {
  rung.silence();
  const std::lock_guard held(mutex);
  while (at_block + 1 < kept.size() && at_byte == kept[at_block].bytes.size()) {
    ++at_block;
    at_byte = 0;
  }
  asleep = kept.empty() || at_byte == kept[at_block].bytes.size();
  if (asleep) return {};
  return std::span(kept[at_block].bytes).subspan(at_byte);
}

// Takes in what the receiver has said, if anything.
void outlet::state::hear(const connection& link) {
  const auto before = heard.size();
  heard.resize(before + 4096);
  const auto got = receive_some(link, std::span(heard).subspan(before));
  heard.resize(before + got);
  std::span<const std::byte> rest(heard);
  std::optional<std::uint64_t> taken;
  while (rest.size() >= sizeof(std::uint64_t)) {
    const auto number = number_at<std::uint64_t>(rest);
    if (number == closed_mark) {
      const auto text = rest.subspan(sizeof number);
      if (text.size() < 4 || text.size() - 4 < std::min(number_at<std::uint32_t>(text), longest_greeting))
        break;  // the rest of it is to come
      throw network_error(to.text() +
                          " takes no more items: " + observe::printable(text_in(text.subspan(4))));
    }
    taken = number;
    rest = rest.subspan(sizeof number);
  }
  heard.erase(heard.begin(), heard.end() - static_cast<std::ptrdiff_t>(rest.size()));
  if (!taken) return;
  if (*taken > sent_at_most())
    throw network_error(to.text() + " says that it has taken items that were never sent to it");
  confirm(*taken);
}

// Of the frame that is under way it is not told how much has been sent: what is confirmed is forgotten, and
// must not be what is sent next.
std::uint64_t outlet::state::sent_at_most() {
  const std::lock_guard held(mutex);
  if (kept.empty()) return next;
  const auto& now = kept[at_block];
  return now.first + now.frames - (at_byte < now.bytes.size() ? 1 : 0);
}

// The receiver has so many frames: they need not be kept.
void outlet::state::confirm(std::uint64_t frames) {
  const std::lock_guard held(mutex);
  if (frames > next || frames < confirmed)
    throw network_error(to.text() + " has not taken this stream from its beginning: it asks for item " +
                        std::to_string(frames) + ", but only items " + std::to_string(confirmed) + " to " +
                        std::to_string(next) + " can follow");
  confirmed = frames;
  while (!kept.empty() && kept.front().first + kept.front().frames <= confirmed) {
    kept_bytes -= kept.front().bytes.size();
    if (kept.size() == 1) {
      // More follows in the same memory.
      kept.front().bytes.clear();
      kept.front().first = next;
      kept.front().frames = 0;
      at_block = at_byte = 0;
      break;
    }
    kept.pop_front();
    if (at_block > 0)
      --at_block;
    else
      at_byte = 0;  // it was at the end of what is gone
  }
  changed.notify_all();
}

// What is still to come of the frame that is under way, behind so many bytes that cannot be taken back.
std::vector<std::byte> outlet::state::rest_of_frame(std::size_t begun) {
  const std::lock_guard held(mutex);
  if (kept.empty()) return {};
  const auto& now = kept[at_block];
  const auto begin = now.bytes.begin();
  return {begin + static_cast<std::ptrdiff_t>(at_byte),
          begin + static_cast<std::ptrdiff_t>(now.end_around(at_byte + begun))};
}

// Says that the stream was given up, behind these bytes.
void outlet::state::say_farewell(connection link, std::vector<std::byte> last) {
  put(last, gave_up_mark);
  put_text(last, "its run has failed or was cancelled");
  say_last(std::move(link), last);
}

// The stream was given up before it had a connection. A receiver that listens would wait for it.
void outlet::state::say_farewell_to_a_stranger() const {
  const patience waits;
  const auto until = from_now(500ms);
  try {
    auto link = connect(until, waits);
    if (link && introduce(link, waits, until) == waited::ready) say_farewell(std::move(link), {});
  } catch (const network_error&) {
    return;  // nobody listens
  }
}

void outlet::state::fail(const std::string& says) {
  const std::lock_guard held(mutex);
  failure = says;
  changed.notify_all();
}

}  // namespace THALWEG_NAMESPACE::net
