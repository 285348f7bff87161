#include "client.hpp"

#include <algorithm>
#include <new>

namespace THALWEG_NAMESPACE::net::web {

namespace {

using namespace std::chrono_literals;

// What another try may not meet again.
bool passes(CURLcode why) {
  switch (why) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
      return true;
    default:
      return false;
  }
}

}  // namespace

void header_list::add(const std::string& line) {
  auto* longer = curl_slist_append(first_.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)first_.release();
  first_.reset(longer);
}

client::client(const endpoint& to, const waker& wakes) : where(shown(to.url)), wakes_(wakes) {
  static const auto ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  must(ready);
  multi_.reset(curl_multi_init());
  easy_.reset(curl_easy_init());
  if (!multi_ || !easy_) throw std::bad_alloc();
  set(CURLOPT_ERRORBUFFER, says_.data());
  set(CURLOPT_NOSIGNAL, 1L);
  // A name that is being looked up is not waited for at the end.
  set(CURLOPT_QUICK_EXIT, 1L);
  // With HTTP/2 the server is held back by libcurl's window, of 32 MB; so, by that of TCP.
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::min<std::chrono::milliseconds>(to.connect_within, 24h * 24).count()));
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_USERAGENT, "thalweg");
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!to.trusted.empty()) {
    set(CURLOPT_CAINFO, to.trusted.c_str());
    set(CURLOPT_CAPATH, nullptr);
  }
  if (!to.certificate.empty()) set(CURLOPT_SSLCERT, to.certificate.c_str());
  if (!to.key.empty()) set(CURLOPT_SSLKEY, to.key.c_str());
}

client::~client() {
  if (running_) curl_multi_remove_handle(multi_.get(), easy_.get());
}

void client::start() {
  if (running_) must(curl_multi_remove_handle(multi_.get(), easy_.get()));
  running_ = false;
  says_[0] = '\0';
  must(curl_multi_add_handle(multi_.get(), easy_.get()));
  running_ = true;
}

std::optional<CURLcode> client::work() {
  int busy = 0;
  must(curl_multi_perform(multi_.get(), &busy));
  int left = 0;
  const auto* told = curl_multi_info_read(multi_.get(), &left);
  if (told == nullptr || told->msg != CURLMSG_DONE) return {};
  return told->data.result;
}

void client::wait(moment until) {
  constexpr auto longest = std::chrono::milliseconds(1h);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  curl_waitfd rung{wakes_.fd(), CURL_WAIT_POLLIN, 0};
  must(curl_multi_poll(multi_.get(), &rung, 1, static_cast<int>(std::clamp(left, 0ms, longest).count()),
                       nullptr));
}

long client::status() const {
  long status = 0;
  must(curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status));
  return status;
}

std::string client::content_type() const {
  const char* type = nullptr;
  must(curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &type));
  return type != nullptr ? type : "";
}

void client::fail(CURLcode why) const {
  const std::string text = where + ": " + (says_[0] != '\0' ? says_.data() : curl_easy_strerror(why));
  if (passes(why)) throw connection_lost(text);
  throw network_error(text);
}

void client::must(CURLcode result) const {
  if (result != CURLE_OK) fail(result);
}

void client::must(CURLMcode result) const {
  if (result != CURLM_OK) throw network_error(where + ": " + curl_multi_strerror(result));
}

}  // namespace THALWEG_NAMESPACE::net::web
