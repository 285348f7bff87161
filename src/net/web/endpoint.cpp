#include "endpoint.hpp"

#include <algorithm>
#include <memory>

#include <curl/curl.h>

namespace THALWEG_NAMESPACE::net::web {

namespace {

struct freed {
  void operator()(CURLU* one) const noexcept { curl_url_cleanup(one); }
  void operator()(char* one) const noexcept { curl_free(one); }
};
using parts = std::unique_ptr<CURLU, freed>;

// Empty if it is none.
parts parsed(const std::string& url) {
  parts made(curl_url());
  if (made && curl_url_set(made.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    made.reset();
  return made;
}

std::string part(const parts& of, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(of.get(), which, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, freed> owner(text);
  return text;
}

// What a name of a method may consist of (RFC 9110, section 5.6.2).
bool is_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != others.npos;
  });
}

bool has_line_end(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos;
}

}  // namespace

std::string shown(const std::string& url) {
  const auto all = parsed(url);
  if (!all) return url;
  // What is not a part of it cannot be taken away, which is no error then.
  for (const auto secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT})
    curl_url_set(all.get(), secret, nullptr, 0);
  return part(all, CURLUPART_URL);
}

bool is_secure(const std::string& url) {
  const auto all = parsed(url);
  const auto scheme = all ? part(all, CURLUPART_SCHEME) : "";
  return scheme == "https" || scheme == "wss";
}

bool has_user(const std::string& url) {
  const auto all = parsed(url);
  return all && !(part(all, CURLUPART_USER) + part(all, CURLUPART_PASSWORD)).empty();
}

std::pair<std::string, std::string> host_and_target(const std::string& url) {
  const auto all = parsed(url);
  if (!all) return {};
  const auto port = part(all, CURLUPART_PORT), query = part(all, CURLUPART_QUERY);
  return {part(all, CURLUPART_HOST) + (port.empty() ? "" : ":" + port),
          part(all, CURLUPART_PATH) + (query.empty() ? "" : "?" + query)};
}

bool is_overloaded(long status) {
  constexpr long timeout = 408, too_many = 429, of_server = 500;
  return status == timeout || status == too_many || status >= of_server;
}

void check(const endpoint& one, std::span<const std::string_view> schemes,
           std::vector<std::string>& problems) {
  const auto url = parsed(one.url);
  if (!url || std::ranges::find(schemes, part(url, CURLUPART_SCHEME)) == schemes.end()) {
    std::string all;
    for (const auto scheme : schemes) all += (all.empty() ? "" : " or ") + std::string(scheme) + "://";
    problems.push_back("'" + shown(one.url) + "' is no address that begins with " + all);
  }
  for (const auto& [name, value] : one.headers) check_header(name, value, problems);
  if (has_line_end(one.bearer)) problems.emplace_back("its .bearer has a line end in it");
  check_time(".connect_within", one.connect_within, problems);
  if (one.longest_silence) check_time(".longest_silence", *one.longest_silence, problems);
  if (!one.reconnect) return;
  if (one.reconnect->tries < 1)
    problems.push_back("its .reconnect must have at least 1 of .tries, not " +
                       std::to_string(one.reconnect->tries));
  check_time(".reconnect.delay", one.reconnect->delay, problems);
  if (one.reconnect->longest_delay < one.reconnect->delay)
    problems.emplace_back("its .reconnect has a .longest_delay that is shorter than its .delay");
}

void check_header(const std::string& name, std::string_view value, std::vector<std::string>& problems) {
  if (name.empty() || !is_token(name) || has_line_end(value))
    problems.push_back("it has a header that cannot be sent: '" + name + "'");
}

void check_method(const std::string& method, std::vector<std::string>& problems) {
  if (!is_token(method) || method == "HEAD")
    problems.push_back("its .method '" + method + "' is none whose answer has lines");
}

void check_time(std::string_view name, std::chrono::milliseconds time, std::vector<std::string>& problems) {
  if (time.count() <= 0)
    problems.push_back("its " + std::string(name) + " must be longer than 0 ms, not " +
                       std::to_string(time.count()) + " ms");
}

void check_longest(std::int64_t longest, std::string_view kind, std::vector<std::string>& problems) {
  if (longest < 1)
    problems.push_back("its .longest " + std::string(kind) + " must have at least 1 byte, not " +
                       std::to_string(longest));
}

}  // namespace THALWEG_NAMESPACE::net::web
