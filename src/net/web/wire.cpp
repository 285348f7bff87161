#include "wire.hpp"

#include <algorithm>

#include <boost/asio/error.hpp>

namespace THALWEG_NAMESPACE::net::web {

namespace error = boost::asio::error;

wire::wire(const endpoint& to, const waker& wakes)
    : wakes_(wakes),
      longest_silence_(to.longest_silence),
      until_(from_now(to.connect_within)),
      link_(to, wakes) {
  // ws:// and wss:// are http:// and https:// for libcurl.
  link_.set(CURLOPT_URL, ("http" + to.url.substr(2)).c_str());
  link_.set(CURLOPT_PROTOCOLS_STR, "http,https");
  link_.set(CURLOPT_CONNECT_ONLY, 1L);
  link_.set(CURLOPT_HTTPPROXYTUNNEL, 1L);  // a proxy, if there is one, must not look into it
}

bool wire::connect() {
  link_.start();
  for (;;) {
    if (wakes_.over()) return false;
    if (const auto ended = link_.work()) {
      if (*ended != CURLE_OK) link_.fail(*ended);
      curl_socket_t socket = CURL_SOCKET_BAD;
      curl_easy_getinfo(link_.get(), CURLINFO_ACTIVESOCKET, &socket);
      socket_ = socket;
      return true;
    }
    link_.wait(moment::max());
  }
}

std::size_t wire::receive(char* into, std::size_t most, error_code& error) {
  // For how long nobody has wanted more is not the server's silence.
  heard_ = std::chrono::steady_clock::now();
  pinged_ = false;
  for (;;) {
    std::size_t got = 0;
    const auto how = curl_easy_recv(link_.get(), into, most, &got);
    if (how == CURLE_OK) {
      constexpr std::size_t of_line = 200;
      if (!opened_) answered_.append(into, std::min(got, of_line - std::min(of_line, answered_.size())));
      error = got > 0 ? error_code{} : error_code(error::eof);
      return got;
    }
    if (how != CURLE_AGAIN) {
      error = error::connection_reset;
      return 0;
    }
    const auto waits = wakes_.waits.wait(socket_, POLLIN, limit());
    if (waits == waited::given_up) break;
    if (waits == waited::ready) continue;
    if (!opened_ || pinged_) {
      error = error::timed_out;
      return 0;
    }
    pinged_ = true;
    say(std::string_view("\x89\x80\x00\x00\x00\x00", 6));  // ping
  }
  error = error::operation_aborted;
  return 0;
}

std::string wire::status() const {
  const auto line = answered_.substr(0, answered_.find_first_of("\r\n"));
  const auto text = line.substr(std::min(line.find(' '), line.size()));
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::size_t wire::send(const char* from, std::size_t size, error_code& error) {
  for (;;) {
    std::size_t sent = 0;
    const auto how = curl_easy_send(link_.get(), from, size, &sent);
    if (how == CURLE_OK) {
      error = {};
      return sent;
    }
    if (how != CURLE_AGAIN) {
      error = error::connection_reset;
      return 0;
    }
    const auto waits =
        left_ ? waited::given_up : wakes_.waits.wait(socket_, POLLOUT, opened_ ? moment::max() : until_);
    if (waits == waited::ready) continue;
    error = waits == waited::late ? error_code(error::timed_out) : error_code(error::operation_aborted);
    return 0;
  }
}

moment wire::limit() const {
  if (!opened_) return until_;
  if (!longest_silence_) return moment::max();
  const bool far = *longest_silence_ > std::chrono::floor<std::chrono::milliseconds>(moment::max() - heard_);
  if (far) return moment::max();
  return heard_ + (pinged_ ? *longest_silence_ : *longest_silence_ / 2);
}

void wire::leave() {
  left_ = true;
  if (opened_) say(std::string_view("\x88\x82\x00\x00\x00\x00\x03\xE8", 8));  // close, 1000
}

// Beast cannot write in the middle of a read, nor after one that was given up. Nothing of it is half written
// then. The mask of a client is 0 here: there are no bytes of others that it could hide from a proxy.
void wire::say(std::string_view frame) {
  error_code error;
  while (!frame.empty() && !error) frame.remove_prefix(send(frame.data(), frame.size(), error));
}

}  // namespace THALWEG_NAMESPACE::net::web
