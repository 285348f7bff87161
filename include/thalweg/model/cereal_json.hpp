/// Items that cereal can serialise, as text. Not part of <thalweg/thalweg.hpp>; needs cereal 1.3, which has
/// only headers.
#pragma once

#include <thalweg/version.hpp>

#include <sstream>
#include <string>
#include <utility>

#include <cereal/archives/json.hpp>
#include <cereal/cereal.hpp>

namespace THALWEG_NAMESPACE {

/// A value as JSON on one line, by cereal's functions for its type: `{"item": ...}`, with the names that they
/// give to members. With it, items that have no text of their own can be looked at while a stream runs
/// (`execution::look_into`, `GET /api/tap`). Throws what these functions throw.
///
/// ```c++
/// #include <thalweg/model/cereal_json.hpp>
///
/// struct reading {
///   int place = 0;
///   double celsius = 0;
///   template <class Archive> void serialize(Archive& archive) {
///     archive(CEREAL_NVP(place), CEREAL_NVP(celsius));
///   }
/// };
/// std::ostream& operator<<(std::ostream& to, const reading& r) { return to << tw::json_by_cereal(r); }
/// // {"item": {"place": 3,"celsius": 21.5}}
/// ```
template <class T> std::string json_by_cereal(const T& x) {
  std::ostringstream text;
  {
    cereal::JSONOutputArchive archive(text, cereal::JSONOutputArchive::Options::NoIndent());
    archive(cereal::make_nvp("item", x));
  }
  auto line = std::move(text).str();
  std::erase(line, '\n');  // those in texts are written as \n
  return line;
}

}  // namespace THALWEG_NAMESPACE
