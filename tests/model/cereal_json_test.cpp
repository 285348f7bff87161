// Items as JSON by cereal: what those who look into a stream see.
#include <thalweg/model/cereal_json.hpp>
#include <thalweg/thalweg.hpp>

#include <map>
#include <optional>
#include <ostream>
#include <string>

#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

struct reading {
  int place = 0;
  std::string says;
  std::map<std::string, std::vector<double>> values;
  template <class Archive> void serialize(Archive& archive) {
    archive(CEREAL_NVP(place), CEREAL_NVP(says), CEREAL_NVP(values));
  }
};
std::ostream& operator<<(std::ostream& to, const reading& r) {
  return to << tw::json_by_cereal(r);
}

}  // namespace

TEST(CerealJson, IsOneLineWithTheNamesOfMembers) {
  const reading r{3, "a \"line\"\nand more", {{"celsius", {21.5, 22}}}};
  const auto text = tw::json_by_cereal(r);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["item"]["place"], 3);
  EXPECT_EQ(json["item"]["says"], r.says);
  EXPECT_EQ(json["item"]["values"][0]["value"], (std::vector<double>{21.5, 22}));
}

TEST(CerealJson, IsSeenOnAnEdge) {
  auto e = tw::launch(tw::source(
                          [n = 0]() mutable -> std::optional<reading> {
                            return reading{n++, "x", {}};
                          },
                          {.name = "read"}) |
                          tw::sink([](const reading&) {}, {.name = "forget"}),
                      tw::pool{});
  auto look = e.look_into("read", "forget", {.items = 1});
  const auto seen = look.wait_for(1min);
  e.stop();
  (void)e.wait();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(seen.front().text)["item"]["says"], "x");
}
