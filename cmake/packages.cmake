# `cpack -G DEB` in a build of shared libraries makes packages for Debian: the library, what is compiled with it, the same
# for each component (which drag in an MPI, librdkafka, libmosquitto, libcurl, OpenSSL, zlib with libzstd, and cpp-httplib), the
# compiler for SPar's attributes, and the command line with the sources it builds from. Each is a component of what is installed.
find_program(THALWEG_GZIP gzip)
mark_as_advanced(THALWEG_GZIP)
if(NOT PROJECT_IS_TOP_LEVEL OR NOT BUILD_SHARED_LIBS OR NOT THALWEG_GZIP OR NOT EXISTS "${PROJECT_SOURCE_DIR}/packaging")
  return()
endif()
set(THALWEG_PACKAGER "Thalweg contributors <maintainers@thalweg.invalid>"
    CACHE STRING "Who makes the packages: a name and an address")
set(debian "${PROJECT_BINARY_DIR}/debian")
set(debian_version "${PROJECT_VERSION}-1")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME thalweg)
set(CPACK_PACKAGE_CONTACT "${THALWEG_PACKAGER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_COMPONENTS_ALL "")

# What each of them has in its folder of documents.
file(MAKE_DIRECTORY "${debian}")
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/debian/changelog.in "${debian}/changelog.Debian" @ONLY)
configure_file(CHANGELOG.md "${debian}/changelog" COPYONLY)
foreach(manual IN ITEMS thalweg.1 thalweg-spar.1)
  configure_file(packaging/debian/${manual}.in "${debian}/${manual}" @ONLY)
endforeach()
file(WRITE "${debian}/thalweg-spar++.1" ".so man1/thalweg-spar.1\n")
foreach(text IN ITEMS changelog changelog.Debian thalweg.1 thalweg-spar.1 thalweg-spar++.1)
  execute_process(COMMAND "${THALWEG_GZIP}" -9nf "${debian}/${text}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(about "Thalweg runs typed chains and graphs of stages on one core, on all\ncores and on several machines, always with the same result, and\nmeasures what each stage costs.")

# thalweg_package(<component> <package> <section> <summary> <text> <depends>)
macro(thalweg_package component package section summary text depends)
  install(
    FILES packaging/debian/copyright "${debian}/changelog.gz" "${debian}/changelog.Debian.gz"
    DESTINATION share/doc/${package}
    COMPONENT ${component}
    EXCLUDE_FROM_ALL)
  string(TOUPPER ${component} COMPONENT)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${summary}\n${about}\n\n${text}")
endmacro()

set(what_thalweg "structured stream processing in C++20")
set(what_thalweg_mpi "streams over several processes, by MPI")
set(what_thalweg_kafka "streams through Kafka")
set(what_thalweg_mqtt "streams through MQTT")
set(what_thalweg_web "streams from web servers")
set(what_thalweg_tls "streams over TCP with TLS")
set(what_thalweg_compression "files of gzip and zstd")
set(what_thalweg_live "streams in the browser, while they run")
foreach(library IN ITEMS thalweg ${thalweg_components})
  if(NOT TARGET ${library})
    continue()
  endif()
  string(REPLACE "_" "-" name lib${library})
  set(with_runtime "")
  set(with_development "${name}${thalweg_series} (= ${debian_version})")
  if(NOT library STREQUAL "thalweg")
    set(with_runtime "libthalweg${thalweg_series} (= ${debian_version})")
    string(APPEND with_development ", libthalweg-dev (= ${debian_version})")
  endif()
  thalweg_package(${library}_runtime ${name}${thalweg_series} libs "${what_${library}} (shared library)"
                  "This package has the library that programs need." "${with_runtime}")
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SHLIBDEPS ON)
  # CPack writes such a file only for all packages alike, and looks at each file of each of them for it.
  file(CONFIGURE OUTPUT "${debian}/${library}/shlibs"
       CONTENT "lib${library} ${thalweg_series} ${name}${thalweg_series} (>= ${debian_version})\n")
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_CONTROL_EXTRA "${debian}/${library}/shlibs"
      "${PROJECT_SOURCE_DIR}/packaging/debian/triggers")
  thalweg_package(${library}_development ${name}-dev libdevel "${what_${library}} (development files)"
                  "This package has what programs are compiled and linked with." "${with_development}")
