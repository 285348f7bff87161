#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace apps {

/// The hashes in use: SHA-256 for what is ours, MD5 to compare with lists made by others.
enum class hash { sha256, md5 };

/// Hashes what comes piece by piece, through OpenSSL's libcrypto.
///
/// ```cpp
/// apps::hasher h(apps::hash::md5);
/// h.add("a");
/// h.add("bc");
/// assert(h.hex() == "900150983cd24fb0d6963f7d28e17f72");
/// ```
class hasher {
 public:
  explicit hasher(hash kind = hash::sha256);

  void add(std::string_view bytes);
  /// What has come so far, in lower-case hexadecimal digits. To be called once, last.
  std::string hex();

 private:
  struct free_context {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, free_context> context_;
};

/// The hash of a file in lower-case hexadecimal digits, as `sha256sum` and `md5sum` show it; it is read in
/// pieces. Errors are `apps::error`s that name the file.
std::string hash_of_file(const std::filesystem::path& path, hash kind = hash::sha256);

/// The hash of bytes, likewise.
std::string hash_of(std::string_view bytes, hash kind = hash::sha256);

/// A SHA-256 as it is computed, for those who compare many of them.
using digest = std::array<std::uint8_t, 32>;

/// That of bytes.
digest digest_of(std::string_view bytes);

}  // namespace apps
