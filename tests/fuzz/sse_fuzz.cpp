// What a client of server-sent events asks for, and the id that it says it has had last.
#include "../../src/net/sse/event.hpp"
#include "../../src/net/sse/history.hpp"
#include "../../src/net/sse/request.hpp"
#include "fuzz/fuzz.hpp"

namespace sse = thalweg::net::sse;

namespace {

constexpr auto path = "/events";

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"GET /events HTTP/1.1\r\nHost: here\r\nLast-Event-ID: 1-2\r\n\r\n",
          "OPTIONS /events?a HTTP/1.1\r\n\r\n", "POST / HTTP/1.0\r\n\r\n", "3"};
}

void fuzz::read(const std::string& input) {
  // The answer is the same however the request comes: in one piece, or byte by byte.
  const auto whole = sse::asked(input, path, true);
  for (std::size_t size = 0; size <= input.size(); ++size) {
    const auto part = sse::asked(std::string_view(input).substr(0, size), path, true);
    if (!part) continue;
    expect(whole && whole->status == part->status && whole->last_id == part->last_id,
           "a request is answered before its end");
    break;
  }

  sse::history latest(100);
  for (int i = 0; i < 20; ++i) latest.add(sse::packed("x", "", latest.next_id()));
  auto id = latest.next_id();
  id.resize(id.find('-') + 1);
  const auto rest = latest.after(id + input);
  expect(!rest || rest->gone + latest.kept().size() - rest->first <= 20, "more is missed than there was");

  // Whatever the data is, it is one event.
  const auto text = sse::packed(input, input, "1");
  expect(text.find("\n\n") == text.size() - 2, "one event is two");
}
