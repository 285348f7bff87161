#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/fraud_detection/source.hpp"
#include "apps/support/application.hpp"

namespace apps::fraud_detection {

/// An input: how many transactions its file has, and how long a stream is made of them.
struct input {
  std::string_view name;
  std::uint64_t seed;
  std::uint64_t transactions;
  fraud_detection::extent extent;
};

/// Those of SPBench are as long as its classes last, the sequential program's speed notwithstanding; those
/// ending in
/// `_n` have a number of transactions, so that every program has the same alarms to find.
inline constexpr std::array inputs = {
    input{"test", 1, 100'000, {.transactions = {}, .time = std::chrono::seconds(1)}},
    input{"small", 2, 1'000'000, {.transactions = {}, .time = std::chrono::seconds(5)}},
    input{"medium", 3, 1'000'000, {.transactions = {}, .time = std::chrono::seconds(10)}},
    input{"large", 4, 1'000'000, {.transactions = {}, .time = std::chrono::seconds(30)}},
    input{"huge", 5, 1'000'000, {.transactions = {}, .time = std::chrono::seconds(60)}},
    input{"test_n", 1, 100'000, {.transactions = 1'000'000, .time = {}}},
    input{"small_n", 2, 1'000'000, {.transactions = 50'000'000, .time = {}}},
    input{"medium_n", 3, 1'000'000, {.transactions = 200'000'000, .time = {}}},
    input{"large_n", 4, 1'000'000, {.transactions = 800'000'000, .time = {}}},
    input{"huge_n", 5, 1'000'000, {.transactions = 4'000'000'000, .time = {}}},
};

/// \throws error  if there is no such input
const input& input_named(std::string_view name);

/// The files of an input.
inline constexpr std::string_view transactions_file = "transactions.csv";
inline constexpr std::string_view model_file = "model.csv";
inline constexpr std::string_view training_file = "training.csv";  ///< what the model was learned from
inline constexpr std::string_view planted_file = "planted.csv";    ///< episode,card,transaction

/// Makes the files of an input in an empty folder; see application.hpp.
void generate(std::string_view input, const std::filesystem::path& folder, const progress& progress);

/// Compares a program's alarms with those of a sequential run, as a set: which come how often. How long a
/// stream by duration was is not known, only that all its alarms come from its file. Says how many are right
/// by the ground truth (precision), and how many of the planted episodes they show (recall); neither may be
/// below 0.9.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::fraud_detection
