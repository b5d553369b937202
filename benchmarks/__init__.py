"""Speed of the scanners: ``python -m benchmarks``. See README.md."""
