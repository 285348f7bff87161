/// `type_filter`: the items of one type.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <any>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace THALWEG_NAMESPACE {

namespace stages {

/// How a T is found in an item of type In: `output` is what comes out, `find(item)` gives it, or nothing.
template <class T, class In> struct type_search : std::false_type {};

template <class T, class... Alternatives>
  requires((std::same_as<T, Alternatives> + ... + 0) == 1)
struct type_search<T, std::variant<Alternatives...>> : std::true_type {
  using output = T;
  template <class Item> static std::optional<T> find(Item&& item) {
    if (!std::holds_alternative<T>(item)) return {};
    return std::get<T>(std::forward<Item>(item));
  }
};

template <class T>
  requires std::copy_constructible<T>
struct type_search<T, std::any> : std::true_type {
  using output = T;
  template <class Item> static std::optional<T> find(Item&& item) {
    auto* found = std::any_cast<T>(&item);
    if (found == nullptr) return {};
    if constexpr (std::is_const_v<std::remove_reference_t<Item>>) {
      return *found;
    } else {
      return std::move(*found);
    }
  }
};

template <class T, class Base>
concept derived_of = std::is_polymorphic_v<Base> && std::derived_from<T, std::remove_const_t<Base>>;

template <class T, class Base> using as_const_as = std::conditional_t<std::is_const_v<Base>, const T, T>;

template <class T, class Base>
  requires derived_of<T, Base>
struct type_search<T, Base*> : std::true_type {
  using output = as_const_as<T, Base>*;
  static std::optional<output> find(Base* item) {
    auto* found = dynamic_cast<output>(item);
    return found != nullptr ? std::optional(found) : std::nullopt;
  }
};

template <class T, class Base>
  requires derived_of<T, Base>
struct type_search<T, std::shared_ptr<Base>> : std::true_type {
  using output = std::shared_ptr<as_const_as<T, Base>>;
  template <class Item> static std::optional<output> find(Item&& item) {
    auto* found = dynamic_cast<as_const_as<T, Base>*>(item.get());
    if (found == nullptr) return {};
    return output(std::forward<Item>(item), found);
  }
};

template <class T, class Base>
  requires derived_of<T, Base> && std::has_virtual_destructor_v<Base>
struct type_search<T, std::unique_ptr<Base>> : std::true_type {
  using output = std::unique_ptr<as_const_as<T, Base>>;
  static std::optional<output> find(std::unique_ptr<Base>&& item) {
    auto* found = dynamic_cast<as_const_as<T, Base>*>(item.get());
    if (found == nullptr) return {};
    item.release();
    return output(found);
  }
};

/// Names the items of a type filter in messages.
template <class T> struct variant_with_any_or_pointer_to_base_of {};

template <class T> struct type_filter_op {
  template <class Frame, class In, class Next> THALWEG_INLINE void step(Frame& f, In&& item, Next&& next) {
    auto found =
        f.call([&] { return type_search<T, std::remove_cvref_t<In>>::find(std::forward<In>(item)); });
    if (found) next(*std::move(found));
  }
};

template <class T> struct type_filter_stage : model::stage_defaults {
  static constexpr auto pattern = "type_filter";
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  using wants = std::type_identity<variant_with_any_or_pointer_to_base_of<T>>;
  template <class In> static constexpr bool accepts = type_search<T, In>::value;
  template <class In> using output = typename type_search<T, In>::output;

  model::kept_options opts;

  template <class In> auto make() { return type_filter_op<T>{}; }
  void check(model::stage_info&) const {}
};

}  // namespace stages

/// Keeps the items of type `T`, as that type: from a `std::variant` or a `std::any` that holds a `T`, the
/// `T`; from a pointer (`B*`, `std::shared_ptr<B>`, `std::unique_ptr<B>`) to an object whose dynamic type is
/// `T` or derived from it, a pointer of the same kind to `T`. Others, including null pointers and variants
/// and anys without a value, are dropped: the report shows how many items went in and came out. `T` must be
/// one alternative of a variant; a base class must be polymorphic, behind a `unique_ptr` with a virtual
/// destructor.
///
/// Order: deterministic, in a farm too. Errors: items among which there cannot be a `T` do not compile.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <variant>
/// using reading = std::variant<double, std::string>;
/// std::vector<double> seen;
/// auto r = tw::run(tw::source(std::vector<reading>{1.5, "offline", 2.5}) |
///                  tw::type_filter<double>({.name = "numbers"}) | tw::sink(seen));
/// assert((seen == std::vector{1.5, 2.5}));
/// assert(r.stage("numbers").items_in() == 3 && r.stage("numbers").items_out() == 2);
/// ```
template <class T> auto type_filter(options opts = {}) {
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                "thalweg::type_filter: name a type without const and without reference");
  return model::make_pipeline(stages::type_filter_stage<T>{{}, std::move(opts)});
}

}  // namespace THALWEG_NAMESPACE
