"""Published claims, counted work, timing."""
