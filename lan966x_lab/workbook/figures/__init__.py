"""Drawings that notebooks show, and the parts that explorers are drawn with."""
