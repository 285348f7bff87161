#include "apps/support/hash.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps {

namespace {

void check(int good) {
  if (good != 1) throw error("OpenSSL refuses to hash");
}

}  // namespace

void hasher::free_context::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

hasher::hasher(hash kind) : context_(EVP_MD_CTX_new()) {
  check(EVP_DigestInit_ex(context_.get(), kind == hash::md5 ? EVP_md5() : EVP_sha256(), nullptr));
}

void hasher::add(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string hasher::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4U];
    text += "0123456789abcdef"[digest[i] & 15U];
  }
  return text;
}

std::string hash_of_file(const std::filesystem::path& path, hash kind) {
  input_file in(path);
  hasher h(kind);
  bytes piece(std::size_t{1} << 20U);
  while (const auto got = in.read(piece.data(), piece.size())) h.add({piece.data(), got});
  return h.hex();
}

std::string hash_of(std::string_view bytes, hash kind) {
  hasher h(kind);
  h.add(bytes);
  return h.hex();
}

digest digest_of(std::string_view bytes) {
  digest made{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), made.data());
  return made;
}

}  // namespace apps
