/// Packs a file so that what repeats in it is stored once, wherever it stands. One thread does it so:
///
/// ```cpp
/// namespace dedup = apps::dedup;
/// dedup::source source("backup.bin");
/// dedup::deduplicate deduplicate;
/// dedup::compress compress;
/// dedup::sink sink("backup.dedup");
/// while (auto fragment = source()) sink(compress(deduplicate(dedup::refine(std::move(*fragment)))));
/// sink.close();
/// dedup::restore("backup.dedup", "restored.bin");
/// ```
///
/// `refine` and `compress` work on each fragment by itself. `deduplicate` has a state that all fragments
/// share, and takes them in any order: that decides what is compressed. The sink needs them in order, and
/// decides what is stored: so the archive is the same whatever comes first at `deduplicate`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "apps/dedup/archive.hpp"
#include "apps/dedup/digest_hash.hpp"
#include "apps/dedup/fragment.hpp"
#include "apps/dedup/pack.hpp"
#include "apps/support/application.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/input_held.hpp"

namespace apps::dedup {

/// Cuts a file into fragments, where its contents say so. \throws error  naming the file, if it
/// cannot be read
class source {
 public:
  explicit source(std::filesystem::path file, input_held held = input_held::on_disk);
  /// The next fragment; nothing at the end of the file.
  std::optional<fragment> operator()();

 private:
  void fill();

  input_file in_;
  bytes window_;  // of the file; all of it if it is held
  std::size_t at_ = 0;
  bool ended_ = false;  // the file has no more than the window holds
  std::uint64_t number_ = 0;
};

/// Cuts a fragment into chunks, and hashes them.
fragment refine(fragment one);

/// Finds out which chunks need not be compressed, as there is the same in a fragment before, or before in the
/// same one. Fragments may come in any order: of those that have the same chunk, each that has a lower number
/// than all that came until then has to have it compressed. So the first in the stream always has; in order,
/// no other. Holds 40 bytes and its table's for each chunk that is not a repetition.
class deduplicate {
 public:
  fragment operator()(fragment one);

 private:
  std::unordered_map<digest, std::uint64_t, digest_hash> first_;  // fragment of those that have come
};

/// Compresses the chunks that do not repeat, and gives the fragment's data up. One for each thread.
class compress {
 public:
  fragment operator()(fragment one);

 private:
  packer pack_;
};

/// Writes the archive: a chunk when it comes first, and a number when it comes again. Fragments must come in
/// order. \throws error  naming the file, if it cannot be written, or if a fragment is not the one that is
/// due
class sink {
 public:
  explicit sink(std::filesystem::path file) : out_(std::move(file)) {}
  void operator()(const fragment& one);
  /// Puts the file into its place.
  void close() { out_.close(); }

 private:
  archive_writer out_;
  std::uint64_t number_ = 0;
  std::unordered_map<digest, std::uint32_t, digest_hash> stored_;  // and their numbers
};

/// What tools need to know.
const application& about();

}  // namespace apps::dedup
