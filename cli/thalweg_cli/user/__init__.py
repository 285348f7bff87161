"""What users make and change: benchmarks, applications, inputs."""
