#include "cipher.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <poll.h>

#include "../socket.hpp"

namespace THALWEG_NAMESPACE::net::tls {

namespace {

constexpr std::size_t longest_record = std::size_t{16} << 10U;
constexpr std::byte welcome{1}, refusal{0};

// What a call that has failed waits for; 0 if it never will succeed.
short wanted(const link& ssl, int result) {
  switch (SSL_get_error(ssl.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return POLLIN;
    case SSL_ERROR_WANT_WRITE:
      return POLLOUT;
    default:
      return 0;
  }
}

// Whether the other side has said that it will not go on.
bool is_alert(unsigned long error) {
  return ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
}

// A connection that is broken may be made again, unless the other side says that it does not want to.
[[noreturn]] void break_off() {
  const int error = errno;
  const auto code = ERR_peek_error();
  if (code == 0 && error != 0) throw connection_lost(std::generic_category().message(error));
  if (code == 0) throw connection_lost("the other side has closed the connection");
  const bool refused = is_alert(code);
  const auto says = reason();
  if (refused) throw network_error("it refuses: " + says);
  throw connection_lost("the bytes that come are not valid TLS: " + says);
}

void before_a_call() {
  ERR_clear_error();
  errno = 0;
}

}  // namespace

tls_cipher::tls_cipher(link made, trust by, std::vector<std::byte> token)
    : ssl_(std::move(made)),
      by_(by),
      accepts_(SSL_is_server(ssl_.get()) != 0),
      agreed_(by == trust::token),
      token_(std::move(token)) {
  if (!agreed_ && !accepts_) unsent_ = token_;
}

short tls_cipher::shake_hands() {
  if (!greeted_) {
    if (const auto waits_for = greet(); waits_for != 0) return waits_for;
  }
  while (say()) {
    if (agreed_) return 0;
    if (!hear()) return POLLIN;
    judge();
  }
  return POLLOUT;
}

short tls_cipher::greet() {
  before_a_call();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    greeted_ = true;
    if (by_ == trust::token && SSL_session_reused(ssl_.get()) == 0)
      throw network_error("it does not know the token");
    return 0;
  }
  if (const auto waits_for = wanted(ssl_, result); waits_for != 0) return waits_for;
  const auto verified = SSL_get_verify_result(ssl_.get());
  if (by_ == trust::certificates && verified != X509_V_OK) {
    ERR_clear_error();
    throw network_error(std::string("its certificate cannot be trusted: ") +
                        X509_verify_cert_error_string(verified));
  }
  if (ERR_peek_error() == 0 || is_alert(ERR_peek_error())) {
    try {
      break_off();
    } catch (const connection_lost&) {
      throw;
    } catch (const network_error& e) {
      if (by_ == trust::certificates) throw;
      throw network_error(std::string(e.what()) + ": its token is wrong or missing");
    }
  }
  throw network_error((by_ == trust::token ? "it does not know the token, or does not speak TLS: "
                                           : "it does not speak TLS as required: ") +
                      reason());
}

// Whether all has been said.
bool tls_cipher::say() {
  const auto sent = unsent_.empty() ? 0 : send_some(unsent_);
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
  return unsent_.empty();
}

// Whether the token has come, or the answer to it.
bool tls_cipher::hear() {
  const auto got = heard_.size();
  heard_.resize(accepts_ ? digest_size : 1);
  heard_.resize(got + receive_some(std::span(heard_).subspan(got)));
  return heard_.size() == (accepts_ ? digest_size : 1);
}

void tls_cipher::judge() {
  agreed_ = accepts_ ? token_.empty() || CRYPTO_memcmp(heard_.data(), token_.data(), digest_size) == 0
                     : heard_.front() == welcome;
  if (accepts_) unsent_ = {agreed_ ? welcome : refusal};
  if (agreed_) return;
  if (accepts_) (void)say();  // it has room, as nothing was sent before
  throw network_error(accepts_ ? "its token is wrong or missing" : "it expects another token");
}

std::size_t tls_cipher::send_some(std::span<const std::byte> bytes) {
  std::size_t all = 0;
  while (!bytes.empty()) {
    std::size_t sent = 0;
    before_a_call();
    if (const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent); result != 1) {
      begun_ = std::min(bytes.size(), longest_record);
      if (wanted(ssl_, result) == 0) break_off();
      return all;
    }
    bytes = bytes.subspan(sent);
    all += sent;
  }
  begun_ = 0;
  return all;
}

std::size_t tls_cipher::receive_some(std::span<std::byte> into) {
  std::size_t all = 0;
  while (!into.empty()) {
    std::size_t got = 0;
    before_a_call();
    if (const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got); result != 1) {
      has_more_ = false;
      if (wanted(ssl_, result) == 0) {
        if (all > 0) break;  // the next call hears it again
        break_off();
      }
      return all;
    }
    into = into.subspan(got);
    all += got;
  }
  has_more_ = true;
  return all;
}

}  // namespace THALWEG_NAMESPACE::net::tls
