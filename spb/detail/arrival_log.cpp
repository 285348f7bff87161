#include "spb/detail/arrival_log.hpp"

#include <thalweg/observe/text.hpp>

#include <string>
#include <utility>

namespace spb::detail {

arrival_log::arrival_log(const std::filesystem::path& path, std::int64_t begin_ns)
    : out_(path), begin_ns_(begin_ns) {
  out_.write("seconds,latency_ms,elements,source\n");
}

void arrival_log::write(const std::vector<arrival>& some) noexcept {
  try {
    std::string lines;
    for (const auto& one : some) {
      lines += thalweg::observe::fixed_text(static_cast<double>(one.time_ns - begin_ns_) * 1e-9, 9) + ',';
      lines += thalweg::observe::fixed_text(static_cast<double>(one.latency_ns) * 1e-6, 6) + ',';
      lines += std::to_string(one.elements) + ',' + std::to_string(one.source) + '\n';
    }
    const std::lock_guard alone(lock_);
    if (!failure_) out_.write(lines);
  } catch (...) {
    const std::lock_guard alone(lock_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void arrival_log::close() {
  const std::lock_guard alone(lock_);
  if (failure_) std::rethrow_exception(failure_);
  out_.close();
}

}  // namespace spb::detail
