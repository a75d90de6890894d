"""Implements `kernels/course`, which sets up, opens, runs, tests and examines the course.

All of it runs before anything is installed, so it uses only the standard library. Two files are the exception: `fetch_jars` and `execute`
run on the installed Python.
"""
