#include "zstd.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#if THALWEG_HAS_ZSTD
#include <zstd.h>
#endif

namespace THALWEG_NAMESPACE {

namespace stages {

#if THALWEG_HAS_ZSTD

namespace {

class zstd_unpacker final : public unpacker {
 public:
  zstd_unpacker() {
    if (!state_) throw std::bad_alloc();
  }

  progress unpack(std::span<const char> from, std::span<char> to) override {
    if (!wrong_.empty()) throw damaged_data(wrong_);
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    // It goes on until it can do no more: else what is wrong would be found while there is something to give.
    while (out.pos < out.size && (in.pos < in.size || !between_)) {
      const auto before = in.pos + out.pos;
      const auto first = in.pos;
      const bool was_between = between_;
      const auto said = ::ZSTD_decompressStream(state_.get(), &out, &in);
      if (::ZSTD_isError(said) != 0U) {
        const bool other = was_between && frames_ > 0 && !begins_zstd(text(from, first));
        wrong_ = other ? "behind the zstd data there are other bytes"
                       : std::string("the zstd data is damaged: ") + ::ZSTD_getErrorName(said);
        break;
      }
      between_ = said == 0;
      frames_ += between_ ? 1U : 0U;
      if (in.pos + out.pos == before) break;
    }
    if (!wrong_.empty() && out.pos == 0) throw damaged_data(wrong_);
    return {in.pos, out.pos};
  }
  [[nodiscard]] bool complete() const noexcept override { return between_ && frames_ > 0; }

 private:
  struct freed {
    void operator()(ZSTD_DCtx* state) const noexcept { ::ZSTD_freeDCtx(state); }
  };
  static std::string_view text(std::span<const char> from, std::size_t at) {
    return std::string_view(from.data(), from.size()).substr(at);
  }

  std::unique_ptr<ZSTD_DCtx, freed> state_{::ZSTD_createDCtx()};
  std::string wrong_{};
  bool between_ = true;  // two frames
  std::size_t frames_ = 0;
};

class zstd_packer final : public packer {
 public:
  explicit zstd_packer(int level) {
    if (!state_) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_compressionLevel, level);
    ::ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1);
  }

  void pack(std::string_view from, std::string& to) override { compress(from, ZSTD_e_continue, to); }
  void finish(std::string& to) override { compress({}, ZSTD_e_end, to); }

 private:
  struct freed {
    void operator()(ZSTD_CCtx* state) const noexcept { ::ZSTD_freeCCtx(state); }
  };

  void compress(std::string_view from, ZSTD_EndDirective how, std::string& to) {
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      const auto before = to.size();
      to.resize(before + ::ZSTD_CStreamOutSize());
      ZSTD_outBuffer out{to.data() + before, to.size() - before, 0};
      left = ::ZSTD_compressStream2(state_.get(), &out, &in, how);
      to.resize(before + out.pos);
      if (::ZSTD_isError(left) != 0U)
        throw error(std::string("cannot compress with zstd: ") + ::ZSTD_getErrorName(left));
      if (how == ZSTD_e_continue) left = in.size - in.pos;
    }
  }

  std::unique_ptr<ZSTD_CCtx, freed> state_{::ZSTD_createCCtx()};
};

class zstd_packing final : public packing {
 public:
  explicit zstd_packing(int level) : level_(level) {}

  [[nodiscard]] std::string problem() const override {
    if (level_ == automatic || (level_ >= 1 && level_ <= ::ZSTD_maxCLevel())) return {};
    return "the level of zstd is 1 to " + std::to_string(::ZSTD_maxCLevel()) + ", not " +
           std::to_string(level_);
  }
  [[nodiscard]] std::unique_ptr<unpacker> unpacks(std::string_view /*first*/) const override {
    return std::make_unique<zstd_unpacker>();
  }
  [[nodiscard]] std::unique_ptr<packer> packs(const std::filesystem::path& /*target*/) const override {
    return std::make_unique<zstd_packer>(level_ == automatic ? ZSTD_CLEVEL_DEFAULT : level_);
  }

 private:
  int level_;
};

}  // namespace

#else

namespace {

// In its place where there is no libzstd.
class zstd_packing final : public packing {
 public:
  explicit zstd_packing(int /*level*/) {}

  [[nodiscard]] std::string problem() const override {
    return "this thalweg::compression was built without zstd (apt-get install libzstd-dev)";
  }
  [[nodiscard]] std::unique_ptr<unpacker> unpacks(std::string_view /*first*/) const override {
    throw damaged_data(problem());
  }
  [[nodiscard]] std::unique_ptr<packer> packs(const std::filesystem::path& /*target*/) const override {
    throw error(problem());
  }
};

}  // namespace

#endif

bool begins_zstd(std::string_view first) noexcept {
  constexpr std::size_t magic_size = 4;
  if (first.size() < magic_size) return false;
  // Little-endian: of a frame, or of one that is to be skipped.
  std::uint32_t magic = 0;
  for (std::size_t i = magic_size; i-- > 0;) magic = (magic << 8U) | static_cast<unsigned char>(first[i]);
  return magic == 0xFD2FB528U || (magic & 0xFFFFFFF0U) == 0x184D2A50U;
}

}  // namespace stages

compression zstd(int level) {
  return compression(std::make_shared<stages::zstd_packing>(level));
}

}  // namespace THALWEG_NAMESPACE
