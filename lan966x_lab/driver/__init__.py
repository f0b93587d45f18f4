"""The driver code that the patches change."""
