"""Turns text into HTML. Markup in the text is shown, never interpreted."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Sequence


def words(text: str) -> str:
    """Returns the text escaped, with backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def plainly(text: str) -> str:
    """Returns the text for a chart without characters that could begin a tag, because Plotly interprets some HTML."""
    return text.replace("`", "").replace("<", "‹").replace(">", "›").replace("&", "＆")


def in_lines(text: str, width: int = 30) -> str:
    """Returns a chart's label, wrapped into lines of at most `width` characters."""
    return "<br>".join(textwrap.wrap(plainly(text), width)) or "–"


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1] if parts else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 1) -> str:
    """Returns an HTML table. Cells from column `numbers` on are set as numbers."""

    def line(tag: str, cells: Sequence[str]) -> str:
        kind = ' scope="col"' if tag == "th" else ""
        parts = (f"<{tag}{kind}{' class=n' if at >= numbers else ''}>{words(cell)}</{tag}>" for at, cell in enumerate(cells))
        return f"<tr>{''.join(parts)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f'<div class="scroll"><table><thead>{line("th", head)}</thead><tbody>\n{body}\n</tbody></table></div>'


def items(lines: Iterable[str]) -> str:
    """Returns a list of items that are already HTML."""
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
