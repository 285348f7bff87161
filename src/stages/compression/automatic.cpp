#include <memory>

#include "gzip.hpp"
#include "zstd.hpp"

namespace THALWEG_NAMESPACE::stages {

namespace {

class packing_by_looks final : public packing {
 public:
  [[nodiscard]] std::string problem() const override { return {}; }
  [[nodiscard]] std::unique_ptr<unpacker> unpacks(std::string_view first) const override {
    return unpacks(first, begins_gzip(first) ? gzip() : begins_zstd(first) ? zstd() : compression());
  }
  [[nodiscard]] std::unique_ptr<packer> packs(const std::filesystem::path& target) const override {
    const auto ending = target.extension();
    const auto how = ending == ".gz" ? gzip() : ending == ".zst" ? zstd() : compression();
    if (!how.way()) return {};
    if (const auto problem = how.problem(); !problem.empty()) throw error(problem);
    return how.way()->packs(target);
  }

 private:
  static std::unique_ptr<unpacker> unpacks(std::string_view first, const compression& how) {
    if (!how.way()) return {};
    if (const auto problem = how.problem(); !problem.empty()) throw damaged_data(problem);
    return how.way()->unpacks(first);
  }
};

}  // namespace

std::shared_ptr<const packing> automatic_packing() {
  return std::make_shared<packing_by_looks>();
}

}  // namespace THALWEG_NAMESPACE::stages
