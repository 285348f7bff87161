"""Not run by the tests of the project.

spack repo add packaging/spack
spack dev-build -d . thalweg@0.2.0
"""

from spack.package import CMakePackage, conflicts, depends_on, license, variant, version  # noqa: A004


class Thalweg(CMakePackage):
    """Structured stream processing in C++20."""

    license("MIT")

    # Built from a clone by `spack dev-build`. With the address of a release: url = ..., and its sha256 here.
    version("0.2.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("hwloc", default=True, description="Bind threads to processors through hwloc")
    variant("mpi", default=False, description="Streams over several processes")
    variant("tls", default=False, description="Streams over TCP with TLS")
    variant("kafka", default=False, description="Streams through Kafka")
    variant("mqtt", default=False, description="Streams through MQTT")
    variant("web", default=False, description="Streams from web servers")
    variant("compression", default=False, description="Files of gzip and zstd")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("mpi", when="+mpi")
    depends_on("nlohmann-json", when="+mpi")
    depends_on("openssl", when="+tls")
    depends_on("librdkafka", when="+kafka")
    depends_on("mosquitto@2:", when="+mqtt")
    depends_on("boost", when="+web")
    depends_on("curl@7.88:", when="+web")
    depends_on("zlib-api", when="+compression")
    depends_on("zstd", when="+compression")
    conflicts("%gcc@:11", msg="C++20 as Thalweg uses it needs GCC 12")
    conflicts("%clang@:15", msg="C++20 as Thalweg uses it needs Clang 16")
    conflicts("platform=darwin", msg="Thalweg needs Linux")

    def cmake_args(self) -> list[str]:
        """The library alone."""
        parts = ("APPS", "TESTS", "EXAMPLES", "MICRO", "SPAR")
        variants = ("hwloc", "mpi", "tls", "kafka", "mqtt", "web", "compression")
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("THALWEG_LIVE", False),  # gets packages of npm
            *(self.define(f"THALWEG_BUILD_{part}", False) for part in parts),
            *(self.define_from_variant(f"THALWEG_{v.upper()}", v) for v in variants),
        ]
