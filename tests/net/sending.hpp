#pragma once

#include <thalweg/thalweg.hpp>

#include <exception>
#include <string>
#include <thread>
#include <utility>

/// Sends items on a thread of its own, and keeps what went wrong.
class sending {
 public:
  template <class Job> explicit sending(Job job, thalweg::any_policy by = thalweg::threads()) {
    thread_ = std::jthread([this, job = std::move(job), by = std::move(by)]() mutable {
      try {
        thalweg::run(std::move(job), by);
      } catch (const std::exception& e) {
        failed_ = e.what();
      }
    });
  }
  /// What ended the run; empty if nothing did.
  std::string failure() {
    if (thread_.joinable()) thread_.join();
    return failed_;
  }

 private:
  std::string failed_;
  std::jthread thread_;
};
