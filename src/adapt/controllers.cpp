#include "controllers.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "controller_reply.hpp"
#include "window_json.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// How much of one controller waits on this side: a document, and what it has not read of the answers. More is
// left in its socket, until it finds its own calls waiting.
constexpr std::size_t longest_document = 64 * 1024, most_waiting = 64 * 1024;
// Of one controller between two windows, so that no flood of them costs the run a processor.
constexpr int most_documents = 64;
// The most at once, and the most new ones between two windows.
constexpr std::size_t most_clients = 16;
constexpr int most_new = 64;

}  // namespace

controller_address controller_address::parse(std::string_view text) {
  constexpr std::string_view local = "unix:", remote = "tcp:";
  if (text.starts_with(local) && text.size() > local.size())
    return {.path = std::string(text.substr(local.size()))};
  if (text.starts_with(remote)) {
    auto host = net::address::parse(text.substr(remote.size()));
    if (!host.host.empty()) return {.host = std::move(host)};
  }
  throw network_error(
      "'" + std::string(text) +
      "' is no address for controllers: write unix:/path or tcp:host:port, where 127.0.0.1 is "
      "for this machine alone, and 0.0.0.0 for all");
}

std::string controller_address::text() const {
  return path.empty() ? "tcp:" + host.text() : "unix:" + path;
}

bool controllers::client::may_speak() const noexcept {
  return speaks && documents > 0 && waiting() < most_waiting;
}

controllers::controllers(controller_address at, std::string run)
    : at_(std::move(at)), run_(std::move(run)), lets_in_(most_new) {
  if (at_.path.empty())
    remote_ = net::listen_at(at_.host);
  else
    local_.emplace(at_.path);
  thread_ = std::jthread([this] { live(); });
}

controllers::~controllers() {
  over_ = true;
  rung_.ring();
}

changes controllers::show(const window& w) {
  // Not read by those who check documents, and large.
  auto seen = w;
  seen.latency.clear();
  auto shown = std::make_shared<const window>(std::move(seen));
  auto line = std::make_shared<const std::string>(window_json(w, run_));
  changes wanted;
  {
    const std::lock_guard hold(mutex_);
    if (failed_) std::rethrow_exception(failed_);
    std::swap(shown_, shown);
    std::swap(line_, line);
    std::swap(asked_for_, wanted);
  }
  rung_.ring();
  return wanted;
}

void controllers::live() {
  try {
    while (!over_) turn();
    for (auto& one : clients_) say(one);
  } catch (...) {  // no memory
    const std::lock_guard hold(mutex_);
    failed_ = std::current_exception();
  }
}

void controllers::turn() {
  std::vector<pollfd> any;
  any.push_back({lets_in_ == 0 ? -1 : local_ ? local_->door().get() : remote_.get(), POLLIN, 0});
  for (const auto& one : clients_) {
    const int events = (one.may_speak() ? POLLIN : 0) | (one.waiting() > 0 ? POLLOUT : 0);
    any.push_back({one.link.get(), static_cast<short>(events), 0});
  }
  const net::patience waits{&rung_, [this] { return over_.load(); }};
  if (waits.wait(any, net::moment::max(), true) == net::waited::given_up) return;
  rung_.silence();
  pass_on_window();
  std::size_t place = 0;
  for (auto& one : clients_) {
    hear(one);
    say(one);
    // What it said before it went has been read, unless that was too much.
    if ((any[++place].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) one.gone = true;
    if (one.gone || !one.speaks) leave(one);
  }
  clients_.remove_if([](const client& one) { return one.gone; });
  if (any[0].revents != 0) let_in();
}

void controllers::pass_on_window() {
  std::shared_ptr<const std::string> line;
  {
    const std::lock_guard hold(mutex_);
    line = std::exchange(line_, nullptr);
  }
  if (!line) return;
  lets_in_ = most_new;
  for (auto& one : clients_) {
    one.next = line;
    one.documents = most_documents;
  }
}

void controllers::let_in() {
  std::string from;
  try {
    net::connection link(net::accept_from(local_ ? local_->door() : remote_, from));
    if (!link) return;
    --lets_in_;
    if (clients_.size() >= most_clients) {
      const auto why = refusal("there are too many controllers already");
      (void)net::send_some(link, std::as_bytes(std::span(why)));
      return;
    }
    clients_.push_back({.link = std::move(link), .documents = most_documents});
  } catch (const net::connection_lost&) {
    return;
  } catch (const network_error&) {
    lets_in_ = 0;  // until the next window: there can be no more connections now
  }
}

void controllers::hear(client& one) {
  std::array<std::byte, 4096> some{};
  for (;;) {
    read_lines(one);
    if (one.gone || !one.may_speak()) return;
    try {
      const auto got = net::receive_some(one.link, some);
      if (got == 0) return;
      one.said.append(reinterpret_cast<const char*>(some.data()), got);
    } catch (const network_error&) {
      one.speaks = false;  // it may still listen: if not, it cannot be sent anything
      one.said.clear();    // half a line
    }
  }
}

void controllers::read_lines(client& one) {
  std::size_t begin = 0;
  while (one.may_speak()) {
    const auto end = one.said.find('\n', begin);
    if (end == one.said.npos) break;
    read(one, std::string_view(one.said).substr(begin, end - begin));
    begin = end + 1;
  }
  one.said.erase(0, begin);
  if (one.may_speak() && one.said.size() > longest_document) {
    one.queue +=
        refusal("a document has one line, and at most " + std::to_string(longest_document) + " bytes");
    say(one);
    one.gone = true;
  }
}

void controllers::read(client& one, std::string_view line) {
  --one.documents;
  if (line.find_first_not_of(" \t\r") == line.npos) return;
  std::shared_ptr<const window> shown;
  {
    const std::lock_guard hold(mutex_);
    shown = shown_;
  }
  if (!shown) {
    one.queue += refusal("there has been no window yet: wait for one");
    return;
  }
  auto reply = read_reply(line, *shown, decides_ == &one ? last_seq_ : 0);
  if (reply.taken && decides_ != nullptr && decides_ != &one) {
    one.queue += refusal(reply.seq, "another controller decides, until it leaves");
    return;
  }
  one.queue += reply.ack;
  if (!reply.taken) return;
  decides_ = &one;
  last_seq_ = reply.seq;
  const std::lock_guard hold(mutex_);
  asked_for_ = std::move(reply.wanted);
}

void controllers::say(client& one) {
  if (one.gone) return;
  try {
    for (;;) {
      if (one.waiting() == 0) {
        one.sent = 0;
        one.queue.clear();
        if (!one.next) return;
        one.queue = *std::exchange(one.next, nullptr);
      }
      const auto now_sent = net::send_some(one.link, std::as_bytes(std::span(one.queue)).subspan(one.sent));
      if (now_sent == 0) break;
      one.sent += now_sent;
    }
    if (one.sent > most_waiting) one.queue.erase(0, std::exchange(one.sent, 0));
  } catch (const network_error&) {
    one.gone = true;
  }
}

void controllers::leave(const client& one) {
  if (decides_ == &one) decides_ = nullptr;
}

}  // namespace THALWEG_NAMESPACE::adaptation
