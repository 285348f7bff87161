/// Items that cereal can serialise, as bytes. Not part of <thalweg/thalweg.hpp>; needs cereal 1.3, which has
/// only headers.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/model/plan.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include <cereal/cereal.hpp>

namespace THALWEG_NAMESPACE {

/// An archive of cereal that writes to an item's bytes, each number as it is in memory. It is registered
/// for pointers to polymorphic types.
class cereal_writer : public cereal::OutputArchive<cereal_writer, cereal::AllowEmptyClassElision> {
 public:
  explicit cereal_writer(byte_writer& to) : OutputArchive(this), to_(&to) {}
  void saveBinary(const void* from, std::size_t n) { to_->bytes(from, n); }  // by this name cereal knows it

 private:
  byte_writer* to_;
};

/// The archive that reads what a `cereal_writer` wrote.
class cereal_reader : public cereal::InputArchive<cereal_reader, cereal::AllowEmptyClassElision> {
 public:
  explicit cereal_reader(byte_reader& from) : InputArchive(this), from_(&from) {}
  void loadBinary(void* to, std::size_t n) {
    if (n > 0) std::memcpy(to, from_->bytes(n).data(), n);
  }

 private:
  byte_reader* from_;
};

/// A codec for a type that has cereal's functions: `serialize`, or `save` and `load`, as members or not. What
/// they write is copied, also where it is large, since `load` may look at what it has read: members that are
/// large travel faster by `codec_of_members`, or by a codec that calls `block`.
///
/// ```c++
/// #include <cereal/types/map.hpp>
/// #include <cereal/types/string.hpp>
/// #include <thalweg/model/cereal.hpp>
///
/// struct reading {
///   std::map<std::string, double> values;
///   template <class Archive> void serialize(Archive& archive) { archive(values); }
/// };
/// template <> struct tw::codec<reading> : tw::codec_by_cereal<reading> {};
/// ```
///
/// Both sides of a connection have to have the same type: its name is the tag.
template <class T> struct codec_by_cereal {
  static_assert(
      cereal::traits::is_output_serializable<T, cereal_writer>::value &&
          cereal::traits::is_input_serializable<T, cereal_reader>::value,
      "thalweg::codec_by_cereal: cereal cannot serialise this type: it has no serialize, or no save "
      "and load, or the header of cereal for a member's type is not included");

  static std::string tag() { return "cereal " + model::type_name(typeid(T)); }
  static void write(byte_writer& to, const T& x) {
    cereal_writer archive(to);
    archive(x);
  }
  /// \throws codec_error  if the bytes are cut off, or cereal refuses them
  static void read(byte_reader& from, T& x) {
    try {
      cereal_reader archive(from);
      archive(x);
    } catch (const cereal::Exception& e) {
      throw codec_error(model::type_name(typeid(T)) + ": " + e.what());
    }
  }
};

// What cereal asks of an archive. It finds these by the types.
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(cereal_writer& to, const T& x) {
  to.saveBinary(std::addressof(x), sizeof x);
}
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(cereal_reader& from, T& x) {
  from.loadBinary(std::addressof(x), sizeof x);
}
template <class T> void CEREAL_SAVE_FUNCTION_NAME(cereal_writer& to, const cereal::BinaryData<T>& x) {
  to.saveBinary(x.data, static_cast<std::size_t>(x.size));
}
template <class T> void CEREAL_LOAD_FUNCTION_NAME(cereal_reader& from, cereal::BinaryData<T>& x) {
  from.loadBinary(x.data, static_cast<std::size_t>(x.size));
}
// Names are not written; sizes are, as numbers.
template <class T> void CEREAL_SERIALIZE_FUNCTION_NAME(cereal_writer& to, cereal::NameValuePair<T>& x) {
  to(x.value);
}
template <class T> void CEREAL_SERIALIZE_FUNCTION_NAME(cereal_reader& from, cereal::NameValuePair<T>& x) {
  from(x.value);
}
template <class T> void CEREAL_SERIALIZE_FUNCTION_NAME(cereal_writer& to, cereal::SizeTag<T>& x) {
  to(x.size);
}
template <class T> void CEREAL_SERIALIZE_FUNCTION_NAME(cereal_reader& from, cereal::SizeTag<T>& x) {
  from(x.size);
}

}  // namespace THALWEG_NAMESPACE

CEREAL_REGISTER_ARCHIVE(thalweg::cereal_writer)
CEREAL_REGISTER_ARCHIVE(thalweg::cereal_reader)
CEREAL_SETUP_ARCHIVE_TRAITS(thalweg::cereal_reader, thalweg::cereal_writer)
