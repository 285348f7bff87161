#include "item_text.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/model/type_name.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <exception>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

constexpr std::string_view cut_mark = "…";

// Takes so many bytes and then no more: the stream is bad from there on, which ends most printing soon.
class bounded_text final : public std::streambuf {
 public:
  std::string text;
  bool cut = false;

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize n) override {
    const auto fit = std::min(static_cast<std::size_t>(n), longest_item_text - text.size());
    text.append(bytes, fit);
    cut = cut || fit < static_cast<std::size_t>(n);
    return static_cast<std::streamsize>(fit);
  }
};

// Not in the middle of a character.
void shorten(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text.resize(most);
}

}  // namespace

std::string item_text(const pipe::chunk_base& items, std::size_t i) {
  bounded_text raw;
  std::string problem;
  bool prints = true;
  try {
    std::ostream to(&raw);
    prints = items.print(i, to);
  } catch (...) {
    problem = "(printing it has thrown: " + model::message_of(std::current_exception()) + ")";
  }
  if (!prints)
    return "(" + model::type_name(items.item_type()) + ", " + observe::size_text(items.bytes_of(i)) +
           ": items of this type have no text)";
  if (raw.cut) shorten(raw.text, longest_item_text - 1);  // it may end in a part of a character
  auto text = observe::printable(raw.text);
  if (!problem.empty()) text += (text.empty() ? "" : " ") + observe::printable(problem);
  if (raw.cut || text.size() > longest_item_text) {
    shorten(text, longest_item_text - cut_mark.size());
    text += cut_mark;
  }
  return text;
}

}  // namespace THALWEG_NAMESPACE::run_detail
