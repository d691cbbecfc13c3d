"""What a file may show of a view, and how each is named in titles, file names and words."""

from dataclasses import dataclass
from typing import TypeAlias

from attention.figures import head_grid, lines_words, lit_sentence, neurons, picture
from attention.figures.head_grid import HeadGrid
from attention.figures.labels import plain_label
from attention.figures.lines import Lines
from attention.figures.lit_sentence import LitSentence
from attention.figures.neurons import Neurons
from attention.figures.picture import Picture
from attention.figures.step_strip import StepStrip


@dataclass(frozen=True, eq=False)
class Table:
    """The weights as numbers. A picture of them, where one is asked for, is the heatmap."""

    picture: Picture


Subject: TypeAlias = Picture | Table | Lines | Neurons | LitSentence | StepStrip | HeadGrid


def heading(subject: Subject) -> str:
    """The end of the title."""
    match subject:
        case Lines():
            return "attention as lines"
        case Neurons():
            return f"“{plain_label(subject.query_token)}” by dimension"
        case LitSentence():
            return lit_sentence.heading(subject)
        case StepStrip():
            return "step by step"
        case HeadGrid():
            return "all heads"
    return "attention weights"


def content(subject: Subject) -> str:
    """The end of a file's name."""
    match subject:
        case Lines():
            return "lines"
        case Neurons():
            return f"neurons-of-query{subject.query_position}"
        case LitSentence():
            return "sentence" if subject.source == "gives" else "received"
        case StepStrip():
            return "step-strip"
        case HeadGrid():
            return head_grid.content(subject)
    return "weights"


def of_one_head(subject: Subject) -> bool:
    """Whether layer and head say what is in the file."""
    return not isinstance(subject, HeadGrid)


def details(subject: Subject) -> dict[str, str]:
    """What one must know to read this picture, beside the facts about the view."""
    match subject:
        case Lines():
            names = ", ".join(strand.name for strand in subject.strands)
            return {"heads drawn": names, "drawn": lines_words.said(subject)}
        case Neurons():
            query = f"{subject.query_token} ({subject.query_position})"
            return {"query": query, "keys shown": neurons.rest_note(subject)}
        case LitSentence():
            return {"query": subject.query_name, "light": lit_sentence.meaning(subject)}
        case StepStrip():
            return {"part shown": str(subject.header["note"])}
        case HeadGrid():
            return {"light": head_grid.meaning(subject), "pooled": head_grid.pooled_note(subject)}
    return {}


def describe(subject: Subject) -> str:
    """The picture in words, for readers who do not see it."""
    match subject:
        case Lines():
            return lines_words.describe(subject)
        case Neurons():
            return neurons.describe(subject)
        case LitSentence():
            return lit_sentence.describe(subject)
        case StepStrip():
            return _steps(subject)
        case HeadGrid():
            return head_grid.describe(subject)
        case Table():
            return picture.describe(subject.picture)
    return picture.describe(subject)


def _steps(strip: StepStrip) -> str:
    header = strip.header
    said = "; ".join(f"{step['name']} {step['value']}".strip() for step in header["steps"])
    query = header["query_labels"][header["query"] - header["first_query"]]
    key = header["key_labels"][header["key"] - header["first_key"]]
    return f"{len(header['steps'])} steps of one head, from {query} to {key}: {said}."
