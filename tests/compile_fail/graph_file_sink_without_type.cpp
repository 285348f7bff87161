// expect: takes a view of its items
#include <thalweg/stages/file_sink.hpp>
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  tw::graph g;
  auto lines = g.add(tw::source(std::vector<std::string>{"a"}));
  g.connect(lines.out, g.add<std::string>(tw::file_sink("a file")).in);
#ifdef WRONG
  g.connect(lines.out, g.add(tw::file_sink("a file")).in);
#endif
}
