"""One mask at work in the open model: the run without it, the run with it, one head of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis.masking import Kept, kept, moved
from attention.engine.masks import And, Cells, Keys, MaskRule, dense
from attention.engine.settings import Settings
from attention.engine.trace import AttentionTrace
from attention.figures.labels import numbered
from attention.run import Run
from attention.sites import Site, SiteRun
from attention.ui import cache
from attention.ui.arrays import fixed
from attention.ui.chips import label
from attention.ui.fitting import fit as fit_view
from attention.ui.fitting import rooms
from attention.ui.mask_text import tidy
from attention.ui.masks.choices import MaskChoices, fit
from attention.ui.scene import asked
from attention.ui.view import ViewState

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class MaskScene:
    """Everything the page shows of one mask.

    Attributes:
        view: The reader's choices of sentence, model, layer and head, without what there is not.
        choices: The reader's choices of a mask, likewise.
        site: Whose attention is masked: the encoder's, where there is one.
        view_told: What had to be taken out of the view, a sentence each.
        told: What had to be taken out of the choices.
        untouched: The run under the model's own mask, without padding.
        run: The run under the mask.
        rule: The mask in force, padding included.
        before: The head's scaled scores, [query key].
        masked: The same with −∞ where the mask blocks.
        weights: Their softmax.
        allowed: Who may attend to whom.
        moved: How far each real token's final vector moved, 1 − cos.
        kept: The open cells, counted.
    """

    view: ViewState
    choices: MaskChoices
    site: Site
    view_told: tuple[str, ...]
    told: tuple[str, ...]
    untouched: Run
    run: Run
    rule: MaskRule
    before: Floats
    masked: Floats
    weights: Floats
    allowed: NDArray[np.bool_]
    moved: Floats
    kept: Kept

    @property
    def names(self) -> tuple[str, ...]:
        """The tokens as axes and sentences name them; one that occurs twice carries its position."""
        return numbered([label(token) for token in self.run.tokens])

    @property
    def query(self) -> int | None:
        """The row in focus: the one last clicked, else the one in focus elsewhere."""
        if self.choices.query is not None:
            return self.choices.query
        return self.view.query

    @property
    def in_explore(self) -> ViewState | None:
        """The same sentence under the same mask, as Explore shows it; None where that would be another.

        Explore hides padding from every query, so that a cell of it opened by hand would be blocked again.
        """
        if self.allowed[:, self.untouched.n_real :].any():
            return None
        plain, n = self.view.put_back(), len(self.run.tokens)
        rule = self.run.settings.mask if self.choices.flipped else self.choices.rule(n)
        rules = (rule.left, rule.right) if isinstance(rule, And) else (rule,)
        pad = n if n > self.untouched.n_real else None
        return replace(plain, site=self.site, mask=tidy(rules), pad=pad)

    @property
    def sees_ahead(self) -> bool:
        """Whether the mask opens later tokens that the model's own mask blocks: a what if."""
        return any(bool(np.triu(self.allowed & ~own, 1).any()) for own in self._own)

    @property
    def cuts(self) -> bool:
        """Whether the mask blocks a cell between real tokens that the model's own mask leaves open."""
        n = self.untouched.n_real
        return any(bool((own & ~self.allowed)[:n, :n].any()) for own in self._own)

    @property
    def _own(self) -> tuple[NDArray[np.bool_], ...]:
        """The model's own masks: layers may differ in theirs."""
        layers = self.run.model.transformer.stack.layers
        rules = dict.fromkeys(layer.attention.config.own_mask for layer in layers)
        return tuple(dense(rule, len(self.allowed)).numpy() for rule in rules)


def mask_scene(view: ViewState, choices: MaskChoices) -> MaskScene:
    """Work out one mask.

    Raises:
        AttentionError: The text, or a number of the mask, is one the model cannot take.
    """
    # What Explore has changed about the attention stays there: here the mask is the only change.
    plain = asked(replace(view.put_back(), site="self"))
    whole = cache.run(plain)
    site = SiteRun(whole, "self" if whole.encoder is None else "encoder")  # what reads the sentence
    fitted, view_told = fit_view(replace(view.put_back(), site=site.site), rooms(whole))
    untouched = site.stack
    possible, pad_told = _fit_padding(choices, untouched)
    n_pad = possible.pad if possible.chosen.padded else 0
    n = untouched.n_real + n_pad
    chosen, told = fit(possible, n, untouched.n_real)
    rule, by_hand = _rule(chosen, n, untouched.n_real)
    settings = _at_site(Settings(mask=rule, padding=not by_hand), site.site)
    changed = cache.run(replace(plain, pad=n if n_pad else None, settings=settings))
    run = SiteRun(changed, site.site).stack
    trace = run.attention(fitted.layer)
    return MaskScene(
        view=replace(view, layer=fitted.layer, head=fitted.head, query=fitted.query),
        choices=chosen,
        site=site.site,
        view_told=view_told,
        told=(*pad_told, *told),
        untouched=untouched,
        run=run,
        rule=trace.mask_rule,
        moved=fixed(moved(run, untouched).clamp(min=0).numpy()),
        kept=kept(trace.mask),
        **_arrays(trace, fitted.head),
    )


def thumbnail(choices: MaskChoices, n_real: int) -> NDArray[np.bool_]:
    """A mask of the gallery over the first tokens of the sentence, as a picture of the gallery shows it."""
    few = min(n_real, MOST_IN_PICTURE)
    n = few + (choices.pad if choices.chosen.padded else 0)
    rule = _rule(fit(choices, n, few)[0], n, few)[0]
    allowed: NDArray[np.bool_] = fixed(dense(rule & Keys(range(few, n)), n).numpy())
    return allowed


MOST_IN_PICTURE = 24


def _arrays(trace: AttentionTrace, head: int) -> dict[str, Any]:
    one = trace.head(head)
    return {
        "before": fixed(one.biased[0].numpy()),
        "masked": fixed(one.masked[0].numpy()),
        "weights": fixed(one.weights[0].numpy()),
        "allowed": fixed(one.mask.numpy()),
    }


def _fit_padding(choices: MaskChoices, untouched: Run) -> tuple[MaskChoices, tuple[str, ...]]:
    """The choices without padding that the model cannot take, and why it cannot."""
    model, n_real = untouched.model, untouched.n_real
    most = model.config.n_positions
    if not choices.chosen.padded or (model.pad_id is not None and n_real + choices.pad <= most):
        return choices, ()
    unpadded = replace(choices, pattern="causal" if choices.chosen.causal else "full")
    if model.pad_id is None:
        return unpadded, (f"{model.name} has no padding token: nothing was padded.",)
    return unpadded, (f"{n_real} tokens and {choices.pad} of padding are more than {model.name}'s {most}.",)


def _rule(choices: MaskChoices, n: int, n_real: int) -> tuple[MaskRule, bool]:
    """The rule, and whether cells were changed by hand, in which case it says all there is to say."""
    rule = choices.rule(n)
    if not choices.flipped:
        return rule, False
    allowed = dense(rule & Keys(range(n_real, n)), n)
    for cell in choices.flipped:
        allowed[cell] = ~allowed[cell]
    return Cells((query, key) for query, key in (~allowed).nonzero().tolist()), True


def _at_site(settings: Settings, site: Site) -> Settings:
    return Settings(encoder=settings) if site == "encoder" else settings
