// Structs of Arrow's C data interface whose memory is ours.
#pragma once

#include <thalweg/model/arrow.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// Memory at a multiple of 64 bytes, as Arrow recommends, and of so many; what is behind the first `n` is 0.
class arrow_memory {
 public:
  explicit arrow_memory(std::size_t n);
  [[nodiscard]] std::byte* data() const noexcept { return at_.get(); }

 private:
  static constexpr std::align_val_t line{64};
  struct deleter {
    void operator()(std::byte* p) const noexcept { ::operator delete(p, line); }
  };
  std::unique_ptr<std::byte, deleter> at_;
};

/// An array and what it owns. A consumer may take the children out, each by itself.
struct made_array {
  std::vector<arrow_memory> memory{};
  std::vector<const void*> buffers{};  // in `memory`, or null
  std::vector<arrow_owner<ArrowArray>> children{};
  std::vector<ArrowArray*> pointers{};
};
arrow_owner<ArrowArray> make_array(std::int64_t length, std::int64_t nulls, made_array from);

struct made_schema {
  std::string format{};
  std::string name{};
  std::string metadata{};  // empty: none
  std::int64_t flags = 0;
  std::vector<arrow_owner<ArrowSchema>> children{};
  std::vector<ArrowSchema*> pointers{};
};
arrow_owner<ArrowSchema> make_schema(made_schema from);

}  // namespace THALWEG_NAMESPACE::model
