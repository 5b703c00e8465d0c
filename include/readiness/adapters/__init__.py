"""What touches the world, one vendor per file, behind the ports."""
