#pragma once

#include <thalweg/version.hpp>

namespace THALWEG_NAMESPACE::live {

/// Ends the connections that this process has accepted on this port: who reads or writes there fails, however
/// long the other side keeps silent. The library that serves them tells nobody their sockets.
void cut_connections_at(int port);

}  // namespace THALWEG_NAMESPACE::live
