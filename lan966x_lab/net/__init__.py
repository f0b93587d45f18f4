"""Frames, Internet checksums, PTP messages, capture files."""
