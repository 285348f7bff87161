# To be sourced: CMake's settings for builds of <compiler> whose result is looked at, not measured. The compiler gets a few
# large files, and optimises nothing, which takes less than half of the time: what the
# library does is for other tests.
cat >"$folder.cmake" <<END
set(CMAKE_CXX_COMPILER "$compiler")
set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG" CACHE STRING "")
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 32)
END
# The compiler for SPar's attributes is made in long runs: Clang's headers take long.
case ${THALWEG_TEST_SCALE:-1} in
  [2-9][0-9]* | 1[0-9][0-9]*) ;;
  *) echo 'set(THALWEG_BUILD_SPAR OFF CACHE BOOL "")' >>"$folder.cmake" ;;
esac
export CMAKE_TOOLCHAIN_FILE="$folder.cmake"
