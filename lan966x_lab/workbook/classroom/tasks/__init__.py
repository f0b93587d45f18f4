"""The visible checks of the classroom's exercises, and the benches that some of them run on."""
