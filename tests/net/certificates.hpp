#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "stages/scratch.hpp"

/// Somebody who signs certificates, the files of which lie in a directory for a test.
class authority {
 public:
  explicit authority(std::string name) : name_(std::move(name)), key_(new_key()) {
    certificate_ = signed_by_this(name_, key_.get(), "", true);
    write(name_ + ".pem", *certificate_);
  }

  struct files {
    std::string certificate, key;
  };
  /// Makes a certificate. `of`: as in `DNS:localhost,IP:127.0.0.1`.
  [[nodiscard]] files issue(const std::string& name, const std::string& of) const {
    const auto key = new_key();
    write(name + ".pem", *signed_by_this(name, key.get(), of, false));
    const auto path = (dir_ / (name + ".key")).string();
    const file out(path);
    if (PEM_write_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
      throw std::runtime_error("no key in " + path);
    return {(dir_ / (name + ".pem")).string(), path};
  }
  /// Its own certificate.
  [[nodiscard]] std::string path() const { return (dir_ / (name_ + ".pem")).string(); }
  [[nodiscard]] const scratch& dir() const { return dir_; }

 private:
  template <auto Free> struct freed {
    template <class T> void operator()(T* one) const { Free(one); }
  };
  using key = std::unique_ptr<EVP_PKEY, freed<EVP_PKEY_free>>;
  using certificate = std::unique_ptr<X509, freed<X509_free>>;
  struct file {
    explicit file(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {}
    file(const file&) = delete;
    file& operator=(const file&) = delete;
    ~file() { std::fclose(file_); }
    [[nodiscard]] std::FILE* get() const { return file_; }

   private:
    std::FILE* file_;
  };

  static key new_key() { return key(EVP_EC_gen("P-256")); }
  void write(const std::string& name, X509& one) const {
    const file out((dir_ / name).string());
    if (PEM_write_X509(out.get(), &one) != 1) throw std::runtime_error("no certificate in " + name);
  }
  certificate signed_by_this(const std::string& name, EVP_PKEY* of, const std::string& names,
                             bool signs) const {
    certificate made(X509_new());
    static long serial = 0;
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
    X509_set_version(made.get(), 2);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), of);
    call(X509_get_subject_name(made.get()), name);
    call(X509_get_issuer_name(made.get()), name_);
    extend(*made, NID_basic_constraints, signs ? "critical,CA:TRUE" : "CA:FALSE");
    if (!names.empty()) extend(*made, NID_subject_alt_name, names);
    if (X509_sign(made.get(), key_.get(), EVP_sha256()) == 0) throw std::runtime_error("not signed");
    return made;
  }
  static void call(X509_NAME* one, const std::string& name) {
    X509_NAME_add_entry_by_txt(one, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()),
                               -1, -1, 0);
  }
  static void extend(X509& one, int what, const std::string& by) {
    std::unique_ptr<X509_EXTENSION, freed<X509_EXTENSION_free>> made(
        X509V3_EXT_conf_nid(nullptr, nullptr, what, by.c_str()));
    if (!made) throw std::runtime_error("no extension " + by);
    X509_add_ext(&one, made.get(), -1);
  }

  scratch dir_;
  std::string name_;
  key key_;
  certificate certificate_;
};
