"""Text as HTML: whatever it says, it stays text."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Sequence


def words(text: str) -> str:
    """Escaped, with code where backticks are."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def plainly(text: str) -> str:
    """For a chart: no tag begins in it, for Plotly sets some of HTML's."""
    return text.replace("`", "").replace("<", "‹").replace(">", "›").replace("&", "＆")


def in_lines(text: str, width: int = 30) -> str:
    """A chart's label in lines of this many characters."""
    return "<br>".join(textwrap.wrap(plainly(text), width)) or "–"


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1] if parts else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 1) -> str:
    """From column `numbers` on, cells are set as numbers."""

    def line(tag: str, cells: Sequence[str]) -> str:
        kind = ' scope="col"' if tag == "th" else ""
        parts = (f"<{tag}{kind}{' class=n' if at >= numbers else ''}>{words(cell)}</{tag}>" for at, cell in enumerate(cells))
        return f"<tr>{''.join(parts)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f'<div class="scroll"><table><thead>{line("th", head)}</thead><tbody>\n{body}\n</tbody></table></div>'


def items(lines: Iterable[str]) -> str:
    """A list of what is HTML already."""
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
