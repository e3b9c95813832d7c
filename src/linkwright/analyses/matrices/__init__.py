"""The equations of a machine as arrays, for whoever has the book open."""
