#include <thalweg/net/http.hpp>

#include <utility>

#include "answer.hpp"
#include "text_lines.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace web;

class lines_stream final : public web_stream<std::string> {
 public:
  lines_stream(const std::string& url, const http_lines_options& how)
      : longest_(how.longest),
        from_(endpoint_of(url, how), {.method = how.method, .body = how.body, .every = how.every}, wakes_),
        lines_(how.crlf ? line_ends::lf_or_crlf : line_ends::lf, static_cast<std::size_t>(how.longest)) {}

  std::optional<std::string> next(const std::stop_token& stop) override {
    wakes_.interrupt_on(stop);
    try {
      return next();
    } catch (const text_lines::too_long&) {
      throw network_error(from_.where() + ": line " + std::to_string(number_ + 1) +
                          " has more than .longest, " + std::to_string(longest_) + " bytes");
    }
  }
  bool give_up() override {
    if (!lines_.give_up()) return false;
    ++number_;
    return true;
  }

 private:
  std::optional<std::string> next() {
    for (;;) {
      auto line = ended_ ? lines_.last() : lines_.next();
      if (line) {
        ++number_;
        return line;
      }
      if (ended_) {
        if (!from_.ask_again()) return {};
        begin();
      }
      switch (from_.more(lines_.more())) {
        case answer::found::bytes:
          break;
        case answer::found::end:
          ended_ = true;
          break;
        case answer::found::anew:
          begin();
          break;
        case answer::found::given_up:
          return {};
      }
    }
  }
  void begin() {
    ended_ = false;
    number_ = 0;
    lines_.clear();
  }

  const std::int64_t longest_;
  waker wakes_;
  answer from_;
  text_lines lines_;
  bool ended_ = false;
  std::int64_t number_ = 0;  // of the last line, in the answer
};

}  // namespace

void open_http_lines::check(const std::string& url, const options& how, model::stage_info& info) {
  check_request(url, how, info.problems);
  check_longest(how.longest, "line", info.problems);
  if (how.every) check_time(".every", *how.every, info.problems);
}

std::unique_ptr<web_stream<std::string>> open_http_lines::open(const std::string& url, const options& how) {
  return std::make_unique<lines_stream>(url, how);
}

}  // namespace THALWEG_NAMESPACE::net
