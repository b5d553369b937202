"""JSON shapes of a whole conversation, one small module a shape: each reads it into a transcript and writes it back."""
