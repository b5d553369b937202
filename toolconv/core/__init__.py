"""The engine: knows no dialect and no format. See docs/architecture.md."""
