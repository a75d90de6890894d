"""The newest releases of what build.json pins, as the user's Maven repositories (COURSIER_REPOSITORIES) name them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from xml.etree import ElementTree

import requests
from command.dependencies import fetch_jars

RELEASE = re.compile(r"\d+(\.\d+)*(\.Final|\.RELEASE)?")  # pre-releases have other words: -M1, -RC2, .Alpha1, -SNAPSHOT
PARALLEL = 8
SECONDS = 60


@dataclass(frozen=True)
class Repositories:
    """Maven repositories by their addresses, and what reads them."""

    urls: Sequence[str]
    client: requests.Session

    def versions(self, module: str) -> set[str]:
        """Returns every version of `group:artifact` that a repository lists."""
        answers = (self.client.get(f"{url}/{folder(module)}/maven-metadata.xml", timeout=SECONDS) for url in self.urls)
        texts = [answer.content for answer in answers if there(answer)]
        return {version.text or "" for text in texts for version in ElementTree.fromstring(text).iter("version")}

    def has(self, coordinate: str) -> bool:
        """Tells whether a repository has this version. A mirror's list may lag behind what it has."""
        module, _, version = coordinate.rpartition(":")
        path = f"{folder(module)}/{version}/{module.partition(':')[2]}-{version}.pom"
        return any(there(self.client.head(f"{url}/{path}", timeout=SECONDS)) for url in self.urls)

    def newest(self, together: Sequence[str]) -> str:
        """Returns the newest release that all these coordinates have; their own version if there is no newer one."""
        modules, own = [coordinate.rpartition(":")[0] for coordinate in together], together[0].rpartition(":")[2]
        listed = {v for module in modules for v in self.versions(module) if RELEASE.fullmatch(v) and order(v) > order(own)}
        newer = sorted(listed, key=order, reverse=True)
        return next((v for v in newer if all(self.has(f"{module}:{v}") for module in modules)), own)


def configured(entries: Iterable[str]) -> Repositories:
    """Returns the repositories that these entries of COURSIER_REPOSITORIES name."""
    urls = [url.rstrip("/") for url in fetch_jars.addresses(entries) if not url.startswith("file:")]
    return Repositories(urls, fetch_jars.session())


def folder(module: str) -> str:
    """Returns the folder of `group:artifact` in every Maven repository."""
    group, artifact = module.split(":")
    return f"{group.replace('.', '/')}/{artifact}"


def there(answer: requests.Response) -> bool:
    """Tells whether a repository has the file. Raises an OSError if it answers neither yes nor no."""
    if answer.status_code in (404, 410):
        return False
    answer.raise_for_status()
    return True


def order(version: str) -> tuple[list[int], bool]:
    """Returns what to sort versions by: a pre-release comes before its release."""
    numbers = re.match(r"[\d.]*", version)[0].strip(".")  # type: ignore[index]
    return [int(number) for number in numbers.split(".") if number], RELEASE.fullmatch(version) is not None


def groups(coordinates: Iterable[str], alone: Collection[str]) -> list[list[str]]:
    """Returns the coordinates that move together: those of one group and version, as the parts of Pekko. Those in `alone` don't."""

    def key(coordinate: str) -> tuple[str, ...]:
        group, _, version = coordinate.split(":")
        return (coordinate,) if coordinate in alone else (group, version)

    return [list(members) for _, members in itertools.groupby(sorted(coordinates, key=key), key)]


def newest(repositories: Repositories, coordinates: Iterable[str], held: Collection[str]) -> dict[str, str]:
    """Returns each coordinate's newest release, of held ones too. Raises an OSError if a repository can't be read."""
    together = groups(coordinates, held)
    with ThreadPoolExecutor(PARALLEL) as pool:
        found = zip(together, pool.map(repositories.newest, together), strict=True)
        return {coordinate: version for members, version in found for coordinate in members}
