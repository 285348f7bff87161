#include "apps/hash_search/number_hasher.hpp"

#include <charconv>
#include <cstddef>

#include <openssl/evp.h>

#include "apps/support/error.hpp"

namespace apps::hash_search {

void number_hasher::free_it::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}
void number_hasher::free_it::operator()(evp_md_st* algorithm) const {
  EVP_MD_free(algorithm);
}

number_hasher::number_hasher()
    : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
  if (!algorithm_ || !context_) throw error("OpenSSL has no SHA-256");
}

digest number_hasher::operator()(std::uint32_t number) {
  char digits[10];
  const auto size =
      static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits);
  digest hash;
  if (EVP_DigestInit_ex(context_.get(), algorithm_.get(), nullptr) != 1 ||
      EVP_DigestUpdate(context_.get(), digits, size) != 1 ||
      EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) != 1)
    throw error("OpenSSL refuses to hash");
  return hash;
}

}  // namespace apps::hash_search
