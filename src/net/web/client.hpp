// libcurl with owners, settings and errors.
#pragma once

#include <thalweg/net/web_source.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>

#include "endpoint.hpp"
#include "waker.hpp"

namespace THALWEG_NAMESPACE::net::web {

/// A `curl_slist`.
class header_list {
 public:
  void add(const std::string& line);
  [[nodiscard]] curl_slist* get() const noexcept { return first_.get(); }

 private:
  struct freed {
    void operator()(curl_slist* one) const noexcept { curl_slist_free_all(one); }
  };
  std::unique_ptr<curl_slist, freed> first_;
};

/// One request of libcurl after another to one server. The thread that waits for an answer does the work:
/// while nobody waits nothing is received.
class client {
 public:
  /// With all settings that have to do with connecting. \throws network_error
  client(const endpoint& to, const waker& wakes);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client();

  template <class T> void set(CURLoption option, T value) {
    must(curl_easy_setopt(easy_.get(), option, value));
  }
  [[nodiscard]] CURL* get() const noexcept { return easy_.get(); }

  /// Begins the request (again).
  void start();
  /// Does what can be done at once. Returns how the request has ended, none while it goes on.
  std::optional<CURLcode> work();
  /// Waits until there is something to do, or the wait was given up.
  void wait(moment until);
  /// Of the answer, as far as it has come.
  [[nodiscard]] long status() const;
  [[nodiscard]] std::string content_type() const;
  /// \throws connection_lost  if it may go well another time, network_error if it cannot
  [[noreturn]] void fail(CURLcode why) const;

  const std::string where;  ///< the address, for messages

 private:
  // For libcurl both are pointers to void.
  struct freed_multi {
    void operator()(CURLM* one) const noexcept { curl_multi_cleanup(one); }
  };
  struct freed_easy {
    void operator()(CURL* one) const noexcept { curl_easy_cleanup(one); }
  };
  void must(CURLcode result) const;
  void must(CURLMcode result) const;

  const waker& wakes_;
  std::array<char, CURL_ERROR_SIZE> says_{};
  std::unique_ptr<CURLM, freed_multi> multi_;
  std::unique_ptr<CURL, freed_easy> easy_;
  bool running_ = false;
};

}  // namespace THALWEG_NAMESPACE::net::web
