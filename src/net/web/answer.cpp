#include "answer.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <utility>

namespace THALWEG_NAMESPACE::net::web {

namespace {

using namespace std::chrono_literals;

// What is held before the transfer pauses.
constexpr std::size_t enough = std::size_t{64} << 10U;
// How much a server may say about why it refuses, and how long it may take for that.
constexpr std::size_t longest_reason = 200;
constexpr auto reason_within = 1s;

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return made;
}

bool has_header(const web_headers& all, std::string_view name) {
  return std::ranges::any_of(all, [&](const auto& one) { return lower(one.first) == name; });
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of("\r\n"), longest_reason));
}

}  // namespace

answer::answer(const endpoint& to, question what, const waker& wakes)
    : what_(std::move(what)),
      headers_(to.headers),
      longest_silence_(to.longest_silence),
      wakes_(wakes),
      link_(to, wakes),
      pause_(to.reconnect) {
  // The callbacks of a library in C must not throw, so they find room.
  pending_.reserve(enough + CURL_MAX_WRITE_SIZE);
  status_.reserve(longest_reason);
  link_.set(CURLOPT_URL, to.url.c_str());
  link_.set(CURLOPT_PROTOCOLS_STR, "http,https");
  link_.set(CURLOPT_REDIR_PROTOCOLS_STR, is_secure(to.url) ? "https" : "http,https");
  link_.set(CURLOPT_FOLLOWLOCATION, 1L);
  link_.set(CURLOPT_MAXREDIRS, 10L);
  link_.set(CURLOPT_ACCEPT_ENCODING, "");
  if (!to.bearer.empty()) {
    link_.set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    link_.set(CURLOPT_XOAUTH2_BEARER, to.bearer.c_str());
  }
  if (!what_.body.empty()) {
    link_.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what_.body.size()));
    link_.set(CURLOPT_POSTFIELDS, what_.body.data());
  }
  if (!what_.method.empty() && what_.method != (what_.body.empty() ? "GET" : "POST"))
    link_.set(CURLOPT_CUSTOMREQUEST, what_.method.c_str());
  link_.set(CURLOPT_HEADERFUNCTION, &answer::on_header);
  link_.set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  link_.set(CURLOPT_WRITEFUNCTION, &answer::on_body);
  link_.set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  link_.set(CURLOPT_PREREQFUNCTION, &answer::on_connected);
  link_.set(CURLOPT_PREREQDATA, static_cast<void*>(this));
}

answer::found answer::more(std::string& into) {
  if (!failure_.empty()) throw network_error(failure_);
  try {
    return look(into);
  } catch (const connection_lost& e) {
    const auto delay = pause_.next();
    if (!delay) throw network_error(failure_ = e.what());
    again_at_ = from_now(*delay);
    asked_ = false;
    return found::anew;
  } catch (const network_error& e) {
    failure_ = e.what();
    throw;
  }
}

answer::found answer::look(std::string& into) {
  if (!asked_) {
    if (wakes_.waits.wait(-1, 0, again_at_) == waited::given_up) return found::given_up;
    ask();
  }
  // For how long nobody has wanted more is not the server's silence.
  heard_ = std::chrono::steady_clock::now();
  for (;;) {
    if (wakes_.over()) return found::given_up;
    if (std::exchange(paused_, false)) curl_easy_pause(link_.get(), CURLPAUSE_CONT);
    if (!ended_) ended_ = link_.work();
    const bool refusing = refuses();
    if (refusing) {
      if (ended_ || pending_.size() >= longest_reason || std::chrono::steady_clock::now() >= refused_)
        refuse();
    } else if (!pending_.empty()) {
      check_type();
      pause_.begin_anew();
      into.append(pending_);
      pending_.clear();
      return found::bytes;
    } else if (ended_) {
      return finish();
    }
    const auto silent_at = this->silent_at();
    if (std::chrono::steady_clock::now() >= silent_at)
      throw connection_lost(link_.where + " has sent nothing for " +
                            std::to_string(longest_silence_->count()) + " ms");
    link_.wait(refusing ? std::min(refused_, silent_at) : silent_at);
  }
}

