#include "apps/dedup/archive.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "apps/dedup/cut.hpp"
#include "apps/support/error.hpp"
#include "apps/support/numbers.hpp"

namespace apps::dedup {
namespace {

constexpr char stored_record = 'N', repeat_record = 'R', end_record = 'E';

// What zlib makes of a chunk may be larger, but not by much.
constexpr std::size_t most_packed = fine.most + fine.most / 100 + 100;

std::string_view as_text(const digest& of) {
  return {reinterpret_cast<const char*>(of.data()), of.size()};
}

}  // namespace

void archive_sum::add(std::uint32_t size, const digest& of) {
  bytes += size;
  std::array<char, 2 * sizeof(digest)> both{};
  std::copy(of.begin(), of.end(), std::copy(hash.begin(), hash.end(), both.begin()));
  hash = digest_of({both.data(), both.size()});
}

archive_writer::archive_writer(std::filesystem::path file) : out_(std::move(file)) {
  out_.write(archive_mark);
}

void archive_writer::store(const chunk& one) {
  head_ = stored_record;
  append_number(head_, one.size);
  append_number(head_, static_cast<std::uint32_t>(one.packed.size()));
  out_.write(head_);
  out_.write(view(one.packed));
  sum_.add(one.size, one.hash);
}

void archive_writer::repeat(std::uint32_t number, const chunk& one) {
  head_ = repeat_record;
  append_number(head_, number);
  out_.write(head_);
  sum_.add(one.size, one.hash);
}

void archive_writer::close() {
  head_ = end_record;
  append_number(head_, sum_.bytes);
  head_ += as_text(sum_.hash);
  out_.write(head_);
  out_.close();
}

archive_reader::archive_reader(std::filesystem::path file) : in_(std::move(file)) {
  std::array<char, archive_mark.size()> mark{};
  const auto got = in_.read(mark.data(), mark.size());
  if (std::string_view(mark.data(), got) != archive_mark)
    throw error("'" + in_.path().string() + (got == 0 ? "' is empty" : "' is no archive of dedup"));
  at_ = got;
}

bool archive_reader::next() {
  record_ = at_;
  char kind = 0;
  take(&kind, 1);
  if (kind == end_record) {
    read_end();
    return false;
  }
  repeats_ = kind == repeat_record;
  if (repeats_) {
    number_ = number_from_file<std::uint32_t>();
    if (number_ >= known_.size()) damaged();
  } else if (kind == stored_record) {
    read_stored();
  } else {
    damaged();
  }
  sum_.add(size(), hash());
  return true;
}

void archive_reader::read_stored() {
  const auto size = number_from_file<std::uint32_t>();
  const auto packed = number_from_file<std::uint32_t>();
  if (size == 0 || size > fine.most || packed > most_packed) damaged();
  text_.resize(size);
  packed_.resize(packed);
  take(packed_.data(), packed);
  if (!unpack_(view(packed_), text_)) damaged();
  number_ = static_cast<std::uint32_t>(known_.size());
  known_.push_back({size, digest_of(view(text_))});
  stored_ += size;
}

void archive_reader::read_end() {
  const auto bytes = number_from_file<std::uint64_t>();
  digest hash{};
  take(reinterpret_cast<char*>(hash.data()), hash.size());
  char more = 0;
  if (bytes != sum_.bytes || hash != sum_.hash || in_.read(&more, 1) != 0) damaged();
}

template <class T> T archive_reader::number_from_file() {
  std::array<char, sizeof(T)> raw{};
  take(raw.data(), raw.size());
  return number_at<T>(raw.data());
}

void archive_reader::take(char* to, std::size_t size) {
  if (in_.read(to, size) != size) throw error("'" + in_.path().string() + "' is truncated");
  at_ += size;
}

void archive_reader::damaged() const {
  throw error("'" + in_.path().string() + "' is damaged: what begins at byte " + std::to_string(record_) +
              " cannot be");
}

void restore(const std::filesystem::path& archive, const std::filesystem::path& output) {
  std::error_code none;
  if (std::filesystem::equivalent(archive, output, none))
    throw error("'" + output.string() + "' is the archive, and is not written");
  archive_reader in(archive);
  output_file out(output);
  std::vector<bytes> packed;
  unpacker unpack;
  bytes text;
  while (in.next()) {
    if (!in.repeats()) {
      packed.emplace_back(in.packed().begin(), in.packed().end());
      out.write(in.text());
      continue;
    }
    text.resize(in.size());
    unpack(view(packed[in.number()]), text);
    out.write(view(text));
  }
  out.close();
}

}  // namespace apps::dedup
