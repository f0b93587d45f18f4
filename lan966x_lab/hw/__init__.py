"""Device models at register level."""
