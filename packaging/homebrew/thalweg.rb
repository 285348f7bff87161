# Not run by the tests of the project. Homebrew on Linux, from a clone of the project whose address is put in:
# brew install --HEAD ./packaging/homebrew/thalweg.rb
class Thalweg < Formula
  desc "Structured stream processing in C++20"
  homepage "https://example.org/thalweg"
  license "MIT"
  version "0.2.0"
  head "https://example.org/thalweg.git", branch: "main"

  depends_on "cmake" => :build
  depends_on "pkgconf" => [:build, :test]
  depends_on "hwloc"
  depends_on :linux

  def install
    args = %w[APPS TESTS EXAMPLES MICRO SPAR].map { |part| "-DTHALWEG_BUILD_#{part}=OFF" }
    args += %w[MPI TLS KAFKA MQTT WEB COMPRESSION LIVE].map { |part| "-DTHALWEG_#{part}=OFF" }
    args << "-DBUILD_SHARED_LIBS=ON"
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"program.cpp").write <<~CPP
      #include <thalweg/thalweg.hpp>
      #include <vector>
      int main() {
        std::vector<int> seen;
        thalweg::run(thalweg::source(std::vector{1, 2, 3}) | thalweg::sink(seen));
        return seen.size() == 3 ? 0 : 1;
      }
    CPP
    flags = shell_output("pkgconf --cflags --libs thalweg").chomp.split
    system ENV.cxx, "-std=c++20", "program.cpp", *flags, "-o", "program"
    system "./program"
  end
end
