#pragma once

#include <thalweg/version.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// Gives stages their names: paths such as `archive/compress`. Unnamed stages are called after their pattern
/// and their position in the scope (`map-2`); a scope used twice gets `#2`; an explicit name that a stage
/// shares with another stage or a scope beside it is a problem.
class naming {
 public:
  naming();
  naming(const naming&) = delete;
  naming& operator=(const naming&) = delete;
  ~naming();

  [[nodiscard]] std::string stage(const std::string& given, std::string_view pattern);
  /// Opens a scope; without a name the stages inside belong to the scope around it.
  void enter(const std::string& name);
  void leave();
  /// A name for the next stage or scope if it has none: that of a farm around it alone.
  void suggest(const std::string& name);

  void problem(std::string what) { problems_.push_back(std::move(what)); }
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  struct scope {
    std::string prefix;
    std::map<std::string, int> used;    // how often each name was given to a stage
    std::map<std::string, int> scopes;  // how often each inner scope was opened
    int position = 0;
    bool transparent = false;
  };
  scope& current();
  std::string given_or_suggested(const std::string& given);
  void check(const scope& here, const std::string& name);

  std::vector<scope> scopes_;
  std::string suggested_;
  std::vector<std::string> problems_;
};

}  // namespace THALWEG_NAMESPACE::model
