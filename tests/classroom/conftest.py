"""Puts this folder on the path, so that the files in submissions/ find ``submissions_support``."""
