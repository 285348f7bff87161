#include <thalweg/net/tls.hpp>

#include <array>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/x509_vfy.h>

#include "cipher.hpp"

namespace THALWEG_NAMESPACE {

namespace net::tls {

namespace {

enum class side : std::uint8_t { accepts, connects };

context make_context() {
  ERR_clear_error();
  context made(SSL_CTX_new(TLS_method()));
  if (!made) throw std::bad_alloc();
  auto* ctx = made.get();
  SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  // Streams say themselves where they end; and who comes back shakes hands anew.
  SSL_CTX_set_options(ctx, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(ctx, 0);
  SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(ctx, 1);
  // A key that is encrypted is an error; nobody sits at a terminal to be asked.
  SSL_CTX_set_default_passwd_cb(ctx, [](char*, int, int, void*) { return 0; });
  return made;
}

[[noreturn]] void cannot_use(const std::string& what, const std::string& file) {
  throw network_error(what + " in '" + file + "' cannot be used: " + reason());
}

void show(SSL_CTX* ctx, const std::string& certificate, const std::string& key) {
  if (SSL_CTX_use_certificate_chain_file(ctx, certificate.c_str()) != 1)
    cannot_use("the certificate", certificate);
  if (SSL_CTX_use_PrivateKey_file(ctx, key.c_str(), SSL_FILETYPE_PEM) != 1) cannot_use("the key", key);
}

void trust_those_in(SSL_CTX* ctx, const std::string& file) {
  if (SSL_CTX_load_verify_file(ctx, file.c_str()) != 1) cannot_use("the trusted certificates", file);
}

link make_link(const context& of, int socket, side which) {
  link made(SSL_new(of.get()));
  if (!made) throw std::bad_alloc();
  auto* way = way_to(socket);
  SSL_set_bio(made.get(), way, way);
  if (which == side::accepts)
    SSL_set_accept_state(made.get());
  else
    SSL_set_connect_state(made.get());
  return made;
}

std::vector<std::byte> digest_of(const std::string& token) {
  std::vector<std::byte> made(tls_cipher::digest_size);
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(),
         reinterpret_cast<unsigned char*>(made.data()));
  return made;
}

// A token that is given but short is a mistake: an empty one would let everybody in.
const std::string& checked(const std::string& token) {
  if (token.size() < shortest_token)
    throw network_error("a token of " + std::to_string(token.size()) + " bytes can be guessed: it needs " +
                        std::to_string(shortest_token));
  return token;
}

class server_by_certificate final : public accepting_security {
 public:
  explicit server_by_certificate(const tls_server_options& how) {
    if (how.token) token_ = digest_of(checked(*how.token));
    show(context_.get(), how.certificate, how.key);
    if (how.trusted.empty()) return;
    trust_those_in(context_.get(), how.trusted);
    SSL_CTX_set_client_CA_list(context_.get(), SSL_load_client_CA_file(how.trusted.c_str()));
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }

  [[nodiscard]] std::unique_ptr<cipher> of_accepted(int socket) const override {
    return std::make_unique<tls_cipher>(make_link(context_, socket, side::accepts), trust::certificates,
                                        token_);
  }

 private:
  context context_ = make_context();
  std::vector<std::byte> token_{};
};

class client_by_certificate final : public connecting_security {
 public:
  explicit client_by_certificate(const tls_client_options& how)
      : token_(digest_of(how.token ? checked(*how.token) : std::string())), name_(how.name) {
    if (!how.trusted.empty())
      trust_those_in(context_.get(), how.trusted);
    else if (SSL_CTX_set_default_verify_paths(context_.get()) != 1)
      throw network_error("the certificates that the system trusts cannot be read: " + reason());
    if (!how.certificate.empty() || !how.key.empty()) show(context_.get(), how.certificate, how.key);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }

  [[nodiscard]] std::unique_ptr<cipher> of_connected(int socket, const address& to) const override {
    auto made = make_link(context_, socket, side::connects);
    expect(made, name_.empty() ? to.host : name_);
    return std::make_unique<tls_cipher>(std::move(made), trust::certificates, token_);
  }

