/// `live::options`: how the page of a running stream is served.
#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <string>

namespace THALWEG_NAMESPACE::live {

/// The options of a `live::server`.
struct options {
  /// Where to listen: the name or number of an interface. `127.0.0.1` is seen by this machine alone;
  /// `0.0.0.0` by all that can reach it. Nothing is encrypted.
  std::string address = "127.0.0.1";
  /// The port; 0: any free one, which `server::url` tells.
  int port = 0;
  /// Clients that send it may change the run (`Authorization: Bearer <token>`). Empty: all may look, none may
  /// change it.
  std::string token = {};
  /// How often the run is looked at; at least 1 ms.
  std::chrono::nanoseconds every = std::chrono::milliseconds(250);
  /// How many may listen at once; further ones are turned away with the status 503.
  int clients = 32;
  /// How long samples are kept for those who come later; 16 MB of them at most.
  std::chrono::nanoseconds history = std::chrono::minutes(10);
  /// What the page is headed with; empty: the name of the program.
  std::string title = {};
  /// Writes the URL to the standard error stream, once.
  bool announce = true;
  /// Where to save the page when the run has ended, in any way: one HTML file, which has the samples that are
  /// kept and needs nothing else, such as `run.html`; empty: nowhere. An existing file is replaced.
  /// `server::wait` returns when it is written. If that fails, the standard error stream tells. A server that
  /// is destroyed before its run has ended saves nothing.
  std::string save = {};
};

}  // namespace THALWEG_NAMESPACE::live
