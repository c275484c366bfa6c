"""The site of the documentation: Sphinx, over the pages that ``tools/docs.py`` lays out."""

import os
from pathlib import Path

import django

django.setup()

project = "lintel"
author = "The lintel developers"
copyright = "the lintel developers"
version = release = os.environ["LINTEL_DOCS_VERSION"]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["project/README.md"]

myst_heading_anchors = 4
myst_enable_extensions = ["tasklist"]
# Commands with their output are in no single language; a test checks the links and anchors.
suppress_warnings = ["misc.highlighting_failure", "autodoc", "ref.python", "myst.xref_missing"]

autodoc_default_options = {"show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"lintel {version}"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["lintel.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "versions.html",
        "sidebar/scroll-end.html",
    ]
}
templates_path = [str(Path(__file__).parent / "templates")]
html_copy_source = False
html_show_sphinx = False
