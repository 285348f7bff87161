// Which server, and what all kinds of sources say of how they talk to it.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/net/web_source.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::net::web {

struct endpoint {
  std::string url;
  web_headers headers;
  std::string bearer, trusted, certificate, key;
  std::chrono::milliseconds connect_within;
  std::optional<std::chrono::milliseconds> longest_silence;
  std::optional<web_reconnect> reconnect;
};

/// From the options of a source, which all have these.
template <class Options> endpoint endpoint_of(const std::string& url, const Options& how) {
  return {url,     how.headers,        how.bearer,          how.trusted,  how.certificate,
          how.key, how.connect_within, how.longest_silence, how.reconnect};
}

/// An address as messages show it: without the name and the password of a user.
std::string shown(const std::string& url);
/// Whether its scheme has TLS.
bool is_secure(const std::string& url);

/// Whether an address names a user.
bool has_user(const std::string& url);
/// The host, with the port if one is named, and the path with its query: what a request names.
std::pair<std::string, std::string> host_and_target(const std::string& url);
/// Whether a status says that the server may do better another time.
bool is_overloaded(long status);

/// Adds what is wrong with it. `schemes`: those that its address may have.
void check(const endpoint& one, std::span<const std::string_view> schemes,
           std::vector<std::string>& problems);
/// Adds what is wrong with a header.
void check_header(const std::string& name, std::string_view value, std::vector<std::string>& problems);
/// Adds what is wrong with the name of a method.
void check_method(const std::string& method, std::vector<std::string>& problems);
/// The same of a source over HTTP.
template <class Options>
void check_request(const std::string& url, const Options& how, std::vector<std::string>& problems) {
  constexpr std::string_view schemes[] = {"http", "https"};
  check(endpoint_of(url, how), schemes, problems);
  check_method(how.method, problems);
}
/// Adds what is wrong with a time.
void check_time(std::string_view name, std::chrono::milliseconds time, std::vector<std::string>& problems);
/// Adds what is wrong with a `.longest`, of which kind.
void check_longest(std::int64_t longest, std::string_view kind, std::vector<std::string>& problems);

}  // namespace THALWEG_NAMESPACE::net::web
