#include "window_feed.hpp"

#include <utility>

#include "../adapt/controller_reply.hpp"
#include "../adapt/run_id.hpp"
#include "../adapt/window_json.hpp"

namespace THALWEG_NAMESPACE::live {

window_feed::window_feed() : run_(adaptation::new_run_id()) {}

adaptation::changes window_feed::show(const adaptation::window& w) {
  auto json = std::make_shared<const std::string>(adaptation::window_json(w, run_));
  auto seen = w;
  seen.latency.clear();  // large, and not read by those who check documents
  adaptation::changes wanted;
  {
    const std::lock_guard hold(mutex_);
    shown_ = std::move(seen);
    line_ = {w.number, std::move(json)};
    std::swap(asked_for_, wanted);
  }
  shown_changed_.notify_all();
  return wanted;
}

std::optional<window_feed::line> window_feed::after(std::uint64_t number,
                                                    std::chrono::nanoseconds most) const {
  std::unique_lock hold(mutex_);
  if (!shown_changed_.wait_for(hold, most, [&] { return line_.number > number; })) return std::nullopt;
  return line_;
}

std::string window_feed::take(std::string_view document) {
  const std::lock_guard hold(mutex_);
  if (!shown_) return adaptation::refusal("there has been no window yet: wait for one");
  auto reply = adaptation::read_reply(document, *shown_, last_seq_);
  if (reply.taken) {
    last_seq_ = reply.seq;
    asked_for_ = std::move(reply.wanted);
  }
  return std::move(reply.ack);
}

}  // namespace THALWEG_NAMESPACE::live
