# How Sphinx makes the book of the Markdown that book.py wrote. Nothing in it is fetched from elsewhere, by builder or reader.
# SPDX-License-Identifier: Apache-2.0
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

project = "Colex"
author = "the authors of Colex"
html_title = "The book of Colex"
extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # laws.md goes from ## to ####
highlight_language = "none"
pygments_style = "friendly"
smartquotes = False
html_theme = "furo"
html_static_path = [str(HERE / "static")]
html_css_files = ["pictures.css", "book.css"]
html_js_files = ["book.js"]
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch each page found, which a page from a file may not
html_theme_options = {"navigation_with_keys": True}


# What who hears a page needs, and the theme leaves out.
HEARD = {
    'role="heading"': 'role="heading" aria-level="2"',
    '<aside class="sidebar-drawer"': '<aside class="sidebar-drawer" aria-label="Parts of the book"',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<div id="search-results">': '<h1>Search</h1>\n<div id="search-results">',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
}


def mend(app, error):
    for name in app.builder.env.found_docs | {"search"} if not error else ():
        page = pathlib.Path(app.outdir, f"{name}.html")
        text = page.read_text(encoding="utf-8")
        for plain, heard in HEARD.items():
            text = text.replace(plain, heard)
        page.write_text(text, encoding="utf-8")


def setup(app):
    app.config.html_static_path.append(str(pathlib.Path(app.srcdir) / "static"))  # the pictures' style sheet
    app.connect("build-finished", mend)
