// flat_map: any number of items out for each item in.
//
// The operator gets an emitter and sends what it likes: here the words of a line. What it sends takes the
// place of the item it came from, so the order is that of nested loops, in a farm too. However much one
// call sends, it is handed on in bounded pieces.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tw = thalweg;

void words_of(const std::string& line, tw::emitter<std::string>& out) {
  std::istringstream in(line);
  for (std::string word; in >> word;) out.send(std::move(word));
}

int main() {
  const std::vector<std::string> lines{"the line of fastest flow", "", "along a stream", "the stream"};
  std::map<std::string, int> count;
  std::string in_order;

  auto job = tw::source(lines) | tw::farm(tw::flat_map(words_of)) | tw::sink([&](const std::string& word) {
               ++count[word];
               in_order += word + ' ';
             });
  tw::run(job);

  for (const auto& [word, times] : count) std::cout << word << ' ' << times << '\n';
  return in_order == "the line of fastest flow along a stream the stream " && count["stream"] == 2 ? 0 : 1;
}
