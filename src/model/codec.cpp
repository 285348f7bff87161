#include <thalweg/model/codec.hpp>
#include <thalweg/model/plan.hpp>

namespace THALWEG_NAMESPACE {

void byte_writer::bytes(const void* from, std::size_t n) {
  const auto* first = static_cast<const std::byte*>(from);
  to_->insert(to_->end(), first, first + n);
}

void byte_writer::block(const void* from, std::size_t n) {
  if (blocks_ != nullptr && n >= least_block) {
    blocks_->emplace_back(static_cast<const std::byte*>(from), n);
  } else {
    bytes(from, n);
  }
}

void byte_writer::count(std::size_t n) {
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw codec_error("a part of an item has too many elements: " + std::to_string(n));
  (*this)(static_cast<std::uint32_t>(n));
}

std::size_t byte_reader::count(std::size_t size) {
  std::uint32_t n = 0;
  (*this)(n);
  if (n > left() / size)
    throw codec_error("an item is cut off: " + std::to_string(n) + " more elements should follow, but only " +
                      std::to_string(left()) + " bytes do");
  return n;
}

bool byte_reader::block(void* to, std::size_t n) {
  if (blocks_ != nullptr && n >= least_block) {
    if (n > more_) fail(n);
    more_ -= n;
    blocks_->emplace_back(static_cast<std::byte*>(to), n);
    return false;
  }
  if (n > 0) std::memcpy(to, bytes(n).data(), n);
  return true;
}

void byte_reader::fail(std::size_t n) const {
  throw codec_error("an item is cut off: " + std::to_string(n) + " bytes should follow, but only " +
                    std::to_string(left()) + " do");
}

namespace model {

std::string tag_of_number(char kind, std::size_t size) {
  return kind + std::to_string(8 * size);
}

std::string tag_of_bytes(const std::type_info& type, std::size_t size) {
  return type_name(type) + " (" + std::to_string(size) + " bytes)";
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
