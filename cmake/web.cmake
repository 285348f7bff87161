# Streams from web servers are a separate library, thalweg::web, so that those who do not want them need neither libcurl
# nor Boost.Beast, which consists of headers.
option(THALWEG_WEB "Build thalweg::web, streams from web servers, where libcurl is there" ON)

if(NOT THALWEG_WEB)
  return()
endif()
if(PkgConfig_FOUND)
  pkg_check_modules(THALWEG_CURL QUIET IMPORTED_TARGET GLOBAL libcurl>=7.88)
endif()
find_path(THALWEG_BEAST_INCLUDE_DIR boost/beast/websocket.hpp)
mark_as_advanced(THALWEG_BEAST_INCLUDE_DIR)
if(NOT THALWEG_CURL_FOUND OR NOT THALWEG_BEAST_INCLUDE_DIR)
  message(STATUS "Streams from web servers are left out: there is no libcurl or no Boost.Beast (apt-get install "
                 "libcurl4-openssl-dev libboost-dev)")
  return()
endif()
add_library(thalweg_web ${web_sources})
add_library(thalweg::web ALIAS thalweg_web)
set_target_properties(thalweg_web PROPERTIES EXPORT_NAME web LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
target_link_libraries(thalweg_web PUBLIC thalweg PRIVATE PkgConfig::THALWEG_CURL)
target_include_directories(thalweg_web SYSTEM PRIVATE "${THALWEG_BEAST_INCLUDE_DIR}")
