// expect: connection<int, thalweg::stages::text_or_bytes
#include <thalweg/stages/file_sink.hpp>
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::file_sink("a file"));
#endif
}
