#include <thalweg/observe/energy.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "stages/scratch.hpp"

namespace {

using thalweg::observe::energy_meter;

class Energy : public testing::Test {
 protected:
  void zone(const std::string& folder, const std::string& name, std::uint64_t microjoules,
            std::uint64_t range = 1'000'000) {
    const auto at = zones() / folder;
    std::filesystem::create_directories(at);
    std::ofstream(at / "name") << name << "\n";
    std::ofstream(at / "energy_uj") << microjoules << "\n";
    std::ofstream(at / "max_energy_range_uj") << range << "\n";
  }
  std::filesystem::path zones() const { return folder_ / "powercap"; }

 private:
  scratch folder_;
};

TEST_F(Energy, IsUnknownWithoutCounters) {
  EXPECT_FALSE(energy_meter(zones()).joules());
  std::filesystem::create_directories(zones());
  EXPECT_FALSE(energy_meter(zones()).joules());
}

TEST_F(Energy, SumsUpPackagesAndNothingElse) {
  zone("intel-rapl:0", "package-0", 100);
  zone("intel-rapl:1", "package-1", 50);
  zone("intel-rapl:0:0", "core", 30);
  zone("intel-rapl:2", "psys", 500);
  energy_meter meter(zones());
  EXPECT_EQ(meter.joules(), 0.0);
  zone("intel-rapl:0", "package-0", 2'000'100);
  zone("intel-rapl:1", "package-1", 1'000'050);
  zone("intel-rapl:0:0", "core", 1'000'000);
  zone("intel-rapl:2", "psys", 9'000'000);
  EXPECT_DOUBLE_EQ(meter.joules().value_or(-1), 3.0);
}

TEST_F(Energy, CountsOnWhereACounterStartsAgain) {
  zone("intel-rapl:0", "package-0", 900'000);
  energy_meter meter(zones());
  zone("intel-rapl:0", "package-0", 400'000);
  EXPECT_DOUBLE_EQ(meter.joules().value_or(-1), 0.5);
  zone("intel-rapl:0", "package-0", 500'000);
  EXPECT_DOUBLE_EQ(meter.joules().value_or(-1), 0.6);
}

TEST_F(Energy, IsUnknownOnceACounterIsGone) {
  zone("intel-rapl:0", "package-0", 1);
  energy_meter meter(zones());
  std::filesystem::remove(zones() / "intel-rapl:0" / "energy_uj");
  EXPECT_FALSE(meter.joules());
  zone("intel-rapl:0", "package-0", 2);
  EXPECT_FALSE(meter.joules());
}

}  // namespace
