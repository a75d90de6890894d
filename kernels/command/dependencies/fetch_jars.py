"""Fetches locked JARs into coursier's cache. Started with the installed Python: requests and jgo are no part of the standard library.

Nothing is resolved: the lock has every coordinate. Reads {"cache", "repositories", "checksums"} from standard input, the last one with
the SHA-256 of each coordinate; prints `ok COORDINATE PATH`, `altered COORDINATE SHA-256 PLACE` or `failed COORDINATE REASON` for each.
jgo knows where Maven's central repository is: no address is written here.
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
    """A repository answers, and lacks the file."""


class Altered(Exception):
    """A repository has another file than the one that was locked. The words are the checksum that was found, and where."""


def path_in_repository(coordinate: str) -> str:
    """Where every Maven repository has a JAR, from `group:artifact:version` or `group:artifact:jar:classifier:version`."""
    group, artifact, *kind, version = coordinate.split(":")
    name = "-".join([artifact, version, *kind[1:]])
    return f"{group.replace('.', '/')}/{artifact}/{version}/{name}.jar"


def place(cache: Path, url: str) -> Path:
    """Where coursier keeps what this address holds: a file of this machine stays where it is."""
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
    """Removes what a killed one has left half-brought, once nobody can be at it any more."""
    for left in folder.glob(".part-*"):
        with contextlib.suppress(FileNotFoundError):  # what comes into the same folder at the same time, and is there by now
            if time.time() - left.stat().st_mtime > 3600:
                shutil.rmtree(left, ignore_errors=True)


def download(client: requests.Session, url: str, target: Path, checksum: str) -> None:
    """Brings one file; it appears under its name only when it is whole, and the one that was locked."""
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
    """One JAR from the first repository that has it. One that is in the cache is taken, from whichever host a copy of Maven's central
    repository was, if it has the checksum; a damaged one is replaced by a download."""
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
        except (OSError, NotThere) as error:  # requests' own are OSErrors; the parent knows the remedy
            reasons.append(str(error) if isinstance(error, NotThere) else f"{type(error).__name__}: {error}")
        else:
            return f"ok {coordinate} {place(cache, url)}"
    return f"failed {coordinate} {'; '.join(reasons) or 'not found: there is no repository to look in'}".replace("\n", " ")


def addresses(entries: Iterable[str]) -> list[str]:
    """Returns the repositories' addresses; jgo knows that of "central"."""
    central = list(MavenContext().remote_repos.values())
    return [url for entry in entries for url in (central if entry == "central" else [entry])]


def main() -> None:
    # Without the set-up that started it: a download that stands still would keep the next one waiting.
    threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
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
