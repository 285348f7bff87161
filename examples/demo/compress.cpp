#include "compress.hpp"

#include <algorithm>
#include <stdexcept>

#include <bzlib.h>

namespace demo {

std::string compress(const std::string& block) {
  std::string packed(block.size() + block.size() / 100 + 600, '\0');  // The most that bzip2 may need.
  auto size = static_cast<unsigned>(packed.size());
  // The library reads its input only, although it does not say so.
  auto* input = const_cast<char*>(block.data());
  // A level is a hundred thousand bytes that are compressed at a time, and memory for them.
  const int level = static_cast<int>(std::min<std::size_t>(9, (block.size() + 99'999) / 100'000));
  const int status = BZ2_bzBuffToBuffCompress(packed.data(), &size, input,
                                              static_cast<unsigned>(block.size()), std::max(1, level), 0, 0);
  if (status != BZ_OK) throw std::runtime_error("bzip2 failed with status " + std::to_string(status));
  packed.resize(size);
  return packed;
}

}  // namespace demo
