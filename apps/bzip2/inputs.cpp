#include <string>

#include "apps/bzip2/application.hpp"
#include "apps/bzip2/bzip2.hpp"
#include "apps/support/encyclopedia.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"

namespace apps::bzip2 {

namespace {

constexpr std::uint64_t seed = 900'000;

// Calls `take` with at least `size` bytes of text, page by page.
template <class Take>
void write_text(std::uint64_t size, const progress& told, std::uint64_t all, Take take) {
  encyclopedia pages(seed);
  std::string text(encyclopedia::head);
  constexpr std::size_t piece = std::size_t{1} << 20U;
  for (std::uint64_t done = 0; done < size;) {
    while (text.size() < piece && done + text.size() < size) pages.append_page(text);
    done += text.size();
    take(text);
    text.clear();
    if (told) told(std::min(done, size), all);
  }
  take(std::string(encyclopedia::tail));
}

// Compresses what it is given, as streams of a block each or as a single one.
class compressor {
 public:
  explicit compressor(bool single_stream) : single_(single_stream) {
    constexpr int level = 9;
    if (single_ && BZ2_bzCompressInit(&stream_, level, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  compressor(const compressor&) = delete;
  compressor& operator=(const compressor&) = delete;
  ~compressor() { BZ2_bzCompressEnd(&stream_); }

  void add(std::string_view text) {
    if (single_) return run(BZ_RUN, text);
    while (!text.empty()) {
      const auto part = text.substr(0, block_size - block_.size());
      block_.insert(block_.end(), part.begin(), part.end());
      text.remove_prefix(part.size());
      if (block_.size() == block_size) compress_block();
    }
  }
  std::string finish() {
    if (single_) run(BZ_FINISH, {});
    if (!block_.empty()) compress_block();
    return std::move(packed_);
  }

 private:
  void compress_block() {
    const auto done = compress_({0, std::move(block_)});
    packed_ += view(done.data);
    block_.clear();
  }
  void run(int action, std::string_view text) {
    stream_.next_in = const_cast<char*>(text.data());  // libbz2 only reads it
    stream_.avail_in = static_cast<unsigned>(text.size());
    int result = BZ_RUN_OK;
    bytes some(std::size_t{1} << 16U);
    do {
      stream_.next_out = some.data();
      stream_.avail_out = static_cast<unsigned>(some.size());
      result = BZ2_bzCompress(&stream_, action);
      packed_.append(some.data(), some.size() - stream_.avail_out);
    } while (stream_.avail_in > 0 || (action == BZ_FINISH && result != BZ_STREAM_END));
  }

  bool single_;
  bz_stream stream_{};
  compress compress_;
  bytes block_;
  std::string packed_;
};

}  // namespace

void generate(std::string_view input, const std::filesystem::path& folder, const progress& told) {
  const auto how = recipe_of(input);
  output_file out(file_of(input, folder));
  if (!how.compressed) {
    write_text(how.bytes, told, how.bytes, [&](const std::string& text) { out.write(text); });
    out.close();
    return;
  }
  // Kept, to be hashed as often as it is repeated.
  std::string text;
  text.reserve(how.bytes + (std::uint64_t{1} << 20U));
  compressor packer(how.single_stream);
  write_text(how.bytes, told, how.bytes, [&](const std::string& piece) {
    text += piece;
    packer.add(piece);
  });
  const auto packed = packer.finish();
  hasher hash;
  for (unsigned i = 0; i < how.repetitions; ++i) {
    out.write(packed);
    hash.add(text);
    if (told) told(how.bytes, how.bytes);
  }
  out.close();
  // As sha256sum writes it.
  output_file truth(folder / "text.xml.sha256");
  truth.write(hash.hex() + "  text.xml\n");
  truth.close();
}

}  // namespace apps::bzip2
