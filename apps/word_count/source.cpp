#include "apps/word_count/source.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/word_count/letters.hpp"

namespace apps::word_count {

source::source(std::filesystem::path file, std::uint64_t passes, input_held held)
    : in_(std::move(file)), passes_(passes) {
  if (held == input_held::in_memory) held_ = read_file(in_.path());
  read(rest_, passage_size);
}

std::optional<passage> source::operator()() {
  passage made;
  while (made.text.empty()) {
    if (ended_ && rest_.empty() && !begin_pass()) return std::nullopt;
    made.text = std::exchange(rest_, {});
    while (!ended_ && !cut(made.text)) read_on(made.text);
  }
  made.number = number_++;
  return made;
}

// Cuts off what has no end yet, if there is enough before it.
bool source::cut(bytes& text) {
  if (text.size() < passage_size) return false;
  const auto last = std::find_if(text.rbegin(), text.rend(), [](char byte) { return letter_of(byte) == 0; });
  if (last == text.rend()) return false;
  rest_.assign(last.base(), text.end());
  text.erase(last.base(), text.end());
  return true;
}

void source::read_on(bytes& text) {
  if (text.size() < passage_size) return read(text, passage_size - text.size());
  if (text.size() == longest_word)
    throw error("'" + in_.path().string() + "' is no text: it has a word of " + std::to_string(longest_word) +
                " bytes or more");
  read(text, std::min(text.size(), longest_word - text.size()));
}

bool source::begin_pass() {
  if (passes_ == 0 || --passes_ == 0) return false;
  if (held_)
    next_ = 0;
  else
    in_ = input_file(in_.path());
  read(rest_, passage_size);
  return !rest_.empty();
}

// Appends what follows in the file, up to `size` bytes.
void source::read(bytes& to, std::size_t size) {
  const auto before = to.size();
  std::size_t got = 0;
  if (held_) {
    got = std::min(size, held_->size() - next_);
    to.insert(to.end(), held_->data() + next_, held_->data() + next_ + got);
    next_ += got;
  } else {
    to.resize(before + size);
    got = in_.read(to.data() + before, size);
    to.resize(before + got);
  }
  ended_ = got < size;
}

}  // namespace apps::word_count
