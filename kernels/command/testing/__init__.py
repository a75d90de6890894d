"""The tests, the image that they try, and the reports on both."""
