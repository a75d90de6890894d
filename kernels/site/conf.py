"""How Sphinx renders the course's site; `kernels/course site` calls it with the executed pages as its source."""

from __future__ import annotations

import html
import os
import re
import textwrap
from importlib.resources import files
from pathlib import Path
from typing import Any

from docutils import nodes

HERE = Path(__file__).parent

project = "Which thread runs this?"
copyright = "the course's authors; prose under CC BY 4.0, code under the MIT licence"
language = "en"
extensions = ["myst_nb", "sphinx.ext.githubpages"]
templates_path = ["templates"]
suppress_warnings = ["misc.highlighting_failure"]  # Pygments knows less of Scala than there is

# ---- pages

nb_execution_mode = "off"  # they were executed
nb_code_prompt_show = nb_code_prompt_hide = "The cell's code"
nb_merge_streams = True
myst_all_links_external = True  # links are those of the finished site: command/publish/site_source.py
myst_enable_extensions: list[str] = []  # a dollar begins no formula

# ---- looks

html_theme = "pydata_sphinx_theme"
html_title = project
html_favicon = "static/icon.svg"
html_static_path = ["static", str(files("plotly") / "package_data" / "plotly.min.js")]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = html_show_sourcelink = False
html_use_index = False
html_theme_options = {
    "logo": {"text": project},
    "navbar_center": [],
    "navbar_end": ["theme-switcher"],
    "article_header_end": ["run-this-page"],
    "primary_sidebar_end": [],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
}
html_sidebars = {"**": ["pages"]}
html_context = {"repository": os.environ.get("COURSE_REPOSITORY", ""), "default_mode": "auto"}


def keep_out_of_search(app: Any, doctree: Any) -> None:
    """Whoever looks for a word wants its page, not the solution of an exercise."""
    if app.env.docname.startswith("solutions/"):
        app.env.metadata[app.env.docname]["nosearch"] = "true"


def preview(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Adds what other sites show of a link to this page: its title and its first sentences. No title says the course's name twice."""
    if doctree is None:
        return
    words = " ".join(" ".join(paragraph.astext() for paragraph in doctree.findall(nodes.paragraph)).split())
    sentences = re.match(r".{,199}[.?!](?= |$)", words)
    first = sentences[0] if sentences else textwrap.shorten(words, 200, placeholder=" …")
    title = html.unescape(re.sub(r"<[^>]+>", "", context["title"]))
    if title == project:
        context["docstitle"] = ""
    for kind, name, text in (
        ("name", "description", first),
        ("property", "og:title", title),
        ("property", "og:description", first),
        ("property", "og:type", "article"),
        ("property", "og:site_name", project),
    ):
        context["metatags"] += f'<meta {kind}="{name}" content="{html.escape(text)}" />\n'


def setup(app: Any) -> None:
    app.connect("html-page-context", preview)
    app.connect("doctree-read", keep_out_of_search)
