"""Implements `library`, which makes the lab an artifact that any Scala notebook can import from a Maven repository in a folder.

The JAR is the lab's, with two more files: what the lab must download outside the course (Artifact), and the source of its front-end
bindings for Almond (lab.Library).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import zipfile
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ..base import children
from ..base.command_line import Parser, as_path, check_folder
from ..base.files import write_whole
from ..base.paths import BUILD, KERNELS, ROOT, shown
from ..base.problem import AGAIN, Problem
from ..base.say import elapsed, say
from ..dependencies.jars import Definition, Lock, class_path
from ..dependencies.java import Java
from ..setup.compile import JVM, jar_of, pack, sources
from ..setup.stages import OLDER_SCALAC, set_up_first

MODULE = "lab"
PLACE = BUILD / "library"
FRONT_PAGE = KERNELS / "lab" / "front-page.txt"  # in Scaladoc's markup
HOOKS = KERNELS / "almond" / "src" / "NotebookHooks.scala"
SCALADOC = "scala.tools.nsc.ScalaDoc"
OF_PAGES = ("exercises", "forked")  # folders that only the course's pages need, so the Scaladoc leaves them out
CHECKSUMS = ("md5", "sha1", "sha256")


@dataclass(frozen=True)
class Artifact:
    """Describes the library's coordinates, as `build.json` defines them."""

    definition: Definition

    @property
    def group(self) -> str:
        return self.definition.content["library"]["group"]

    @property
    def version(self) -> str:
        return self.definition.content["library"]["version"]

    @property
    def description(self) -> str:
        return self.definition.content["library"]["description"]

    @property
    def name(self) -> str:
        """Returns the artifact's name with Scala's binary version."""
        return f"{MODULE}_{self.definition.scala.rpartition('.')[0]}"

    @property
    def folder(self) -> Path:
        """Returns the folder of all versions, relative to the repository."""
        return Path(*self.group.split("."), self.name)

    def file(self, kind: str) -> str:
        """Returns the name of a file of this kind: `.pom`, `-sources.jar` and so on."""
        return f"{self.name}-{self.version}{kind}"

    def cells(self, repository: Path) -> list[str]:
        """Returns the code that a notebook needs, one entry per cell."""
        return [
            f'interp.repositories() ++= Seq(coursierapi.MavenRepository.of("{repository.as_uri()}"))',
            f"import $ivy.`{self.group}::{MODULE}:{self.version}`, lab.api._",
            "repl.load(lab.Library.hooks)",
        ]


# ---- the files


