// expect: file_sink: replicas cannot write one file
#include <thalweg/stages/file_sink.hpp>
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  tw::run(tw::source(std::vector<std::string>{"a"}) | tw::file_sink("a file"));
#ifdef WRONG
  tw::run(tw::source(std::vector<std::string>{"a"}) | tw::farm(tw::file_sink("a file")));
#endif
}
