// expect: takes a view of its items
#include <thalweg/thalweg.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tw = thalweg;

int main() {
  tw::graph g;
  auto lines = g.add(tw::source(std::vector<std::string>{"a"}));
  g.connect(lines.out, g.add<std::string>(tw::sink([](std::string_view) {})).in);
#ifdef WRONG
  g.connect(lines.out, g.add(tw::sink([](std::string_view) {})).in);
#endif
}
