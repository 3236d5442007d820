"""docs/figures.md from the claims."""

import pathlib
import string


def cell(text):
    return text.replace("|", "\\|")


def table(claims):
    rows = ["| claim | expected | measured | |", "|---|---|---|---|"]
    for claim in claims:
        unit = f" {claim.unit}" if claim.unit else ""
        note = f" ({claim.note})" if claim.note else ""
        found = f"{claim.measured}{unit}" + (f", farthest of {claim.count}" if claim.count != "1" else "")
        verdict = "pass" if claim.met else "**fail**"
        rows.append(f"| {cell(claim.text + note)} | {claim.expected}{unit} | {found} | {verdict} |")
    return "\n".join(rows)


def section(figure, claims):
    picture = f"![{figure.TITLE}](images/figures/{figure.NAME}.png)"
    return f"### {figure.TITLE}\n\n{picture}\n\n{figure.CAPTION}\n\n{table(claims)}"


def summary(figures, claims):
    rows = ["| figure | claims met |", "|---|---|"]
    for figure in figures:
        verdicts = [claim.met for claim in claims if claim.figure == figure.NAME]
        rows.append(f"| {figure.TITLE} | {sum(verdicts)} of {len(verdicts)} |")
    return "\n".join(rows)


def chapter(figures, claims, year):
    shown = [figure for figure in figures if figure.NAME.startswith(year)]
    return "\n\n".join(section(figure, [c for c in claims if c.figure == figure.NAME]) for figure in shown)


def text(figures, claims):
    fields = {f"paper_{year}": chapter(figures, claims, year) for year in ("2021", "2005")}
    fields |= {"met": sum(claim.met for claim in claims), "all": len(claims), "summary": summary(figures, claims)}
    template = (pathlib.Path(__file__).parent / "page.md.in").read_text()
    return string.Template(template).substitute(fields)
