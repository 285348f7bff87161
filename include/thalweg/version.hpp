#pragma once

/// The version of Thalweg, as three numbers: CMake and the command line read it here.
#define THALWEG_VERSION_MAJOR 0
#define THALWEG_VERSION_MINOR 2
#define THALWEG_VERSION_PATCH 0

/// The inline namespace of everything in `thalweg::`: what two libraries in one process have of different
/// versions is not the same. A library that carries sources of its own gives them a name of its own, the same
/// for all that it compiles: `-DTHALWEG_ABI=mine`.
#ifndef THALWEG_ABI
#define THALWEG_ABI v0_2
#endif

/// Where all of it lives: each file of the library opens this.
#define THALWEG_NAMESPACE thalweg::inline THALWEG_ABI

namespace THALWEG_NAMESPACE {}
