// The lines and the events of web servers: what comes does not depend on where it is cut, and nothing that is
// longer than the limit comes.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../../src/net/web/event_reader.hpp"
#include "../../src/net/web/text_lines.hpp"
#include "fuzz/fuzz.hpp"

namespace web = thalweg::net::web;

namespace {

constexpr std::size_t longest = 20;

// All that `reader` has of a text that comes in pieces of such a size, with a mark for what is left out.
template <class Reader, class Add>
void read_in_pieces(Reader& reader, std::string_view text, std::size_t size, Add add) {
  for (std::size_t at = 0; at < text.size(); at += size) {
    reader.more().append(text.substr(at, size));
    for (;;) try {
        auto one = reader.next();
        if (!one) break;
        add(*one);
      } catch (const web::text_lines::too_long&) {
        fuzz::expect(reader.give_up(), "what is refused cannot be left out");
      }
  }
}

std::vector<std::string> lines(web::line_ends ends, std::string_view text, std::size_t size) {
  std::vector<std::string> all;
  web::text_lines reader(ends, longest);
  read_in_pieces(reader, text, size, [&](const std::string& line) { all.push_back(line); });
  return all;
}

std::vector<std::string> events(std::string_view text, std::size_t size) {
  std::vector<std::string> all;
  web::event_reader reader(longest, "");
  read_in_pieces(reader, text, size, [&](const thalweg::http_event& one) {
    fuzz::expect(one.data.size() <= longest, "an event is too long");
    all.push_back(one.id + '|' + one.event + '|' + one.data);
  });
  return all;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"", "one\r\ntwo\rthree\n", "id: 1\nevent: a\ndata: b\ndata: c\n\n: d\nretry: 5\n\n",
          "a line that is longer than the limit\nb\n"};
}

void fuzz::read(const std::string& input) {
  for (const auto ends : {web::line_ends::lf, web::line_ends::lf_or_crlf, web::line_ends::any}) {
    const auto whole = lines(ends, input, input.size() + 1);
    for (const auto& line : whole) expect(line.size() <= longest, "a line is too long");
    for (const std::size_t size : {1U, 7U})
      expect(lines(ends, input, size) == whole, "lines depend on the pieces");
  }
  const auto whole = events(input, input.size() + 1);
  for (const std::size_t size : {1U, 7U}) expect(events(input, size) == whole, "events depend on the pieces");
}
