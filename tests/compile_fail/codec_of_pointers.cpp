// expect: thalweg::codec: an item of this type cannot travel as it is in memory
#include <thalweg/model/codec.hpp>

#include <string_view>

namespace tw = thalweg;

int main() {
  (void)tw::tag_of<double>();
#ifdef WRONG
  (void)tw::tag_of<std::string_view>();
#endif
}
