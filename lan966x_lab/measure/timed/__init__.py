"""Timed here: this computer, in this minute. No test depends on a duration."""
