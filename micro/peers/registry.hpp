// Which peers this program was built with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph_peer.hpp"
#include "peer.hpp"

namespace micro {

std::unique_ptr<peer> make_thalweg();
std::unique_ptr<peer> make_thalweg_sequential();
std::unique_ptr<peer> make_thalweg_threads();
std::unique_ptr<peer> make_tbb();
std::unique_ptr<peer> make_fastflow();
std::unique_ptr<peer> make_taskflow();
std::unique_ptr<peer> make_openmp();
std::unique_ptr<peer> make_hand_written();

std::unique_ptr<graph_peer> make_thalweg_graphs();
std::unique_ptr<graph_peer> make_thalweg_graphs_sequential();
std::unique_ptr<graph_peer> make_thalweg_graphs_threads();
std::unique_ptr<graph_peer> make_tbb_graphs();
std::unique_ptr<graph_peer> make_fastflow_graphs();
std::unique_ptr<graph_peer> make_taskflow_graphs();
std::unique_ptr<graph_peer> make_windflow();

/// A peer that was not found when the program was configured.
struct missing_peer {
  std::string name;
  std::string what_to_do;
};

class registry {
 public:
  registry();

  /// The library under test under its default policy, and under the others.
  const peer& thalweg() const { return *thalweg_; }
  const peer& thalweg_sequential() const { return *thalweg_sequential_; }
  const peer& thalweg_threads() const { return *thalweg_threads_; }

  /// All others.
  const std::vector<std::unique_ptr<peer>>& peers() const { return peers_; }

  /// The same for programs that are more than a line.
  const graph_peer& thalweg_graphs() const { return *graphs_; }
  const graph_peer& thalweg_graphs_sequential() const { return *graphs_sequential_; }
  const graph_peer& thalweg_graphs_threads() const { return *graphs_threads_; }
  const std::vector<std::unique_ptr<graph_peer>>& graph_peers() const { return graph_peers_; }

  const std::vector<missing_peer>& missing() const { return missing_; }

 private:
  std::unique_ptr<peer> thalweg_ = make_thalweg();
  std::unique_ptr<peer> thalweg_sequential_ = make_thalweg_sequential();
  std::unique_ptr<peer> thalweg_threads_ = make_thalweg_threads();
  std::vector<std::unique_ptr<peer>> peers_;
  std::unique_ptr<graph_peer> graphs_ = make_thalweg_graphs();
  std::unique_ptr<graph_peer> graphs_sequential_ = make_thalweg_graphs_sequential();
  std::unique_ptr<graph_peer> graphs_threads_ = make_thalweg_graphs_threads();
  std::vector<std::unique_ptr<graph_peer>> graph_peers_;
  std::vector<missing_peer> missing_;
};

}  // namespace micro
