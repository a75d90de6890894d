"""Fetches Python packages, JARs and Java runtimes, and checks each against its checksum."""
