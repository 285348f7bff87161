#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "apps/fraud_detection/partition.hpp"
#include "apps/fraud_detection/transaction.hpp"
#include "apps/support/files.hpp"

namespace apps::fraud_detection {

/// How long a stream is. Neither is given: once through the file. Otherwise the file is gone through again
/// and again, as if it were a longer one.
struct extent {
  std::optional<std::uint64_t> transactions;
  std::optional<std::chrono::nanoseconds> time;  ///< from the first call on

  friend bool operator==(const extent&, const extent&) = default;
};

/// What a source may be told besides.
struct source_options {
  bool in_memory = false;  ///< read everything first
  /// Of several sources over one file, each gives the cards of one partition (see `partition_of`): what they
  /// give together is the file, and each card's transactions stay in order. Each reads the whole file, from
  /// memory only what it gives. `extent` is that of the whole stream.
  std::size_t part = 0;
  std::size_t parts = 1;
};

/// Gives the transactions of a file, one a line, `card,transaction,type`: names of at most 10 and 12
/// characters (letters, digits and whatever ASCII has behind `,`), a type as in `type_names`.
/// Thread-confined.
class source {
 public:
  /// \throws error  if the file cannot be read, and, in memory, if a line is no transaction
  explicit source(const std::filesystem::path& file, extent extent = {}, source_options options = {});

  /// The next transaction, or nothing at the end.
  /// \throws error  naming file and line, if a line is not a transaction
  std::optional<transaction> operator()() {
    const auto* const item = next();
    return item ? std::optional(*item) : std::nullopt;
  }
  /// The same where it lies, until the next call; null at the end.
  const transaction* next() {
    if (next_ == end_ && !refill()) return nullptr;
    if (--until_look_ == 0 && over()) return nullptr;
    return next_++;
  }

 private:
  using clock = std::chrono::steady_clock;

  bool refill();
  bool over();
  std::size_t read(std::size_t lines);
  bool read_text();
  void hold_all();
  bool mine(const transaction& item) const {
    return options_.parts == 1 || partition_of(item.card, options_.parts) == options_.part;
  }

  std::filesystem::path path_;
  extent extent_;
  source_options options_;
  input_file file_;
  std::vector<char> text_;  ///< what is in hand of the file
  std::size_t text_next_ = 0;
  std::size_t text_end_ = 0;
  std::uint64_t line_ = 0;  ///< lines read in this pass

  std::vector<transaction> block_;  ///< what was made of the text, or all there is
  const transaction* next_ = nullptr;
  const transaction* end_ = nullptr;
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  ///< transactions still to be had
  bool found_ = false;                                              ///< this pass had some of this part

  std::uint64_t until_look_ = 0;  ///< transactions until the clock is read
  std::uint64_t stride_ = 1;
  clock::time_point looked_{};
  std::optional<clock::time_point> deadline_;
};

}  // namespace apps::fraud_detection
