#include "openssl.hpp"

#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>

#include <openssl/err.h>
#include <sys/socket.h>

namespace THALWEG_NAMESPACE::net::tls {

namespace {

int socket_of(BIO* way) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(way)));
}

bool passes(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int write(BIO* way, const char* bytes, int size) {
  BIO_clear_retry_flags(way);
  const auto sent = ::send(socket_of(way), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && passes(errno)) BIO_set_retry_write(way);
  return static_cast<int>(sent);
}

int read(BIO* way, char* into, int size) {
  BIO_clear_retry_flags(way);
  const auto got = ::recv(socket_of(way), into, static_cast<std::size_t>(size), 0);
  if (got < 0 && passes(errno)) BIO_set_retry_read(way);
  if (got == 0) BIO_set_flags(way, BIO_FLAGS_IN_EOF);
  return static_cast<int>(got);
}

long control(BIO* way, int what, long /*number*/, void* /*with*/) {
  switch (what) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_EOF:
      return BIO_test_flags(way, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default:
      return 0;
  }
}

const BIO_METHOD* method() {
  static const std::unique_ptr<BIO_METHOD, freed<BIO_meth_free>> made = [] {
    std::unique_ptr<BIO_METHOD, freed<BIO_meth_free>> one(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "thalweg"));
    if (!one) throw std::bad_alloc();
    BIO_meth_set_write(one.get(), write);
    BIO_meth_set_read(one.get(), read);
    BIO_meth_set_ctrl(one.get(), control);
    return one;
  }();
  return made.get();
}

}  // namespace

std::string reason() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "the connection broke";
  if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
  const auto* says = ERR_reason_error_string(code);
  return says != nullptr ? says : "error " + std::to_string(ERR_GET_REASON(code));
}

BIO* way_to(int socket) {
  auto* made = BIO_new(method());
  if (made == nullptr) throw std::bad_alloc();
  BIO_set_data(made, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(made, 1);
  return made;
}

}  // namespace THALWEG_NAMESPACE::net::tls
