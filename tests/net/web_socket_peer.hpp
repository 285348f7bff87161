#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "net/web_server.hpp"

/// What the answer to a request that opens a WebSocket says to prove that it is one (RFC 6455,
/// section 4.2.2).
inline std::string proof_for(const std::string& request) {
  constexpr std::string_view name = "Sec-WebSocket-Key: ";
  const auto at = request.find(name) + name.size();
  const auto text = request.substr(at, request.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char hash[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  unsigned char coded[64];
  const auto size = EVP_EncodeBlock(coded, hash, sizeof hash);
  return {reinterpret_cast<const char*>(coded), static_cast<std::size_t>(size)};
}

/// A frame of a server. `kind`: 1 text, 2 binary, 0 goes on, 8 close, 9 ping, 10 pong.
inline std::string frame(unsigned kind, std::string_view bytes, bool last = true) {
  std::string made(1, static_cast<char>((last ? 0x80U : 0U) | kind));
  const auto size = bytes.size();
  if (size < 126) {
    made += static_cast<char>(size);
  } else {
    const int of_size = size < 65'536 ? 2 : 8;
    made += static_cast<char>(of_size == 2 ? 126 : 127);
    for (int i = of_size - 1; i >= 0; --i) made += static_cast<char>((size >> (8 * i)) & 0xFFU);
  }
  return made += bytes;
}
inline std::string close_frame(unsigned code, std::string_view why = "") {
  return frame(
      8, std::string{static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)} + std::string(why));
}

/// What a client has sent: kind and bytes of its next frame, of less than 126 bytes; kind 15 once it is gone.
inline std::pair<unsigned, std::string> heard_frame(const raw_peer& link) {
  const auto head = link.hear(6);
  if (head.size() < 6) return {15, ""};
  auto bytes = link.hear(static_cast<unsigned char>(head[1]) & 0x7FU);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] =
        static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ static_cast<unsigned char>(head[2 + i % 4]));
  return {static_cast<unsigned char>(head[0]) & 0x0FU, bytes};
}

/// Opens the WebSocket, and does what follows.
inline web_server::script opened(web_server::script then) {
  return {[then = std::move(then)](const raw_peer& link, const std::string& request) {
    link.say(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: " +
        proof_for(request) + "\r\n\r\n");
    then(link, request);
  }};
}
