#include "protocol.hpp"

#include <algorithm>

#include <poll.h>

namespace THALWEG_NAMESPACE::net::protocol {

namespace {

std::vector<std::byte> begun() {
  std::vector<std::byte> bytes(intro_size);
  std::memcpy(bytes.data(), magic.data(), magic.size());
  const auto turned = little_endian(version);
  std::memcpy(bytes.data() + magic.size(), &turned, sizeof turned);
  return bytes;
}

std::vector<std::byte> with_size(std::vector<std::byte> bytes) {
  const auto size = little_endian(static_cast<std::uint32_t>(bytes.size() - intro_size));
  std::memcpy(bytes.data() + magic.size() + sizeof version, &size, sizeof size);
  return bytes;
}

template <class N> N take_number(std::span<const std::byte>& from) {
  if (from.size() < sizeof(N)) throw network_error("its greeting is cut off");
  const auto number = number_at<N>(from);
  from = from.subspan(sizeof(N));
  return number;
}

std::string take_text(std::span<const std::byte>& from) {
  const auto size = take_number<std::uint32_t>(from);
  if (from.size() < size) throw network_error("its greeting is cut off");
  std::string text(text_in(from.first(size)));
  from = from.subspan(size);
  return text;
}

// The first bytes of a record of TLS, with a greeting or an alert.
bool is_tls(std::span<const std::byte> bytes) {
  return bytes.size() > 1 && (bytes[0] == std::byte{0x15} || bytes[0] == std::byte{0x16}) &&
         bytes[1] == std::byte{3};
}

// What came where a greeting should have, for a message.
std::string shown(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) {
    const auto c = static_cast<char>(byte);
    text += c >= ' ' && c <= '~' ? c : '.';
  }
  return text;
}

}  // namespace

void put_bytes(std::vector<std::byte>& to, const void* from, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + size);
}

void put_text(std::vector<std::byte>& to, std::string_view text) {
  put(to, static_cast<std::uint32_t>(text.size()));
  put_bytes(to, text.data(), text.size());
}

std::size_t size_of_frame(std::span<const std::byte> bytes) {
  if (bytes.size() < frame_head) return 0;
  const auto size = number_at<std::uint32_t>(bytes);
  if (size == end_mark) return end_frame;
  if (size != gave_up_mark) return frame_head + size;
  if (bytes.size() < 2 * frame_head) return 0;
  return 2 * frame_head + std::min(number_at<std::uint32_t>(bytes.subspan(frame_head)), longest_greeting);
}

std::vector<std::byte> packed(const hello& said) {
  auto bytes = begun();
  put(bytes, said.stream);
  put_text(bytes, said.tag);
  put_text(bytes, said.name);
  put_text(bytes, said.clock);
  return with_size(std::move(bytes));
}

std::vector<std::byte> packed(const answer& said) {
  auto bytes = begun();
  put(bytes, said.next);
  put_text(bytes, said.refusal);
  put(bytes, said.questions);
  return with_size(std::move(bytes));
}

hello hello_in(std::span<const std::byte> greeting) {
  hello said;
  said.stream = take_number<std::uint64_t>(greeting);
  said.tag = take_text(greeting);
  said.name = take_text(greeting);
  said.clock = take_text(greeting);
  return said;
}

answer answer_in(std::span<const std::byte> greeting) {
  answer said;
  said.next = take_number<std::uint64_t>(greeting);
  said.refusal = take_text(greeting);
  said.questions = take_number<std::uint32_t>(greeting);
  return said;
}

bool greeting::receive(const connection& link) {
  while (got_ < bytes_.size()) {
    const auto came = receive_some(link, std::span(bytes_).subspan(got_));
    if (came == 0) return false;
    got_ += came;
    if (is_tls(std::span(bytes_).first(got_))) throw network_error("it speaks TLS, but this side does not");
    if (std::memcmp(bytes_.data(), magic.data(), std::min(got_, magic.size())) != 0)
      throw network_error("it does not speak the protocol of streams, but sends '" +
                          shown(std::span(bytes_).first(std::min(got_, intro_size))) + "'");
    if (sized_ || got_ < intro_size) continue;
    sized_ = true;
    const std::span all(bytes_);
    if (const auto its = number_at<std::uint32_t>(all.subspan(magic.size())); its != version)
      throw network_error("it speaks version " + std::to_string(its) + " of the protocol of streams, not " +
                          std::to_string(version));
    const auto size = number_at<std::uint32_t>(all.subspan(magic.size() + sizeof version));
    if (size > longest_greeting) throw network_error("its greeting is too long");
    bytes_.resize(intro_size + size);
  }
  return true;
}

std::optional<std::vector<std::byte>> receive_greeting(const connection& link, const patience& patience,
                                                       moment until) {
  for (greeting its;;) {
    switch (patience.wait(link, POLLIN, until)) {
      case waited::given_up:
        return {};
      case waited::late:
        throw connection_lost("it does not answer");
      case waited::ready:
        break;
    }
    if (its.receive(link)) return std::vector<std::byte>(its.body().begin(), its.body().end());
  }
}

}  // namespace THALWEG_NAMESPACE::net::protocol
