#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::live {

using shared_text = std::shared_ptr<const std::string>;

/// The samples of the last minutes, for all who listen. Nobody is waited for: who is slow finds the older
/// ones gone. Thread-safe.
class history {
 public:
  explicit history(std::chrono::nanoseconds kept) : kept_(kept) {}

  /// Another run begins: what there was of the last one is forgotten.
  void begin(std::string graph);
  /// The graph is another one from now on, if it is.
  void change(std::string graph);
  void add(std::chrono::nanoseconds time, std::string sample, bool last);
  /// Who waits is told that nothing more will come.
  void close();

  /// All of it, as a JSON object.
  [[nodiscard]] std::string state() const;

  /// What somebody has heard so far.
  struct place {
    std::uint64_t graph = 0;
    std::uint64_t sample = 0;  ///< the number of the next one
  };
  struct event {
    std::string_view name;
    shared_text data;
  };
  /// A place from which all samples after `since` are heard; nothing: those that come from now on. The end of
  /// a run that is over is heard in any case.
  [[nodiscard]] place from(std::optional<std::chrono::nanoseconds> since) const;
  /// What has happened since then, waiting for at most so long; nothing: it is closed, and
  /// all has been heard.
  [[nodiscard]] std::optional<std::vector<event>> after(place& from, std::chrono::nanoseconds most) const;

 private:
  struct kept_sample {
    std::chrono::nanoseconds time;
    shared_text sample;
    bool last;
  };
  [[nodiscard]] std::uint64_t end() const noexcept { return first_ + kept_samples_.size(); }
  void forget_first();

  static constexpr std::size_t most_bytes = std::size_t{16} << 20U;

  const std::chrono::nanoseconds kept_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  shared_text graph_ = std::make_shared<std::string>("{}");
  std::uint64_t graph_number_ = 0;
  std::deque<kept_sample> kept_samples_;
  std::uint64_t first_ = 0;  // the number of the first of them
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace THALWEG_NAMESPACE::live
