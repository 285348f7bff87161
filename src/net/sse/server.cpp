#include <thalweg/net/sse_server.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "../socket.hpp"
#include "event.hpp"
#include "history.hpp"
#include "request.hpp"

namespace THALWEG_NAMESPACE {

namespace {

using namespace std::chrono_literals;
using net::moment;

// How often a client that hears nothing is looked after, and how long nobody is let in where there can be no
// more connections.
constexpr auto quiet = 15s, pause = 1s;

struct client {
  net::connection link;
  std::string said{};        // of its request
  std::string queue{};       // what waits to be sent
  std::size_t sent = 0;      // of the queue
  std::uint64_t missed = 0;  // events that found no room, and that it has not been told of
  moment due{};              // of its request, or of the next sign of life
  bool listens = false;
  bool gone = false;

  [[nodiscard]] std::size_t waiting() const { return queue.size() - sent; }
};

}  // namespace

struct sse_server::state {
  state(std::string_view address, sse_server_options options)
      : how(checked(std::move(options))),
        at(net::address::parse(address)),
        door(net::listen_at(at)),
        latest(how.history) {
    thread = std::jthread([this] { serve(); });
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    over = true;
    rung.ring();
  }

  void serve();
  moment next_due() const;
  void let_in();
  void hear(client& one);
  void turn_away(client& one, int status);
  void welcome(client& one, std::string_view last_id);
  void say(client& one);
  bool give(client& one, const std::string& text);
  void tell_missed(client& one, std::size_t room_for);

  static sse_server_options checked(sse_server_options how) {
    if (!how.path.starts_with('/') || how.path.find_first_of(" ?#\r\n") != how.path.npos)
      throw network_error("'" + how.path +
                          "' cannot be the .path of an sse_server: it begins with /, and has " +
                          "neither spaces nor ? nor #");
    return how;
  }

