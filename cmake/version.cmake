# The version stands in one place: the header that programs can ask. To be included before project().
file(STRINGS include/thalweg/version.hpp thalweg_version REGEX "define THALWEG_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM thalweg_version REPLACE ".* " "")
list(JOIN thalweg_version "." thalweg_version)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/thalweg/version.hpp)