def resources(artifact: Artifact) -> dict[str, bytes]:
    """Returns the JAR's files other than classes, by their path in it."""
    content = artifact.definition.content
    older = content["tools"][OLDER_SCALAC][0].rpartition(":")[2]
    told = {
        "group": artifact.group,
        "version": artifact.version,
        "scala": [artifact.definition.scala, older],
        "tools": {"jmh": content["tools"]["jmh"]},
    }
    return {
        f"{MODULE}/artifact.json": (json.dumps(told, indent=1) + "\n").encode(),
        f"{MODULE}/{HOOKS.name}": HOOKS.read_bytes(),
        "META-INF/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def _jar(parts: Mapping[str, bytes], folder: Path) -> bytes:
    """Returns a JAR with the content of `folder` and these parts."""
    for name, content in parts.items():
        write_whole(folder / name, content)
    return pack(folder)


def classes_jar(artifact: Artifact, scratch: Path) -> bytes:
    folder = scratch / "classes"
    with zipfile.ZipFile(jar_of(MODULE)) as compiled:
        compiled.extractall(folder)
    return _jar(resources(artifact), folder)


def sources_jar(artifact: Artifact, scratch: Path) -> bytes:
    root = KERNELS / artifact.definition.modules[MODULE]["sources"]
    own = {str(path.relative_to(root)): path.read_bytes() for path in sources(root)}
    return _jar({**resources(artifact), **own}, scratch / "sources")


def documented(definition: Definition) -> list[Path]:
    """Returns the sources that the Scaladoc covers."""
    root = KERNELS / definition.modules[MODULE]["sources"]
    return [path for path in sources(root) if path.suffix == ".scala" and path.relative_to(root).parts[0] not in OF_PAGES]


def scaladoc_jar(artifact: Artifact, lock: Lock, java: Java, files: Mapping[str, Path], scratch: Path) -> bytes:
    """Returns the JAR with the Scaladoc. Raises a Problem if Scaladoc warns, for example of a broken link."""
    folder = scratch / "scaladoc"
    folder.mkdir()
    libraries = class_path(lock, MODULE, files)
    scala = artifact.definition.scala
    library = next(path for path in libraries if path.name.startswith("scala-library"))
    words = [
        *("-encoding", "UTF-8", "-Werror", "-d", folder, "-classpath", os.pathsep.join(map(str, [jar_of(MODULE), *libraries]))),
        *("-doc-title", MODULE, "-doc-version", artifact.version, "-doc-root-content", FRONT_PAGE),
        f"-doc-external-doc:{library}#https://www.scala-lang.org/api/{scala}/",
        *documented(artifact.definition),
    ]
    compiler = os.pathsep.join(map(str, class_path(lock, "scalac", files)))
    code, text = children.run([java.program, *JVM, "-cp", compiler, SCALADOC, *words])
    if code or "warning" in text:
        raise Problem("Scaladoc warns about the lab.", f"Correct the comments that it names above, {AGAIN}", text)
    return pack(folder)


# ---- Maven's files


def pom(artifact: Artifact, lock: Lock) -> str:
    """Returns the POM with the lab's dependencies in their locked versions, and with their exclusions."""
    module = artifact.definition.modules[MODULE]
    locked = {coordinate.rpartition(":")[0]: coordinate for coordinate in lock.coordinates(MODULE)}
    wanted = [coordinate.rpartition(":")[0] for coordinate in module["dependencies"]]
    project = ElementTree.Element("project", xmlns="http://maven.apache.org/POM/4.0.0")

    def add(parent: ElementTree.Element, **texts: str) -> ElementTree.Element:
        for name, text in texts.items():
            ElementTree.SubElement(parent, name).text = text
        return parent

    add(project, modelVersion="4.0.0", groupId=artifact.group, artifactId=artifact.name, version=artifact.version, packaging="jar")
    add(project, name=MODULE, description=artifact.description, inceptionYear="2026")
    licence = ElementTree.SubElement(ElementTree.SubElement(project, "licenses"), "license")
    add(licence, name=_licence(), distribution="repo", comments="META-INF/LICENSE in the JAR")
    dependencies = ElementTree.SubElement(project, "dependencies")
    for name in ["org.scala-lang:scala-library", *wanted]:
        group, identifier, version = locked[name].split(":")
        dependency = add(ElementTree.SubElement(dependencies, "dependency"), groupId=group, artifactId=identifier, version=version)
        excluded = [entry.split(":") for entry in module.get("exclude", ())]
        exclusions = ElementTree.SubElement(dependency, "exclusions") if excluded else dependency
        for out_group, out_name in excluded:
            add(ElementTree.SubElement(exclusions, "exclusion"), groupId=out_group, artifactId=out_name)
    return _xml(project)


def _licence() -> str:
    """Returns the name of the code's licence from LICENSE."""
    return next(line for line in (ROOT / "LICENSE").read_text().splitlines() if line.endswith(" License"))


def metadata(artifact: Artifact, versions: list[str]) -> str:
    """Returns the list of versions for clients that ask for the latest."""
    root = ElementTree.Element("metadata")
    ElementTree.SubElement(root, "groupId").text = artifact.group
    ElementTree.SubElement(root, "artifactId").text = artifact.name
    versioning = ElementTree.SubElement(root, "versioning")
    for name in ("latest", "release"):
        ElementTree.SubElement(versioning, name).text = artifact.version
    listed = ElementTree.SubElement(versioning, "versions")
    for version in versions:
        ElementTree.SubElement(listed, "version").text = version
    return _xml(root)


def _xml(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


# ---- the repository


def _put(path: Path, content: bytes | str) -> None:
    """Writes a file and its checksums."""
    data = content.encode() if isinstance(content, str) else content
    write_whole(path, data)
    for name in CHECKSUMS:
        write_whole(path.with_name(f"{path.name}.{name}"), hashlib.new(name, data).hexdigest())


def publish(artifact: Artifact, lock: Lock, java: Java, files: Mapping[str, Path], repository: Path) -> None:
    """Writes the artifact into the repository, and keeps other versions there. Raises a Problem if the Scaladoc can't be made."""
    with tempfile.TemporaryDirectory(prefix="scratch-library-", dir=BUILD) as name:
        scratch = Path(name)
        contents = {
            ".jar": classes_jar(artifact, scratch),
            "-sources.jar": sources_jar(artifact, scratch),
            "-javadoc.jar": scaladoc_jar(artifact, lock, java, files, scratch),
            ".pom": pom(artifact, lock),
        }
    all_versions = repository / artifact.folder
    for kind, content in contents.items():
        _put(all_versions / artifact.version / artifact.file(kind), content)
    versions = sorted(path.parent.name for path in all_versions.glob("*/*.pom"))
    _put(all_versions / "maven-metadata.xml", metadata(artifact, versions))


# ---- the verb


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        type=as_path,
        nargs="?",
        default=PLACE,
        help=f"the Maven repository to write to (default: {shown(PLACE)})",
    )


def main(given: Namespace) -> int:
    place = given.folder
    check_folder(place, "The library", "Name one folder, or none for .build/library: kernels/course library FOLDER")
    course = set_up_first()
    artifact, lock = Artifact(Definition.read()), Lock.read()
    say(f"Library: making {artifact.group}:{artifact.name}:{artifact.version} with its Scaladoc")
    publish(artifact, lock, course.java, course.files, place)
    say(f"Library: in {shown(place)} after {elapsed():.0f} s")
    lines = "".join(f"  {cell}\n" for cell in artifact.cells(place))
    sys.stdout.write(f"In a Scala notebook on Almond, run each line in a separate cell:\n\n{lines}\n")
    return 0
