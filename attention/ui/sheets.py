"""Sheets of heads drawn otherwise than as they come, shared by all sessions and both pages that show them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import streamlit as st

from attention.analysis.words import groups
from attention.checkpoints.fetch import Progress
from attention.sites import Site, SiteRun
from attention.ui import cache
from attention.ui.asked import Asked
from attention.ui.components.head_sheet import side_for
from attention.ui.loading import Loading, Loadings
from attention.ui.overview import PLAIN, Drawn, OnLayer, Sheet, make_sheet
from attention.ui.stores import Store
from attention.ui.turns import TURNS
from attention.ui.view import ViewState
from attention.ui.waiting import LAYERS, in_layers

SHEET_BYTES = 32 * 2**20

Key: TypeAlias = tuple[Asked, Site, Drawn]


class _Stores:
    def __init__(self) -> None:
        self.sheets = Store[Key, Sheet](
            SHEET_BYTES, lambda kept: kept.shades.nbytes, model=lambda key: key[0].model
        )
        self.glances = Loadings[Sheet]()

    def make(self, key: Key, of: SiteRun, on_layer: OnLayer | None) -> Sheet:
        """A sheet, made once; long texts take turns."""
        n_tokens = max(len(of.queries), len(of.keys))

        def once() -> Sheet:
            with TURNS.turn(n_tokens):
                return make_sheet(of, key[2], on_layer)

        return self.sheets.once(key, once)


@st.cache_resource(show_spinner=False)
def _stores() -> _Stores:
    return _Stores()


def drawn(of: SiteRun, view: ViewState) -> Drawn:
    """How the reader wants a sheet, without what makes no difference to this text."""
    wanted = Drawn(words=view.words and _in_pieces(of), shade=view.sheet_shade)
    return replace(wanted, pool=view.sheet_pool) if in_blocks(of, words=wanted.words) else wanted


def _in_pieces(of: SiteRun) -> bool:
    return any(len(groups(tokens)) < len(tokens) for tokens in (of.queries, of.keys))


def in_blocks(of: SiteRun, *, words: bool) -> bool:
    """Whether a square has fewer cells than its head."""
    side = side_for(of.n_layers * of.n_heads)
    tokens = max(len(of.queries), len(of.keys))
    return tokens > side and (not words or max(len(groups(of.queries)), len(groups(of.keys))) > side)


def sheet(asked: Asked, site: Site, how: Drawn, on_layer: OnLayer | None = None) -> Sheet:
    """All heads as the reader wants them drawn; made once. The plain one may be the overview's."""
    found = found_sheet(asked, site, how)
    return found or _stores().make((asked, site, how), SiteRun(cache.run(asked), site), on_layer)


def found_sheet(asked: Asked, site: Site, how: Drawn) -> Sheet | None:
    """A sheet that is kept; None where it would have to be made."""
    overview = cache.found_overview(asked, site) if how == PLAIN else None
    return overview or _stores().sheets.find((asked, site, how))


def begin_sheet(asked: Asked, site: Site, how: Drawn) -> Loading[Sheet]:
    """A sheet on its way, in a thread of its own; whoever asks meanwhile watches the same one."""
    stores, key, of = _stores(), (asked, site, how), SiteRun(cache.run(asked), site)

    def make(report: Progress) -> Sheet:  # in a thread without a session: no Streamlit in here
        with in_layers(report, of.n_layers) as on_layer:
            return stores.make(key, of, on_layer)

    return stores.glances.join(key, LAYERS, make)
