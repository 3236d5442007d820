"""Links that work in the repository also work on the site: scenes become pages, other files plain names.

A hook of mkdocs. `scenes/NAME/README.md` is shown as the page `scenes/NAME.md` of the site, and a link to it leads there; a link to a
notebook leads to its page; a link to any other file outside of docs/ is shown as its text alone.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?!\w+:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
SCENE = re.compile(r"scenes/(\w+)/README\.md")


def page_of(path):
    """The place in the site of a file of the repository; None if it has none."""
    if scene := SCENE.fullmatch(path):
        return f"scenes/{scene[1]}.md"
    if not path.startswith("docs/"):
        return None
    return re.sub(r"\.ipynb$", ".md", path.removeprefix("docs/"))


def relinked(markdown, source, page):
    """The text of `source` (from the root of the repository) with links that hold at `page` (from the root of the site)."""
    code = []

    def lead(link):
        text = LINK.sub(lead, link["text"])
        target = page_of(posixpath.normpath(posixpath.join(posixpath.dirname(source), link["path"])))
        if target is None:
            return text
        return f"{link['image']}[{text}]({posixpath.relpath(target, posixpath.dirname(page) or '.')}{link['anchor'] or ''})"

    def keep(block):
        code.append(block[0])
        return f"\0{len(code) - 1}\0"

    without_code = FENCE.sub(keep, markdown)
    linked = LINK.sub(lead, without_code)
    return re.sub(r"\0(\d+)\0", lambda block: code[int(block[1])], linked)


def decisions():
    """A list of all decisions by title."""
    files = sorted((ROOT / "docs/adr").glob("0*.md"))
    return "\n".join(f"- [{file.read_text().splitlines()[0].lstrip('# ')}]({file.name})" for file in files)


def on_files(files, config):
    for readme in sorted((ROOT / "scenes").glob("*/README.md")):
        source = readme.relative_to(ROOT).as_posix()
        page = page_of(source)
        files.append(File.generated(config, page, content=relinked(readme.read_text(), source, page)))
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.generated_by is not None:
        return markdown
    if page.file.src_uri == "adr/README.md":
        markdown += "\n" + decisions() + "\n"
    return relinked(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)
