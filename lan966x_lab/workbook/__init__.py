"""Pictures, widgets, prediction gates, checks."""
