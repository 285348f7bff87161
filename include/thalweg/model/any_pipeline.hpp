/// `any_pipeline`: a pipeline whose stages are chosen at run time.
#pragma once

#include <thalweg/model/pipeline.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace model {

struct blueprint {
  virtual ~blueprint() = default;
  [[nodiscard]] virtual std::unique_ptr<component> build(naming& names) const = 0;
};

template <class In, class Pipeline> struct typed_blueprint final : blueprint {
  Pipeline line;
  explicit typed_blueprint(Pipeline p) : line(std::move(p)) {}
  [[nodiscard]] std::unique_ptr<component> build(naming& names) const override {
    return lower<In>(Pipeline(line), names);
  }
};

template <class T> using slot_type = std::conditional_t<std::is_void_v<T>, nothing, T>;

}  // namespace model

/// A line of stages whose stage types have been erased: `any_pipeline<In, Out>`, with void for `In` if it has
/// a source and void for `Out` if it has a sink. For pipelines whose length is known at run time only, and
/// for interfaces between translation units. Items cross the joints a run at a time, so the erasure is paid
/// per run of items. Copyable; its operators must be copyable.
///
/// ```cpp
/// tw::any_pipeline<int, int> steps = tw::map([](int x) { return x + 1; });
/// for (int i = 0; i < 9; ++i) steps = std::move(steps) | tw::map([](int x) { return x + 1; });
/// std::vector<int> seen;
/// tw::any_pipeline<void, void> job = tw::source(std::vector{1, 2}) | steps | tw::sink(seen);
/// tw::run(job);
/// assert((seen == std::vector{11, 12}));
/// ```
template <class In, class Out> class any_pipeline : public model::pipeline_tag {
 public:
  static constexpr bool has_source = std::is_void_v<In>;
  static constexpr bool has_sink = std::is_void_v<Out>;
  using input_type = model::slot_type<In>;
  using output_type = model::slot_type<Out>;
  template <class T> static constexpr bool accepts = std::is_same_v<T, input_type>;
  template <class T> using output = output_type;

  template <class... Stages> any_pipeline(pipeline<Stages...> line) {
    using line_type = pipeline<Stages...>;
    static_assert(std::is_same_v<typename line_type::template output<input_type>, output_type>,
                  "thalweg::any_pipeline: the pipeline gives another type of items than this one declares");
    static_assert(std::is_copy_constructible_v<line_type>,
                  "thalweg::any_pipeline: its operators must be copyable");
    parts_.push_back(std::make_shared<model::typed_blueprint<input_type, line_type>>(std::move(line)));
  }
  explicit any_pipeline(std::vector<std::shared_ptr<const model::blueprint>> parts)
      : parts_(std::move(parts)) {}

  [[nodiscard]] const std::vector<std::shared_ptr<const model::blueprint>>& parts() const& noexcept {
    return parts_;
  }
  [[nodiscard]] std::vector<std::shared_ptr<const model::blueprint>>&& parts() && noexcept {
    return std::move(parts_);
  }

 private:
  std::vector<std::shared_ptr<const model::blueprint>> parts_;
};

template <class A, class B, class C, class D>
any_pipeline<A, D> operator|(any_pipeline<A, B> left, any_pipeline<C, D> right) {
  static_assert(!std::is_void_v<B>, "thalweg: nothing can follow a sink");
  static_assert(!std::is_void_v<C>, "thalweg: a source can only come first");
  if constexpr (!std::is_void_v<B> && !std::is_void_v<C>) {
    static_assert(sizeof(model::connection<B, C, any_pipeline<C, D>, std::is_same_v<B, C>>) != 0);
  }
  auto parts = std::move(left).parts();
  for (auto& p : std::move(right).parts()) parts.push_back(std::move(p));
  return any_pipeline<A, D>(std::move(parts));
}

template <class A, class B, class... Stages>
auto operator|(any_pipeline<A, B> left, pipeline<Stages...> right) {
  static_assert(!std::is_void_v<B>, "thalweg: nothing can follow a sink");
  static_assert(!pipeline<Stages...>::has_source, "thalweg: a source can only come first");
  using out = typename pipeline<Stages...>::template output<B>;
  using next = std::conditional_t<std::is_same_v<out, model::nothing>, void, out>;
  if constexpr (std::is_same_v<out, model::misfit>) {
    return any_pipeline<A, B>(std::move(left));  // it has not compiled
  } else {
    return std::move(left) | any_pipeline<B, next>(std::move(right));
  }
}

template <class... Stages, class B, class C>
auto operator|(pipeline<Stages...> left, any_pipeline<B, C> right) {
  static_assert(!std::is_void_v<B>, "thalweg: a source can only come first");
  static_assert(
      pipeline<Stages...>::has_source,
      "thalweg: a pipeline without a source must be made an any_pipeline<In, Out> before it is joined "
      "to one");
  using produced = typename pipeline<Stages...>::template output<model::nothing>;
  return any_pipeline<void, produced>(std::move(left)) | std::move(right);
}

namespace model {

template <class... Stages> void lower_into(plan& p, pipeline<Stages...>&& line, naming& names) {
  p.components.push_back(lower<nothing>(std::move(line), names));
}

template <class In, class Out> void lower_into(plan& p, any_pipeline<In, Out>&& line, naming& names) {
  for (const auto& part : line.parts()) p.components.push_back(part->build(names));
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
