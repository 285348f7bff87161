# `cmake --install`: the library, its headers, and how CMake and pkg-config find them. Each part has what runs (a shared
# library) and what is compiled with, as components; packages are made of these.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/thalweg)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE libdir)
file(RELATIVE_PATH pc_to_prefix "/${libdir}/pkgconfig" "/")

# thalweg_install(<library> <package for pkg-config>...): a library, and what others need of packages to link it. A static
# library cannot bring what it links itself: who links it must name that too.
function(thalweg_install library)
  string(REPLACE "_" "-" name ${library})
  install(
    TARGETS ${library}
    EXPORT ${name}-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT ${library}_runtime
            NAMELINK_COMPONENT ${library}_development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${library}_development)
  install(EXPORT ${name}-targets NAMESPACE thalweg:: DESTINATION ${cmake_dir} COMPONENT ${library}_development)

  set(pc_requires "")
  get_target_property(type ${library} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    list(JOIN ARGN " " pc_requires)
    list(JOIN MPI_CXX_LIBRARIES " " pc_mpi_libraries)
  endif()
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${library}_development)
endfunction()

install(DIRECTORY include/thalweg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT thalweg_development
        FILES_MATCHING PATTERN "*.hpp")
set(hwloc "")
if(THALWEG_HWLOC_FOUND)
  set(hwloc hwloc)
endif()
thalweg_install(thalweg ${hwloc})
configure_package_config_file(cmake/thalweg-config.cmake.in thalweg-config.cmake INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(thalweg-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thalweg-config.cmake ${PROJECT_BINARY_DIR}/thalweg-config-version.cmake
        DESTINATION ${cmake_dir} COMPONENT thalweg_development)

# Only who asks for the component needs librdkafka, cpp-httplib, libmosquitto, libcurl, an MPI, OpenSSL, or zlib and libzstd.
if(TARGET thalweg_kafka)
  thalweg_install(thalweg_kafka rdkafka)
endif()
if(TARGET thalweg_web)
  thalweg_install(thalweg_web libcurl)
endif()
if(TARGET thalweg_live)
  thalweg_install(thalweg_live cpp-httplib)
endif()
if(TARGET thalweg_mpi)
  thalweg_install(thalweg_mpi)
endif()
if(TARGET thalweg_mqtt)
  thalweg_install(thalweg_mqtt libmosquitto)
endif()
if(TARGET thalweg_tls)
  thalweg_install(thalweg_tls openssl)
endif()
if(TARGET thalweg_compression)
  set(zstd "")
  if(THALWEG_ZSTD_FOUND)
    set(zstd libzstd)
  endif()
  thalweg_install(thalweg_compression zlib ${zstd})
endif()

# The compiler for SPar's attributes: two programs, and the function that gives their work to targets.
if(TARGET thalweg-spar)
  install(
    TARGETS thalweg-spar thalweg-spar++
    EXPORT thalweg-spar-targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT thalweg_spar)
  install(EXPORT thalweg-spar-targets NAMESPACE thalweg:: DESTINATION ${cmake_dir} COMPONENT thalweg_spar)
  install(FILES cmake/thalweg-spar.cmake DESTINATION ${cmake_dir} COMPONENT thalweg_spar)
endif()
