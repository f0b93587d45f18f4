"""Computed from reported figures: what a frame costs on each path, as bands; which patch gains what."""
