#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// A stage that has done nothing in the window.
inline thalweg::adaptation::stage_window stage(std::string name, std::vector<std::size_t> inputs,
                                               int replicas = 1, int most = 1) {
  thalweg::adaptation::stage_window made;
  made.name = std::move(name);
  made.inputs = std::move(inputs);
  made.replicas = replicas;
  made.most = most;
  return made;
}
