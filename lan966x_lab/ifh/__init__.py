"""The inter-frame header (IFH)."""
