#include "gzip.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include <zlib.h>

namespace THALWEG_NAMESPACE {

namespace stages {

namespace {

// zlib counts in 32 bits.
uInt at_most(std::size_t n) {
  return static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
}

constexpr const char* other_bytes = "behind the gzip data there are other bytes";
constexpr int with_gzip_header = MAX_WBITS + 16;

class gzip_unpacker final : public unpacker {
 public:
  gzip_unpacker() {
    if (::inflateInit2(&state_, with_gzip_header) != Z_OK) throw std::bad_alloc();
  }
  gzip_unpacker(const gzip_unpacker&) = delete;
  gzip_unpacker& operator=(const gzip_unpacker&) = delete;
  ~gzip_unpacker() override { ::inflateEnd(&state_); }

  progress unpack(std::span<const char> from, std::span<char> to) override {
    if (!wrong_.empty()) throw damaged_data(wrong_);
    progress done{0, 0};
    while (done.made < to.size()) {
      const auto left = from.subspan(done.taken);
      if (between_ && members_ > 0 && left.empty()) break;
      if (between_) {
        // Tapes and disks fill their blocks with zeros, which gzip passes over, too.
        if (members_ > 0 && (padded_ || left.front() == 0)) {
          padded_ = true;
          const auto other = std::find_if(left.begin(), left.end(), [](char c) { return c != 0; });
          done.taken += static_cast<std::size_t>(other - left.begin());
          if (other != left.end()) wrong_ = other_bytes;
          break;
        }
        ::inflateReset(&state_);
        between_ = false;
      }
      const auto step = inflate_some(left, to.subspan(done.made));
      done.taken += step.taken;
      done.made += step.made;
      if (!wrong_.empty() || (step.taken == 0 && step.made == 0)) break;
    }
    if (!wrong_.empty() && done.made == 0) throw damaged_data(wrong_);
    return done;
  }
  [[nodiscard]] bool complete() const noexcept override { return between_ && members_ > 0; }

 private:
  progress inflate_some(std::span<const char> from, std::span<char> to) {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    state_.avail_in = at_most(from.size());
    state_.next_out = reinterpret_cast<Bytef*>(to.data());
    state_.avail_out = at_most(to.size());
    const auto in_before = state_.avail_in;
    const auto out_before = state_.avail_out;
    const int said = ::inflate(&state_, Z_NO_FLUSH);
    switch (said) {
      case Z_OK:
      case Z_BUF_ERROR:
        break;  // there is no more to read, or no room
      case Z_STREAM_END:
        between_ = true;
        ++members_;
        break;
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      case Z_NEED_DICT:
        wrong_ = "the gzip data needs a dictionary";
        break;
      default: {
        const std::string why = state_.msg != nullptr ? state_.msg : "unknown error";
        wrong_ = members_ > 0 && why == "incorrect header check" ? other_bytes
                                                                 : "the gzip data is damaged: " + why;
      }
    }
    return {in_before - state_.avail_in, out_before - state_.avail_out};
  }

  z_stream state_{};
  std::string wrong_{};
  bool between_ = true;  // two members
  bool padded_ = false;
  std::size_t members_ = 0;
};

class gzip_packer final : public packer {
 public:
  explicit gzip_packer(int level) {
    constexpr int usual_memory = 8;
    if (::deflateInit2(&state_, level, Z_DEFLATED, with_gzip_header, usual_memory, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw std::bad_alloc();
  }
  gzip_packer(const gzip_packer&) = delete;
  gzip_packer& operator=(const gzip_packer&) = delete;
  ~gzip_packer() override { ::deflateEnd(&state_); }

  void pack(std::string_view from, std::string& to) override {
    while (!from.empty()) {
      const auto now = at_most(from.size());
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
      state_.avail_in = now;
      deflate_all(Z_NO_FLUSH, to);
      from.remove_prefix(now);
    }
  }
  void finish(std::string& to) override {
    state_.avail_in = 0;
    deflate_all(Z_FINISH, to);
  }

 private:
  void deflate_all(int flush, std::string& to) {
    constexpr std::size_t room = std::size_t{64} << 10U;
    do {
      const auto before = to.size();
      to.resize(before + room);
      state_.next_out = reinterpret_cast<Bytef*>(to.data() + before);
      state_.avail_out = room;
      ::deflate(&state_, flush);
      to.resize(before + room - state_.avail_out);
    } while (state_.avail_out == 0);
  }

  z_stream state_{};
};

class gzip_packing final : public packing {
 public:
  explicit gzip_packing(int level) : level_(level) {}

  [[nodiscard]] std::string problem() const override {
    if (level_ == automatic || (level_ >= Z_BEST_SPEED && level_ <= Z_BEST_COMPRESSION)) return {};
    return "the level of gzip is 1 to 9, not " + std::to_string(level_);
  }
  [[nodiscard]] std::unique_ptr<unpacker> unpacks(std::string_view /*first*/) const override {
    return std::make_unique<gzip_unpacker>();
  }
  [[nodiscard]] std::unique_ptr<packer> packs(const std::filesystem::path& /*target*/) const override {
    return std::make_unique<gzip_packer>(level_ == automatic ? Z_DEFAULT_COMPRESSION : level_);
  }

 private:
  int level_;
};

}  // namespace

bool begins_gzip(std::string_view first) noexcept {
  return first.starts_with("\x1f\x8b");
}

}  // namespace stages

compression gzip(int level) {
  return compression(std::make_shared<stages::gzip_packing>(level));
}

}  // namespace THALWEG_NAMESPACE
