"""Builds and runs a program with the package."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class ThalwegTest(ConanFile):
    """A program of a few lines."""

    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self) -> None:
        """What is tested."""
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        """As CMake has it."""
        cmake_layout(self)

    def build(self) -> None:
        """Configures and compiles."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self) -> None:
        """Runs it."""
        if can_run(self):
            self.run(str(Path(self.build_folder, self.cpp.build.bindir, "program")), env="conanrun")
