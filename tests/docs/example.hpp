// What every example in the documentation may use.
#pragma once

#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace tw = thalweg;
using namespace std::chrono_literals;

/// Each example runs in an empty folder: several at once may write files of the same name.
class separate_folder {
 public:
  separate_folder() : before_(std::filesystem::current_path()) {
    auto name = (std::filesystem::temp_directory_path() / "thalweg-example-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for an example");
    here_ = name;
    std::filesystem::current_path(here_);
  }
  separate_folder(const separate_folder&) = delete;
  separate_folder& operator=(const separate_folder&) = delete;
  ~separate_folder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(here_, ignored);
  }

 private:
  std::filesystem::path before_, here_;
};
