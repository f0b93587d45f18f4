"""The explorers: one widget a module, each with its static picture. Notebooks import them by name."""
