"""Conan 2: `conan create packaging/conan -s compiler.cppstd=20 --build=missing`.

The library alone: its components need an MPI, librdkafka, libmosquitto, libcurl, OpenSSL, zlib or cpp-httplib, and are
built where CMake finds them.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Thalweg(ConanFile):
    """The library, as an archive or shared."""

    name = "thalweg"
    description = "Structured stream processing in C++20"
    license = "MIT"
    topics = ("streams", "parallel", "pipeline")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def set_version(self) -> None:
        """The version stands in a header."""
        header = Path(self.recipe_folder, "..", "..", "include", "thalweg", "version.hpp").read_text()
        self.version = ".".join(re.findall(r"^#define THALWEG_VERSION_\w+ (\d+)$", header, re.MULTILINE))

    def export_sources(self) -> None:
        """What the library is built from."""
        root = Path(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=str(root), dst=self.export_sources_folder)

    def validate(self) -> None:
        """Linux only: it waits and measures as Linux does."""
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Thalweg needs Linux")

    def layout(self) -> None:
        """As CMake has it."""
        cmake_layout(self)

    def generate(self) -> None:
        """Nothing is taken from the system that Conan does not know of."""
        toolchain = CMakeToolchain(self)
        for part in ("APPS", "BENCH", "TESTS", "EXAMPLES", "MICRO", "SPAR"):
            toolchain.cache_variables[f"THALWEG_BUILD_{part}"] = False
        for part in ("HWLOC", "MPI", "KAFKA", "MQTT", "WEB", "TLS", "COMPRESSION", "LIVE"):
            toolchain.cache_variables[f"THALWEG_{part}"] = False
        toolchain.generate()

    def build(self) -> None:
        """Configures and compiles."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        """Installs as everywhere."""
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder, "licenses")))
        CMake(self).install()

    def package_info(self) -> None:
        """How CMake and pkg-config find it."""
        self.cpp_info.libs = ["thalweg"]
        self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.set_property("cmake_file_name", "thalweg")
        self.cpp_info.set_property("cmake_target_name", "thalweg::thalweg")
        self.cpp_info.set_property("pkg_config_name", "thalweg")
