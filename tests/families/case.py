"""One family's case: a tiny random model of transformers, how to ask it, and how to ask ours the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import torch

from attention.checkpoints.checkpoint import Checkpoint
from attention.engine.masks import Causal, Full, Prefix
from attention.engine.settings import Settings
from attention.model import from_checkpoint
from tests.reference import Layout, record, shaken, widened

MASKS = {"causal": Causal(), "full": Full(), "prefix of three": Prefix(3)}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What both are asked: ids, a second sentence, padding, another mask, other positions, a target."""

    ids: tuple[int, ...] = (3, 17, 5, 9, 9, 28, 4, 8, 11)
    pair: tuple[int, ...] = ()
    pad_to: int | None = None
    mask: str = "own"
    positions: tuple[int, ...] | None = None
    target: tuple[int, ...] | None = None

    @property
    def settings(self):
        mask = {} if self.mask == "own" else {"mask": MASKS[self.mask]}
        return Settings(**mask, positions=self.positions or "own")


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A family and the model it is compared on.

    Attributes:
        name: What to call it in a report.
        make: A fresh model of transformers; no two of its sizes are equal.
        layout: Where the parts of its stack are; of the decoder, where there are two.
        encoder: The same for the encoder.
        asked: What it is asked, by name; the last one takes most of the family into account.
        pad_id: What it is padded with.
        segments: Whether it is told which sentence a token belongs to.
        first_position: The position number of the first token.
    """

    name: str
    make: Callable
    layout: Layout
    asked: Mapping[str, Asked]
    encoder: Layout | None = None
    pad_id: int = 0
    segments: bool = False
    first_position: int = 0
    config: Mapping = field(default_factory=dict)

    @property
    def fullest(self):
        return list(self.asked)[-1]

    def model(self):
        """The model of transformers, every parameter shaken."""
        return _made(self)

    def ours(self, *, tensors=None, dtype=torch.float64, **config):
        """Our model from its tensors; made anew each time, so that a seeded mistake is built in."""
        checkpoint = Checkpoint(
            name=f"tiny-{self.name}",
            revision="random",
            config=self.model().config.to_dict() | {"pad_token_id": self.pad_id, **self.config, **config},
            tensors=dict(self.model().state_dict()) if tensors is None else tensors,
            tokenizer=None,
        )
        return from_checkpoint(checkpoint, dtype=dtype)

    def run(self, name, model=None, **changes):
        """Our run of one of the cases."""
        asked = self.asked[name]
        return (model or self.ours()).run(
            list(asked.ids),
            pair=list(asked.pair) or None,
            pad_to=asked.pad_to,
            target=None if asked.target is None else list(asked.target),
            settings=replace(asked.settings, **changes),
        )

    def theirs(self, name):
        """Their steps on the same, in float64 throughout."""
        return _recorded(self, name)

    def inputs(self, name, dtype=torch.float64):
        """What transformers is asked."""
        asked = self.asked[name]
        real = [*asked.ids, *asked.pair]
        n = asked.pad_to or len(real)
        given = {
            "input_ids": torch.tensor([real + [self.pad_id] * (n - len(real))]),
            "attention_mask": _mask(asked, len(real), n, dtype),
        }
        if self.segments:
            segments = [0] * len(asked.ids) + [1] * len(asked.pair) + [0] * (n - len(real))
            given["token_type_ids"] = torch.tensor([segments])
        if asked.positions is not None:
            given["position_ids"] = torch.tensor([asked.positions]) + self.first_position
        if asked.target is not None:
            given["decoder_input_ids"] = torch.tensor([asked.target])
        return given


def _mask(asked, n_real, n, dtype):
    """Two-dimensional where transformers is to make its own mask of it, else what to add to scores."""
    if asked.mask == "own":
        return torch.tensor([[1] * n_real + [0] * (n - n_real)])
    allowed = (torch.arange(n) < n_real).expand(n, n)
    if asked.mask != "full":
        seen = torch.tril(torch.ones(n, n, dtype=torch.bool))
        seen[:, :3] |= asked.mask == "prefix of three"
        allowed = allowed & seen
    return torch.zeros(1, 1, n, n, dtype=dtype).masked_fill(~allowed, torch.finfo(dtype).min)


@cache
def _made(case):
    with widened():
        torch.manual_seed(0)
        return shaken(case.make())


@cache
def _recorded(case, name):
    with widened():
        return record(case.model(), case.layout, case.encoder, **case.inputs(name))
