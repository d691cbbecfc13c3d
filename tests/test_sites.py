"""One kind of attention of a run: what is asked of it without taking a step is what the steps say."""

import pytest

from attention import InputError
from attention.sites import SITES, SiteRun, every_site
from tests.families import decoders, translators

IDS = [3, 10, 17, 24, 5]


@pytest.mark.parametrize("site", SITES)
def test_sizes_are_those_of_the_steps_at_every_layer_of_an_encoder_decoder(site):
    of = SiteRun(translators.T5.ours().run(IDS, target=[0, 5]), site)
    for layer in range(of.n_layers):
        assert of.config(layer) == of.trace(layer).config
    assert of.trace(0).n_queries == len(of.queries)
    assert of.trace(0).n_keys == len(of.keys)


def test_layers_of_two_reaches_tell_their_own_masks():
    of = SiteRun(decoders.GEMMA2.ours().run(IDS))
    own = [of.config(layer).own_mask for layer in range(of.n_layers)]
    assert own == [of.trace(layer).config.own_mask for layer in range(of.n_layers)]
    assert len(set(own)) == 2


def test_a_model_of_one_stack_has_one_kind():
    run = decoders.LLAMA.ours().run(IDS)
    assert [of.site for of in every_site(run)] == ["self"]
    with pytest.raises(InputError, match="has no attention “cross”; it has: self"):
        SiteRun(run, "cross")
