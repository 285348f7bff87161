// expect: variant_with_any_or_pointer_to_base_of<float>
#include <thalweg/stages/type_filter.hpp>
#include <thalweg/thalweg.hpp>

#include <string>
#include <variant>
#include <vector>

namespace tw = thalweg;

int main() {
  using item = std::variant<int, std::string>;
  tw::run(tw::source(std::vector<item>{1, "a"}) | tw::type_filter<int>() | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector<item>{1, "a"}) | tw::type_filter<float>() | tw::sink([](float) {}));
#endif
}
