#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <sys/mman.h>

namespace apps::bzip2 {

/// The memory that libbz2 takes for each block (8 MB to compress, 4 MB to decompress), kept from one block to
/// the next: pages that come fresh from the system for every block cost more than what is written to them.
/// For one `bz_stream` at a time; a copy has memory of its own.
class workspace {
 public:
  workspace() = default;
  workspace(const workspace&) {}
  workspace(workspace&&) = default;
  workspace& operator=(const workspace&) { return *this; }
  workspace& operator=(workspace&&) = default;
  ~workspace() = default;

  /// To be called before `stream` is initialised.
  void lend_to(bz_stream& stream) {
    stream.opaque = this;
    stream.bzalloc = [](void* self, int count, int size) {
      return static_cast<workspace*>(self)->take(static_cast<std::size_t>(count) *
                                                 static_cast<std::size_t>(size));
    };
    stream.bzfree = [](void* self, void* memory) { static_cast<workspace*>(self)->give_back(memory); };
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20U;

  struct free_aligned {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(huge_page)); }
  };
  struct piece {
    std::unique_ptr<std::byte, free_aligned> memory;
    std::size_t size;
    bool taken;
  };

  // libbz2 is C: it takes a null pointer for an answer, but no exception.
  void* take(std::size_t size) noexcept try {
    for (auto& p : pieces_) {
      if (p.taken || p.size != size) continue;
      p.taken = true;
      return p.memory.get();
    }
    const auto whole_pages = (size + huge_page - 1) / huge_page * huge_page;
    auto* const memory = static_cast<std::byte*>(
        ::operator new(size < huge_page ? size : whole_pages, std::align_val_t(huge_page)));
    std::unique_ptr<std::byte, free_aligned> owner(memory);
    if (size >= huge_page) ::madvise(memory, whole_pages, MADV_HUGEPAGE);  // it may refuse
    pieces_.push_back({std::move(owner), size, true});
    return pieces_.back().memory.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  void give_back(void* memory) noexcept {
    for (auto& p : pieces_)
      if (p.memory.get() == memory) p.taken = false;
  }

  std::vector<piece> pieces_;
};

}  // namespace apps::bzip2
