"""Texts of the package's attributes for the API reference: `live[type](..., doc="...")`, and comments on the same line.

An extension of griffe.
"""

import ast
import io
import tokenize

import griffe


class AttributeDocs(griffe.Extension):
    def on_attribute_instance(self, *, node, attr, **_):
        if said := of_call(node):
            attr.value, attr.labels = None, {"array"}  # readers do not need its declaration
        if attr.docstring is None and (text := said or of_comment(attr)):
            attr.docstring = griffe.Docstring(text, parent=attr, lineno=attr.lineno)


def of_call(node):
    """The text of `doc` in `name = live[type](..., doc="...")` or `readout`."""
    call = getattr(node, "value", None)
    if isinstance(call, ast.Call) and getattr(getattr(call.func, "value", None), "id", "") in ("live", "readout"):
        return next((ast.literal_eval(key.value) for key in call.keywords if key.arg == "doc"), None)
    return None


def of_comment(attr):
    """The comment behind `name: type = value  # comment`."""
    if attr.lineno is None or attr.lineno != attr.endlineno:
        return None
    line = attr.lines_collection[attr.filepath][attr.lineno - 1].strip()
    tokens = tokenize.generate_tokens(io.StringIO(line).readline)
    comment = next((token.string for token in tokens if token.type == tokenize.COMMENT), "").lstrip("# ")
    return None if comment.startswith(("noqa", "type:", "fmt:")) else comment
