# Not run by the tests of the project. A port of the sources that it lies in:
# vcpkg install thalweg --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS features
                     FEATURES tls THALWEG_TLS kafka THALWEG_KAFKA mqtt THALWEG_MQTT web THALWEG_WEB compression
                              THALWEG_COMPRESSION)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features}
          -DTHALWEG_BUILD_APPS=OFF
          -DTHALWEG_BUILD_TESTS=OFF
          -DTHALWEG_BUILD_EXAMPLES=OFF
          -DTHALWEG_BUILD_MICRO=OFF
          -DTHALWEG_BUILD_SPAR=OFF
          -DTHALWEG_HWLOC=OFF
          -DTHALWEG_LIVE=OFF
          -DTHALWEG_MPI=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/thalweg)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
