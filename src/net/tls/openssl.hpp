// OpenSSL with owners and errors.
#pragma once

#include <thalweg/version.hpp>

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/ssl.h>

namespace THALWEG_NAMESPACE::net::tls {

/// Frees what OpenSSL has made.
template <auto Free> struct freed {
  template <class T> void operator()(T* one) const noexcept { Free(one); }
};
using context = std::unique_ptr<SSL_CTX, freed<SSL_CTX_free>>;
using session = std::unique_ptr<SSL_SESSION, freed<SSL_SESSION_free>>;
using link = std::unique_ptr<SSL, freed<SSL_free>>;

/// What OpenSSL has to say of the call of this thread that failed last; it forgets it with that.
std::string reason();

/// A way to a socket for OpenSSL, which would write to a connection that is gone and have the process ended
/// by a signal. \throws std::bad_alloc
BIO* way_to(int socket);

}  // namespace THALWEG_NAMESPACE::net::tls
