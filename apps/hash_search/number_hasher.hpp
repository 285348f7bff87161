#pragma once

#include <cstdint>
#include <memory>

#include "apps/hash_search/wanted.hpp"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX
struct evp_md_st;      // OpenSSL's EVP_MD

namespace apps::hash_search {

/// Hashes numbers, as they are written in decimal digits, by OpenSSL's SHA-256: many in turn, for which it
/// looks the algorithm up once and keeps its memory. Thread-confined.
///
/// ```cpp
/// apps::hash_search::number_hasher hash;
/// const auto of_17 = hash(17);  // that of the two bytes "17"
/// ```
class number_hasher {
 public:
  number_hasher();
  digest operator()(std::uint32_t number);

 private:
  struct free_it {
    void operator()(evp_md_ctx_st* context) const;
    void operator()(evp_md_st* algorithm) const;
  };
  std::unique_ptr<evp_md_st, free_it> algorithm_;
  std::unique_ptr<evp_md_ctx_st, free_it> context_;
};

}  // namespace apps::hash_search
