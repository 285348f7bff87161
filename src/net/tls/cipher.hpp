// One connection through TLS, and what has to be agreed on before the stream begins.
#pragma once

#include <thalweg/net/security.hpp>

#include <cstdint>
#include <vector>

#include "openssl.hpp"

namespace THALWEG_NAMESPACE::net::tls {

/// How the two sides make sure of each other: by certificates, and then by a token that the connecting side
/// tells, where nobody else can hear it; or by a token alone, which does not travel.
enum class trust : std::uint8_t { certificates, token };

class tls_cipher final : public cipher {
 public:
  /// Of a link that knows which side it is. `token`: its digest, `digest_size` bytes; empty if the accepting
  /// side wants none.
  tls_cipher(link made, trust by, std::vector<std::byte> token);

  short shake_hands() override;
  std::size_t send_some(std::span<const std::byte> bytes) override;
  [[nodiscard]] std::size_t begun() const noexcept override { return begun_; }
  std::size_t receive_some(std::span<std::byte> into) override;
  [[nodiscard]] bool has_more() const noexcept override { return has_more_; }

  static constexpr std::size_t digest_size = 32;

 private:
  short greet();
  bool say();
  bool hear();
  void judge();

  link ssl_;
  const trust by_;
  const bool accepts_;
  bool greeted_ = false;
  bool agreed_;
  std::vector<std::byte> token_;
  std::vector<std::byte> unsent_{};
  std::vector<std::byte> heard_{};
  std::size_t begun_ = 0;
  bool has_more_ = true;  // what came with the handshake
};

}  // namespace THALWEG_NAMESPACE::net::tls
