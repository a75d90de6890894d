"""Counts marked English: constructions that make a reader go back, per 100 sentences, in every text of the course.

`english.py` prints a table of all files; with paths, it also prints each mark of those files; `--write` stores the counts as the ratchet of
`kernels/tests/pages/test_english.py`. A count finds what to look at. Whether a sentence is good, only a reader can say.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ROOT / "kernels" / "tests" / "pages" / "english.json"

QUESTION = r"(?![^?]*\?$)"  # not in a question

MARKS = {
    "who as subject": rf"^{QUESTION}(Who|Whoever)\b|\bwhoever\b",
    "clause as subject": rf"^{QUESTION}(What|Whether|Which)\b",
    "stands": r"\b(stands?|stood)\b(?! (for|alone|still|in for|out)\b)",
    "at once": r"\bat once\b",
    "mostly": r"\bmostly\b",
    "inversion": rf"^{QUESTION}(Is|Are|Does|Do|Has|Have|Was|Were|Can|Should)\b.*,",
    "where for if": rf"^{QUESTION}Where\b.*,",
    "as many": r"\bas (many|much)\b(?! (as|\w+ as)\b)",
    "a thread more": r"\b(a|an|one|two|three) (?!few\b|lot\b|little\b|bit\b|much\b|once\b)[a-z]+ more\b(?! than\b| [a-z]+ly\b)",
    "of one's own": r"\bof (one's|its|their|your|my|our|his|her) own\b|\bof (yours|ours|mine|hers|theirs)\b"
    r"|\bone's\b|\boneself\b",
    "each 10": r"\beach (\d|ten\b|hundred\b|second\b)|\bone each\b",
    "for as because": r"(, |\()for (the|it|they|there|this|that|no|each|its|nothing|nobody|only|all) "
    r"\w+ (is|are|was|were|has|have|does|do|can|can't|isn't|\w+s)\b",
    "old words": r"\b(anew|besides|beside|dear|dearer|hence|whereby|wherein|thereof|thereby|thereupon|in place of|under way|therefrom)\b",
    "tells, deaf": r"\b(deaf|hears?|heard)\b",
    "late clause": r"\b(does|do|is|are|has|have|gets?|takes?|happens?|waits?|comes?|goes|runs?|wins?)"
    r"( \w+){0,2} (that|which|who) [^,;:.]{1,40}[.?]$",
    "it is said": r"\b(it is said|is to be|are to be|was to be|as is said|so is|so are|so does|so do)\b",
}
_MARKS = {name: re.compile(pattern, re.IGNORECASE if pattern[0] == "\\" else 0) for name, pattern in MARKS.items()}


@dataclass(frozen=True)
class Count:
    """How many sentences a text has, the marks in them as (name, sentence), and its colons and semicolons."""

    sentences: int
    marks: tuple[tuple[str, str], ...]
    colons: int

    def per_100(self, number: int) -> float:
        return round(100 * number / max(1, self.sentences), 1)

    @property
    def rate(self) -> float:
        """Marks per 100 sentences."""
        return self.per_100(len(self.marks))


def sentences(text: str) -> Iterator[str]:
    """Splits Markdown into sentences: without code blocks, comments and tables' rules; code words and links as their words."""
    text = re.sub(r"```.*?```|~~~.*?~~~|<!--.*?-->|<[^>]{1,200}>", "\n\n", text, flags=re.S)
    text = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"`[^`\n]*`", "X", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.)\s)|\|", text):
        words = re.sub(r"[*_#>]|^\s*(?:-|\d+\.)\s", "", block.strip())
        for found in re.split(r"(?<=[.?!])[\")']*\s+(?=[\"'(]?[A-Z0-9])", " ".join(words.split())):
            if found.count(" ") >= 2:
                yield found


def texts(path: Path) -> str:
    """What a person reads in a file: a page's Markdown and speaker notes, a source's comments and docstrings, or the whole text."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(source)["cells"]
        notes = [str(cell["metadata"].get("speaker_notes", "")) for cell in cells]
        return "\n\n".join(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"] + notes)
    if path.suffix == ".scala":
        blocks = re.findall(r"/\*\*?(.*?)\*/", source, re.S) + re.findall(r"(?m)(?:^|\s)// (.*)$", source)
        return "\n\n".join(re.sub(r"(?m)^\s*\*|@\w+( \w+)?|\[\[|\]\]", "", block) for block in blocks)
    if path.suffix == ".py":
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        comments = [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]
        return "\n\n".join([ast.get_docstring(node) or "" for node in nodes] + comments)
    return source


def count(text: str) -> Count:
    """Counts a text's sentences and marks."""
    found = list(sentences(text))
    marks = tuple((name, line) for line in found for name, pattern in _MARKS.items() for _ in pattern.finditer(line))
    return Count(len(found), marks, sum(len(re.findall(r"[:;](?=\s)", line)) for line in found))


def files() -> list[Path]:
    """Returns every text that a person reads, sorted."""
    kernels = ROOT / "kernels"
    found = [ROOT / "README.md", ROOT / "data" / "README.md", ROOT / ".github" / "CONTRIBUTING.md"]
    found += [*(ROOT / "notebooks").rglob("*.ipynb"), *(ROOT / "notebooks").rglob("*.md"), *kernels.glob("*.md")]
    for folder in ("lab", "ammonite", "almond", "command", "tools", "jupyter", "docs", "hub", "tests"):
        found += [path for path in (kernels / folder).rglob("*") if path.suffix in (".scala", ".py", ".md")]
    return sorted({path for path in found if ".ipynb_checkpoints" not in path.parts and path.is_file()})


def group(path: Path) -> str:
    """Returns what a file is counted as: itself if it is prose, its folder if it is code."""
    words = path.relative_to(ROOT).parts
    return path.relative_to(ROOT).as_posix() if path.suffix in (".ipynb", ".md") else "/".join(words[:-1][:4])


def groups() -> dict[str, Count]:
    """Counts every text of the course, by group."""
    found: dict[str, list[str]] = {}
    for path in files():
        found.setdefault(group(path), []).append(texts(path))
    return {name: count("\n\n".join(parts)) for name, parts in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="only these files, with each mark and its sentence")
    parser.add_argument("--write", action="store_true", help=f"store the counts in {COUNTS.relative_to(ROOT)}")
    chosen = parser.parse_args()
    for path in chosen.paths:
        one = count(texts(path))
        for name, line in one.marks:
            print(f"{name:18} {line}")
        print(f"{path}: {one.sentences} sentences, {one.rate} marks and {one.per_100(one.colons)} colons and semicolons per 100")
    if not chosen.paths:
        counted = groups()
        for name, one in counted.items():
            print(f"{one.rate:6} {one.per_100(one.colons):6} {one.sentences:6}  {name}")
        if chosen.write:
            stored = {name: [one.rate, one.per_100(one.colons)] for name, one in counted.items()}
            lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(pair)}" for name, pair in stored.items())
            COUNTS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
