"""The short exercises inside the lessons: their checks, and the benches that some of them need."""
