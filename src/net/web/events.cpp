#include <thalweg/net/http.hpp>
#include <thalweg/observe/text.hpp>

#include <utility>

#include "answer.hpp"
#include "event_reader.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace web;

class events_stream final : public web_stream<http_event> {
 public:
  events_stream(const std::string& url, const http_events_options& how)
      : longest_(how.longest),
        from_(endpoint_of(url, how),
              {.method = how.method, .body = how.body, .type = "text/event-stream", .end_is_a_loss = true},
              wakes_),
        events_(static_cast<std::size_t>(how.longest), how.last_event_id) {
    say_last_id();
  }

  std::optional<http_event> next(const std::stop_token& stop) override {
    wakes_.interrupt_on(stop);
    try {
      return next();
    } catch (const text_lines::too_long&) {
      throw network_error(from_.where() + ": an event behind that of id '" +
                          observe::printable(events_.last_id()) + "' has more than .longest, " +
                          std::to_string(longest_) + " bytes");
    }
  }
  bool give_up() override { return events_.give_up(); }

 private:
  std::optional<http_event> next() {
    for (;;) {
      if (auto event = events_.next()) return event;
      if (const auto delay = events_.take_delay()) from_.set_delay(*delay);
      switch (ended_ ? answer::found::end : from_.more(events_.more())) {
        case answer::found::bytes:
          break;
        case answer::found::anew:
          events_.begin_anew();
          say_last_id();
          break;
        case answer::found::end:
          ended_ = true;
          return {};
        case answer::found::given_up:
          return {};
      }
    }
  }
  void say_last_id() {
    from_.add_header(events_.last_id().empty() ? "" : "Last-Event-ID: " + events_.last_id());
  }

  const std::int64_t longest_;
  waker wakes_;
  answer from_;
  event_reader events_;
  bool ended_ = false;
};

}  // namespace

void open_http_events::check(const std::string& url, const options& how, model::stage_info& info) {
  check_request(url, how, info.problems);
  check_longest(how.longest, "event", info.problems);
  check_header("Last-Event-ID", how.last_event_id, info.problems);
}

std::unique_ptr<web_stream<http_event>> open_http_events::open(const std::string& url, const options& how) {
  return std::make_unique<events_stream>(url, how);
}

}  // namespace THALWEG_NAMESPACE::net
