# Streams in the browser are a separate library, thalweg::live, so that programs without them need no cpp-httplib. The page
# is part of it: npm gets the packages that the page uses when CMake is run, as web/package-lock.json has them.
option(THALWEG_LIVE "Build thalweg::live, streams in the browser, where cpp-httplib and npm are there" ${PROJECT_IS_TOP_LEVEL})

# Says why the component is left out, and what to do about it; and keeps that for `./thalweg demo --live`.
macro(thalweg_live_is_left_out why)
  message(STATUS "Streams in the browser are left out: ${why}")
  set(THALWEG_LIVE_MISSING "${why}" CACHE INTERNAL "Why thalweg::live is left out")
endmacro()

if(NOT THALWEG_LIVE)
  set(THALWEG_LIVE_MISSING "THALWEG_LIVE is off (cmake --preset release -DTHALWEG_LIVE=ON)" CACHE INTERNAL "")
  return()
endif()
set(THALWEG_LIVE_MISSING "" CACHE INTERNAL "Why thalweg::live is left out")
if(PkgConfig_FOUND)
  pkg_check_modules(THALWEG_HTTPLIB QUIET IMPORTED_TARGET GLOBAL cpp-httplib)
endif()
if(NOT THALWEG_HTTPLIB_FOUND)
  thalweg_live_is_left_out("there is no cpp-httplib (apt-get install libcpp-httplib-dev)")
  return()
endif()
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  thalweg_live_is_left_out("there is no nlohmann-json (apt-get install nlohmann-json3-dev)")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/live_assets.cmake")
if(THALWEG_LIVE_ASSETS_MISSING)
  thalweg_live_is_left_out("${THALWEG_LIVE_ASSETS_MISSING}")
  return()
endif()
add_library(thalweg_live ${live_sources} "${THALWEG_LIVE_ASSETS}")
add_library(thalweg::live ALIAS thalweg_live)
set_target_properties(thalweg_live PROPERTIES EXPORT_NAME live LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
target_include_directories(thalweg_live PRIVATE src/live)
target_link_libraries(thalweg_live PUBLIC thalweg PRIVATE PkgConfig::THALWEG_HTTPLIB
                                                          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

# A program that names nothing of it links it all the same, so that THALWEG_LIVE in its environment has an effect:
# thalweg::live::linked, in the namespace of the version.
set(abi "v${PROJECT_VERSION_MAJOR}_${PROJECT_VERSION_MINOR}")
string(LENGTH "${abi}" abi_length)
set(THALWEG_LIVE_SYMBOL "_ZN7thalweg${abi_length}${abi}4live6linkedE")
target_link_options(thalweg_live INTERFACE "LINKER:--undefined=${THALWEG_LIVE_SYMBOL}")
get_target_property(type thalweg_live TYPE)
if(type STREQUAL "SHARED_LIBRARY")
  # That alone does not make a linker keep it that leaves out what no object names.
  target_link_options(thalweg_live INTERFACE "LINKER:--no-as-needed")
endif()
