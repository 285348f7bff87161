#include <thalweg/model/type_name.hpp>

#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>

#define THALWEG_TEXT_OF(name) #name
#define THALWEG_TEXT(name) THALWEG_TEXT_OF(name)

namespace THALWEG_NAMESPACE::model {

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  std::string text = status == 0 ? name.get() : type.name();
  replace_all(text, "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
              "std::string");
  replace_all(text, "thalweg::" THALWEG_TEXT(THALWEG_ABI) "::", "thalweg::");
  return text;
}

}  // namespace THALWEG_NAMESPACE::model