bool answer::ask_again() {
  if (!what_.every) return false;
  const auto left = *what_.every - std::chrono::ceil<std::chrono::milliseconds>(
                                       std::chrono::steady_clock::now() - asked_at_);
  again_at_ = from_now(left);
  return wakes_.waits.wait(-1, 0, again_at_) != waited::given_up;
}

void answer::ask() {
  sent_ = {};
  for (const auto& [name, value] : headers_) sent_.add(value.empty() ? name + ";" : name + ": " + value);
  if (!what_.type.empty() && !has_header(headers_, "accept")) sent_.add("Accept: " + what_.type);
  if (!added_.empty()) sent_.add(added_);
  // What libcurl would add: a type that nobody has named, and a wait before a longer body.
  if (!has_header(headers_, "content-type")) sent_.add("Content-Type:");
  sent_.add("Expect:");
  link_.set(CURLOPT_HTTPHEADER, sent_.get());
  connected_ = paused_ = false;
  refused_ = moment::max();
  status_.clear();
  pending_.clear();
  ended_.reset();
  asked_at_ = std::chrono::steady_clock::now();
  link_.start();
  asked_ = true;
}

answer::found answer::finish() {
  if (*ended_ != CURLE_OK) link_.fail(*ended_);
  constexpr long no_content = 204;  // which says of events that no more come
  const bool last = link_.status() == no_content;
  if (!last) check_type();
  if (what_.end_is_a_loss && !last && pause_.retries())
    throw connection_lost(link_.where + ": the answer has ended");
  pause_.begin_anew();
  asked_ = false;
  return found::end;
}

// A redirect is none as long as it is followed.
bool answer::refuses() {
  constexpr long good = 200, redirect = 300, bad = 400;
  const auto status = link_.status();
  if (status >= bad) return true;
  if (status >= good && status < redirect) return false;
  return !pending_.empty() || (ended_ == CURLE_OK);
}

void answer::refuse() {
  auto says = link_.where + " answers " + observe::printable(status_);
  if (const auto why = first_line(pending_); !why.empty()) says += ": " + observe::printable(why);
  if (is_overloaded(link_.status())) throw connection_lost(says);
  throw network_error(says);
}

void answer::check_type() {
  if (what_.type.empty()) return;
  const auto has = link_.content_type();
  if (lower(has.substr(0, has.find_first_of("; "))) == what_.type) return;
  throw network_error(link_.where + " answers with " +
                      (has.empty() ? "no type" : "the type '" + observe::printable(has) + "'") +
                      ", not with " + what_.type);
}

// When it has been silent for too long. Connecting has another limit.
moment answer::silent_at() const {
  if (!longest_silence_ || !connected_) return moment::max();
  const bool far = *longest_silence_ > std::chrono::floor<std::chrono::milliseconds>(moment::max() - heard_);
  return far ? moment::max() : heard_ + *longest_silence_;
}

std::size_t answer::on_header(char* bytes, std::size_t /*size*/, std::size_t count, void* self) {
  auto& my = *static_cast<answer*>(self);
  my.heard_ = std::chrono::steady_clock::now();
  const std::string_view line(bytes, count);
  if (line.starts_with("HTTP/")) {
    const auto text = first_line(line.substr(std::min(line.find(' '), line.size() - 1) + 1));
    my.status_ = text.substr(0, text.find_last_not_of(' ') + 1);
    my.refused_ = my.heard_ + reason_within;
  }
  return count;
}

std::size_t answer::on_body(char* bytes, std::size_t /*size*/, std::size_t count, void* self) {
  auto& my = *static_cast<answer*>(self);
  my.heard_ = std::chrono::steady_clock::now();
  if (my.pending_.size() >= enough) {
    my.paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  my.pending_.append(bytes, count);
  return count;
}

int answer::on_connected(void* self, char* /*here*/, char* /*there*/, int /*port_here*/, int /*port_there*/) {
  auto& my = *static_cast<answer*>(self);
  my.connected_ = true;
  my.heard_ = std::chrono::steady_clock::now();
  return CURL_PREREQFUNC_OK;
}

}  // namespace THALWEG_NAMESPACE::net::web
