"""Runs the tests, builds the image that they try, and reports on both."""