endforeach()

# The compiler for SPar's attributes. Clang's own headers, which it reads with every program, have a package of their own.
if(TARGET thalweg-spar)
  string(REGEX MATCH "[0-9]+$" clang_version "${THALWEG_SPAR_CLANG}")
  thalweg_package(
    thalweg_spar thalweg-spar devel "compiler for SPar's attributes"
    "This package has thalweg-spar, which makes a stream of a loop with\nattributes, and thalweg-spar++, which compiles it at once."
    "libthalweg-dev (= ${debian_version}), libclang-common-${clang_version}-dev, g++ | c++-compiler")
  set(CPACK_DEBIAN_THALWEG_SPAR_PACKAGE_SHLIBDEPS ON)
  install(
    FILES "${debian}/thalweg-spar.1.gz" "${debian}/thalweg-spar++.1.gz"
    DESTINATION share/man/man1
    COMPONENT thalweg_spar
    EXCLUDE_FROM_ALL)
endif()

# The command line: the sources, which are copied to where they can be built, and its launcher.
file(STRINGS packaging/carried.txt carried REGEX "^[^#]")
foreach(one IN LISTS carried)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${one}")
    install(
      DIRECTORY ${one}
      DESTINATION share/thalweg
      COMPONENT thalweg_command
      EXCLUDE_FROM_ALL
      USE_SOURCE_PERMISSIONS
      PATTERN "__pycache__" EXCLUDE
      PATTERN "*.egg-info" EXCLUDE
      PATTERN ".*_cache" EXCLUDE
      REGEX "([^i]|/cli)/build$" EXCLUDE) # thalweg_cli/build is a package of modules.
  elseif(one STREQUAL "thalweg")
    install(PROGRAMS ${one} DESTINATION share/thalweg COMPONENT thalweg_command EXCLUDE_FROM_ALL)
  else()
    install(FILES ${one} DESTINATION share/thalweg COMPONENT thalweg_command EXCLUDE_FROM_ALL)
  endif()
endforeach()
# With the page that shows a run of the past.
if(TARGET thalweg_live)
  set(parts "${THALWEG_LIVE_PARTS}")
  while(parts)
    list(POP_FRONT parts path file)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET path FILENAME name)
    install(
      FILES "${file}"
      DESTINATION "share/thalweg/cli/thalweg_cli/live_page/${folder}"
      RENAME "${name}"
      COMPONENT thalweg_command
      EXCLUDE_FROM_ALL)
  endwhile()
endif()
install(
  CODE "string(TIMESTAMP now \"%Y%m%d%H%M%S\" UTC)
set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/thalweg\")
file(WRITE \"\${share}/packaged\" \"${PROJECT_VERSION}-\${now}\\n\")
file(MAKE_DIRECTORY \"\${share}/../../bin\")
file(CREATE_LINK ../share/thalweg/thalweg \"\${share}/../../bin/thalweg\" SYMBOLIC)"
  COMPONENT thalweg_command
  EXCLUDE_FROM_ALL)
install(FILES "${debian}/thalweg.1.gz" DESTINATION share/man/man1 COMPONENT thalweg_command EXCLUDE_FROM_ALL)

file(READ cli/packages.txt needed)
string(REGEX REPLACE "\n# For the tests.*" "\n" needed "${needed}")
string(REGEX MATCHALL "(^|\n)[a-z][^ #]+" needed "${needed}")
list(TRANSFORM needed STRIP)
list(JOIN needed ", " needed)
thalweg_package(thalweg_command thalweg devel "structured stream processing: demo and benchmarks"
                "This package has the command line: a demo, real stream applications\nunder many parallel programming interfaces, and reports of what was\nmeasured. It builds what it runs from its own sources, below the cache\nfolder of the user."
                "python3, ${needed}")
set(CPACK_DEBIAN_THALWEG_COMMAND_PACKAGE_ARCHITECTURE all)
include(CPack)