  const sse_server_options how;
  net::address at;
  const net::descriptor door;
  net::bell rung;
  std::atomic<bool> over{false};
  mutable std::mutex mutex;
  std::list<client> clients{};  // only the thread adds and removes some
  net::sse::history latest;
  std::atomic<std::uint64_t> dropped{0};
  moment lets_in_from{};
  std::jthread thread;  // last: it uses the others
};

sse_server::sse_server(std::string_view address, sse_server_options how)
    : state_(std::make_shared<state>(address, std::move(how))) {}

std::string sse_server::where() const {
  return state_->at.text();
}

std::string sse_server::url() const {
  return "http://" + where() + state_->how.path;
}

std::size_t sse_server::clients() const {
  const std::lock_guard held(state_->mutex);
  return static_cast<std::size_t>(std::count_if(state_->clients.begin(), state_->clients.end(),
                                                [](const client& one) { return one.listens && !one.gone; }));
}

std::uint64_t sse_server::dropped() const {
  return state_->dropped;
}

void sse_server::publish(std::string_view data, std::string_view event) const {
  auto& my = *state_;
  {
    const std::lock_guard held(my.mutex);
    const auto text = net::sse::packed(data, event, my.latest.next_id());
    my.latest.add(text);
    for (auto& one : my.clients)
      if (one.listens && !one.gone && !my.give(one, text)) ++my.dropped;
  }
  my.rung.ring();
}

// Puts an event into a client's queue; false if there is no room.
bool sse_server::state::give(client& one, const std::string& text) {
  tell_missed(one, text.size());
  if (one.missed > 0 || one.waiting() + text.size() > how.capacity) {
    ++one.missed;
    return false;
  }
  one.queue += text;
  return true;
}

// Says how many events a client has missed, where that and so many bytes more find room, so that it comes
// where they would have been.
void sse_server::state::tell_missed(client& one, std::size_t room_for) {
  if (one.missed == 0) return;
  const auto note = net::sse::packed(std::to_string(one.missed), "dropped");
  if (one.waiting() > 0 && one.waiting() + note.size() + room_for > how.capacity) return;
  one.queue += note;
  one.missed = 0;
}

void sse_server::state::serve() {
  const net::patience waits{&rung, [this] { return over.load(); }, false};
  for (;;) {
    std::vector<pollfd> any;
    moment until;
    {
      const std::lock_guard held(mutex);
      const bool lets_in = std::chrono::steady_clock::now() >= lets_in_from;
      any.push_back({lets_in ? door.get() : -1, POLLIN, 0});
      for (const auto& one : clients)
        any.push_back({one.link.get(), static_cast<short>(one.waiting() > 0 ? POLLIN | POLLOUT : POLLIN), 0});
      until = next_due();
    }
    const bool ends = waits.wait(any, until, true) == net::waited::given_up;
    rung.silence();
    const std::lock_guard held(mutex);
    if (ends) {
      for (auto& one : clients) say(one);
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    std::size_t place = 0;
    for (auto& one : clients) {
      if (any[++place].revents != 0 && (any[place].revents & POLLIN) == 0 &&
          (any[place].revents & (POLLERR | POLLHUP)) != 0)
        one.gone = true;
      if ((any[place].revents & POLLIN) != 0) hear(one);
      if (one.due <= now) {
        if (one.listens && one.waiting() == 0)
          one.queue += ":\n\n";  // who is gone is noticed when it is sent something
        one.due = now + quiet;
        if (!one.listens && !one.gone) turn_away(one, 408);
      }
      say(one);
    }
    clients.remove_if([](const client& one) { return one.gone; });
    if (any[0].revents != 0) let_in();
  }
}

moment sse_server::state::next_due() const {
  const auto now = std::chrono::steady_clock::now();
  auto first = lets_in_from > now ? lets_in_from : moment::max();
  for (const auto& one : clients) first = std::min(first, one.due);
  return first;
}

void sse_server::state::let_in() {
  std::string from;
  const auto now = std::chrono::steady_clock::now();
  try {
    net::connection link(net::accept_from(door, from));
    if (!link) return;
    if (clients.size() >= how.clients) {
      const auto refusal = net::sse::answer(503, how.allow_origin);
      net::send_some(link, std::as_bytes(std::span(refusal)));
      return;
    }
    clients.push_back({.link = std::move(link), .due = net::from_now(how.ask_within)});
  } catch (const net::connection_lost&) {
    return;
  } catch (const network_error&) {
    lets_in_from = now + pause;
  }
}

void sse_server::state::hear(client& one) {
  std::array<std::byte, 4096> some{};
  try {
    const auto got = net::receive_some(one.link, some);
    if (one.listens) return;  // what it says now means nothing
    one.said.append(reinterpret_cast<const char*>(some.data()), got);
  } catch (const network_error&) {
    one.gone = true;
    return;
  }
  const auto wish = net::sse::asked(one.said, how.path, !how.allow_origin.empty());
  if (!wish) return;
  if (wish->status == 200)
    welcome(one, wish->last_id);
  else
    turn_away(one, wish->status);
}

void sse_server::state::turn_away(client& one, int status) {
  one.queue = net::sse::answer(status, how.allow_origin);
  say(one);
  one.gone = true;
}

void sse_server::state::welcome(client& one, std::string_view last_id) {
  one.said.clear();
  one.queue = net::sse::answer(200, how.allow_origin);
  one.listens = true;
  one.due = net::from_now(quiet);
  const auto rest = last_id.empty() ? std::nullopt : latest.after(last_id);
  if (!rest) return;
  one.missed = rest->gone;
  for (auto place = rest->first; place < latest.kept().size(); ++place)
    if (!give(one, latest.kept()[place])) ++dropped;
}

void sse_server::state::say(client& one) {
  if (one.gone) return;
  try {
    while (one.waiting() > 0) {
      const auto now_sent = net::send_some(one.link, std::as_bytes(std::span(one.queue)).subspan(one.sent));
      if (now_sent == 0) break;
      one.sent += now_sent;
    }
  } catch (const network_error&) {
    one.gone = true;
    return;
  }
  if (one.waiting() == 0 || one.sent > how.capacity) one.queue.erase(0, std::exchange(one.sent, 0));
  if (one.waiting() == 0) tell_missed(one, 0);
}

}  // namespace THALWEG_NAMESPACE