 private:
  // Has the certificate be one of this name, or number.
  static void expect(const link& made, const std::string& name) {
    std::array<unsigned char, sizeof(in6_addr)> number{};
    const bool is_number = ::inet_pton(AF_INET, name.c_str(), number.data()) == 1 ||
                           ::inet_pton(AF_INET6, name.c_str(), number.data()) == 1;
    const bool expected = is_number
                              ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(made.get()), name.c_str()) == 1
                              : !name.empty() && SSL_set1_host(made.get(), name.c_str()) == 1 &&
                                    SSL_set_tlsext_host_name(made.get(), name.c_str()) == 1;
    if (!expected) throw network_error("no certificate can belong to '" + name + "'");
  }

  context context_ = make_context();
  std::vector<std::byte> token_;
  std::string name_;
};

// Pre-shared keys of TLS 1.3: each side makes the same session from the token, under the same name.
class by_token final : public security {
 public:
  explicit by_token(std::string_view token) {
    constexpr std::string_view salt = "thalweg tls_token";
    constexpr int rounds = 100'000;
    if (PKCS5_PBKDF2_HMAC(token.data(), static_cast<int>(token.size()),
                          reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()),
                          rounds, EVP_sha256(), static_cast<int>(key_.size()), key_.data()) != 1)
      throw network_error("cannot make a key from the token: " + reason());
    auto* ctx = context_.get();
    SSL_CTX_set_ciphersuites(ctx, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);  // and nobody is trusted for a certificate
    SSL_CTX_set_session_id_context(ctx, name(), identity.size());
    SSL_CTX_set_app_data(ctx, this);
    SSL_CTX_set_psk_find_session_callback(ctx, find);
    SSL_CTX_set_psk_use_session_callback(ctx, use);
  }

  [[nodiscard]] std::unique_ptr<cipher> of_accepted(int socket) const override {
    return std::make_unique<tls_cipher>(make_link(context_, socket, side::accepts), trust::token,
                                        std::vector<std::byte>{});
  }
  [[nodiscard]] std::unique_ptr<cipher> of_connected(int socket, const address& /*to*/) const override {
    return std::make_unique<tls_cipher>(make_link(context_, socket, side::connects), trust::token,
                                        std::vector<std::byte>{});
  }

 private:
  static constexpr std::string_view identity = "thalweg";
  static const unsigned char* name() { return reinterpret_cast<const unsigned char*>(identity.data()); }

  SSL_SESSION* session_of(SSL* link) const {
    constexpr std::array<unsigned char, 2> suite{0x13, 0x01};  // TLS_AES_128_GCM_SHA256
    session made(SSL_SESSION_new());
    const auto* cipher = SSL_CIPHER_find(link, suite.data());
    if (!made || cipher == nullptr ||
        SSL_SESSION_set1_master_key(made.get(), key_.data(), key_.size()) != 1 ||
        SSL_SESSION_set_cipher(made.get(), cipher) != 1 ||
        SSL_SESSION_set1_id_context(made.get(), name(), identity.size()) != 1 ||
        SSL_SESSION_set_protocol_version(made.get(), TLS1_3_VERSION) != 1)
      return nullptr;
    return made.release();
  }
  static const by_token& of(SSL* link) {
    return *static_cast<const by_token*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(link)));
  }
  static int find(SSL* link, const unsigned char* its_name, std::size_t size, SSL_SESSION** found) {
    *found = nullptr;
    if (size != identity.size() || std::memcmp(its_name, identity.data(), size) != 0) return 1;
    *found = of(link).session_of(link);
    return *found != nullptr ? 1 : 0;
  }
  static int use(SSL* link, const EVP_MD* /*digest*/, const unsigned char** its_name, std::size_t* size,
                 SSL_SESSION** used) {
    *used = of(link).session_of(link);
    *its_name = name();
    *size = identity.size();
    return *used != nullptr ? 1 : 0;
  }

  context context_ = make_context();
  std::array<unsigned char, 32> key_{};
};

}  // namespace

}  // namespace net::tls

std::shared_ptr<const net::accepting_security> tls_server(const tls_server_options& how) {
  return std::make_shared<net::tls::server_by_certificate>(how);
}

std::shared_ptr<const net::connecting_security> tls_client(const tls_client_options& how) {
  return std::make_shared<net::tls::client_by_certificate>(how);
}

std::shared_ptr<const net::security> tls_token(std::string_view token) {
  return std::make_shared<net::tls::by_token>(net::tls::checked(std::string(token)));
}

}  // namespace THALWEG_NAMESPACE
