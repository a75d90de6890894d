"""Fetches locked JARs into coursier's cache. Runs on the installed Python, because it needs requests and jgo.

Nothing is resolved, because the lock lists every coordinate. Reads {"cache", "repositories", "checksums"} from standard input, where the
last has the SHA-256 of each coordinate. Prints `ok COORDINATE PATH`, `altered COORDINATE SHA-256 PLACE` or `failed COORDINATE REASON` for
each. The address of Maven's central repository comes from jgo. Its argument is the process that started it, with which it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import requests
from jgo.maven import MavenContext
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from ..base.children import end_with
from ..base.files import sha256

AT_ONCE = 8


class NotThere(Exception):
    """Reports that a repository answered, but doesn't have the file."""


class Altered(Exception):
    """Reports that a repository's file isn't the locked one. The text is the found checksum and the place."""


def path_in_repository(coordinate: str) -> str:
    """Returns a JAR's path in every Maven repository, from `group:artifact:version` or `group:artifact:jar:classifier:version`."""
    group, artifact, *kind, version = coordinate.split(":")
    name = "-".join([artifact, version, *kind[1:]])
    return f"{group.replace('.', '/')}/{artifact}/{version}/{name}.jar"


def place(cache: Path, url: str) -> Path:
    """Returns where coursier's cache keeps the content of an address. A file of this machine stays where it is."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    host = parts.netloc.rpartition("@")[2].replace(":", "%3A")
    user = f"{quote(parts.username)}@" if parts.username else ""
    return cache / parts.scheme / (user + host) / parts.path.lstrip("/")


def session() -> requests.Session:
    made = requests.Session()
    made.headers["Accept-Encoding"] = "identity"
    adapter = HTTPAdapter(pool_maxsize=AT_ONCE, max_retries=Retry(2, backoff_factor=0.3, status_forcelist=(429, 502, 503, 504)))
    made.mount("https://", adapter)
    made.mount("http://", adapter)
    return made


def sweep(folder: Path) -> None:
    """Removes the temporary folders that a killed download left, once they are an hour old and surely unused."""
    for left in folder.glob(".part-*"):
        with contextlib.suppress(FileNotFoundError):  # another download of the same folder has just finished
            if time.time() - left.stat().st_mtime > 3600:
                shutil.rmtree(left, ignore_errors=True)


def download(client: requests.Session, url: str, target: Path, checksum: str) -> None:
    """Downloads one file. It gets its name only after it is complete and has the locked checksum."""
    if url.startswith("file:"):
        if target.is_file():
            raise Altered(f"{sha256(target)} {target}")
        raise NotThere(f"not found: {url}")
    with client.get(url, stream=True, timeout=(15, 60)) as answer:
        if answer.status_code in (404, 410):
            raise NotThere(f"not found: {url}")
        answer.raise_for_status()
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".part-") as scratch:
            part = Path(scratch) / target.name
            with open(part, "wb") as stream:
                for block in answer.iter_content(1 << 20):
                    stream.write(block)
            found = sha256(part)
            if found != checksum:
                raise Altered(f"{found} {url}")
            os.replace(part, target)


def fetch(client: requests.Session, cache: Path, repositories: Iterable[str], coordinate: str, checksum: str) -> str:
    """Fetches one JAR from the first repository that has it, and returns the line to print.

    A file in the cache with the right checksum is used, whichever mirror of Maven's central repository it came from. A damaged one is
    replaced.
    """
    path = path_in_repository(coordinate)
    urls = [f"{repository.rstrip('/')}/{path}" for repository in repositories]
    places = [*(place(cache, url) for url in urls), *cache.glob(f"https/*/maven2/{path}")]
    there = next((file for file in places if file.is_file() and sha256(file) == checksum), None)
    if there:
        return f"ok {coordinate} {there}"
    reasons = []
    for url in urls:
        try:
            download(client, url, place(cache, url), checksum)
        except Altered as altered:
            return f"altered {coordinate} {altered}"
        except (OSError, NotThere) as error:  # the errors of requests are OSErrors; the parent process adds the remedy
            reasons.append(str(error) if isinstance(error, NotThere) else f"{type(error).__name__}: {error}")
        else:
            return f"ok {coordinate} {place(cache, url)}"
    return f"failed {coordinate} {'; '.join(reasons) or 'not found: there is no repository to search'}".replace("\n", " ")


def addresses(entries: Iterable[str]) -> list[str]:
    """Returns the repositories' addresses, with jgo's addresses for "central"."""
    central = list(MavenContext().remote_repos.values())
    return [url for entry in entries for url in (central if entry == "central" else [entry])]


def main() -> None:
    # A hanging download would block the next set-up. The set-up that started this one may already have ended.
    threading.Thread(target=end_with, args=[int(sys.argv[1])], daemon=True).start()
    wish = json.load(sys.stdin)
    repositories = addresses(wish["repositories"])
    client = session()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line in pool.map(lambda wanted: fetch(client, Path(wish["cache"]), repositories, *wanted), wish["checksums"].items()):
            print(line, flush=True)
            if not line.startswith("ok "):
                pool.shutdown(wait=False, cancel_futures=True)
                sys.exit(1)


if __name__ == "__main__":
    main()
