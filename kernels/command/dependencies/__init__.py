"""What is fetched: Python packages, JARs and Java runtimes, each held to its checksum."""
