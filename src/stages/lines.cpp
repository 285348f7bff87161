#include <thalweg/model/errors.hpp>
#include <thalweg/stages/lines.hpp>

#include <algorithm>
#include <utility>

namespace THALWEG_NAMESPACE::stages {

std::optional<std::string> line_reader::next_across(const std::stop_token& stop) {
  // Kept in the object: a read that fails may be tried again.
  begun_ += in_.ahead();
  in_.take(in_.ahead().size());
  while (in_.fill(stop)) {
    const auto ahead = in_.ahead();
    const auto length = std::min(ahead.find('\n'), ahead.size());
    begun_.append(ahead, 0, length);
    if (length < ahead.size()) {
      in_.take(length + 1);
      begun_.resize(without_cr(begun_.data(), begun_.size()));
      return std::exchange(begun_, {});
    }
    in_.take(length);
  }
  // The beginning of a line that was not waited for is none.
  if (begun_.empty() || stop.stop_requested()) return {};
  return std::exchange(begun_, {});
}

}  // namespace THALWEG_NAMESPACE::stages
