"""The built-in dialects: one small module and one prompt page each."""
