"""What a decoder is given to have written, and what it writes itself."""

import pytest
import tokenizers
import torch

from attention import InputError, Settings
from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.tokens import Tokenizer
from attention.model import from_checkpoint
from tests.families.parity import close
from tests.families.translators import MARIAN, T5
from tests.reference import widened

SOURCE, TARGET = [3, 17, 5, 9, 9, 28, 4], [30, 5, 12, 8, 8]
BOTH = pytest.mark.parametrize("case", [T5, MARIAN], ids=lambda case: case.name)


def written(case, ids, **choices):
    """What transformers writes, without a cache: its cache counts a T5's layers by those of the encoder."""
    with widened():
        ids = case.model().generate(**ids, **choices, do_sample=False, num_beams=1, use_cache=False)
    return ids[0].tolist()


@BOTH
def test_what_it_writes_is_what_transformers_writes(case):
    """Over several sources, every other one padded; some texts stop by themselves and some do not."""
    said = dict(
        bad_words_ids=[[case.pad_id], [3]],
        decoder_start_token_id=case.pad_id,
        eos_token_id=[2, 6, 16],
        forced_eos_token_id=None,
    )
    model, lengths = case.ours(**said), set()
    for seed in range(4):
        n_pads = 3 * (seed % 2)
        ids = torch.randint(1, 30, (1, 7), generator=torch.Generator().manual_seed(seed))
        padded = torch.nn.functional.pad(ids, (0, n_pads), value=case.pad_id)
        given = dict(input_ids=padded, attention_mask=torch.tensor([[1] * 7 + [0] * n_pads]))
        theirs = written(case, given, **said, max_new_tokens=4)
        ours = model.run(ids[0].tolist(), max_target=4, pad_to=7 + n_pads)
        assert [token.id for token in ours.tokens] == theirs
        lengths.add(len(theirs))
    assert max(lengths) == 5
    assert min(lengths) < 5


def test_writing_goes_on_where_the_start_token_is_a_stop_token():
    model = MARIAN.ours(eos_token_id=[30, 29])
    assert len(model.run(SOURCE, max_target=4).tokens) > 1


@BOTH
def test_a_written_run_is_the_run_over_what_was_written(case):
    written = case.ours().run(SOURCE, max_target=6)
    again = case.ours().run(SOURCE, target=[token.id for token in written.tokens])
    close(written.final, again.final, 1e-12, "final")
    logits = again.logits[:-1].clone()
    logits[:, [case.pad_id]] = -torch.inf if case is MARIAN else logits[:, [case.pad_id]]
    assert logits.argmax(-1).tolist() == [token.id for token in written.tokens[1:]]


def test_writing_goes_under_the_settings():
    model = T5.ours()
    settings = Settings(cross=Settings(heads_off={(layer, head) for layer in range(6) for head in range(3)}))
    blind = [model.run(source, max_target=6, settings=settings).tokens for source in (SOURCE, [9, 8])]
    assert blind[0] == blind[1]
    assert blind[0] != model.run(SOURCE, max_target=6).tokens


def test_no_more_is_written_than_there_are_positions():
    run = MARIAN.ours(eos_token_id=None, max_position_embeddings=11).run([3, 17], max_target=50)
    assert len(run.tokens) == 11


def words(*names):
    raw = tokenizers.Tokenizer(tokenizers.models.WordLevel({name: id for id, name in enumerate(names)}))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    raw.add_special_tokens(["</s>", "<pad>"])
    raw.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", raw.token_to_id("</s>"))]
    )
    return Tokenizer(raw)


def speaking(**tokenizers):
    case = MARIAN
    config = case.model().config.to_dict() | dict(decoder_start_token_id=30)
    tensors = dict(case.model().state_dict())
    checkpoint = Checkpoint(name="m", revision="r", config=config, tensors=tensors, **tokenizers)
    return from_checkpoint(checkpoint, dtype=torch.float64)


ENGLISH = words("</s>", "one", "two", *(f"e{i}" for i in range(27)), "<pad>")
FRENCH = words("</s>", "un", "deux", *(f"f{i}" for i in range(27)), "<pad>")


def test_a_text_as_target_gets_its_start_token():
    model = speaking(tokenizer=ENGLISH)
    run = model.run("one two two", target="two one")
    assert [token.text for token in run.encoder.tokens] == ["one", "two", "two", "</s>"]
    assert [token.text for token in run.tokens] == ["<pad>", "two", "one", "</s>"]
    assert run.tokens[0].special
    assert [token.id for token in model.run("one", target="two", special_tokens=False).tokens] == [30, 2]
    assert [token.id for token in model.run("one", target=[2, 1]).tokens] == [2, 1]


def test_the_target_has_a_tokenizer_of_its_own_where_there_is_one():
    model = speaking(tokenizer=ENGLISH, target_tokenizer=FRENCH)
    run = model.run("one two", target="deux un")
    assert [token.text for token in run.tokens] == ["<pad>", "deux", "un", "</s>"]
    assert model.run("one two", target=[30, 1]).tokens[1].text == "un"
    assert all(token.text[0] in "f<ud" for token in model.run("one two", max_target=3).tokens)


def test_writing_can_be_stopped():
    class StoppedError(Exception):
        pass

    def stop(done, _):
        if done == 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        MARIAN.ours().run(SOURCE, on_layer=stop)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (dict(target="un"), "came without a tokenizer"),
        (dict(target=[31]), r"Token id 31 is not in the vocabulary \(0–30\)"),
        (dict(target=[]), "no token"),
        (dict(target=[1] * 41), "41 tokens; tiny-marian takes at most 40"),
        (dict(max_target=0), "max_target must be 1 or more"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(asked, message):
    with pytest.raises(InputError, match=message):
        MARIAN.ours().run(SOURCE, **asked)


def test_a_written_text_has_no_length_to_permute():
    with pytest.raises(InputError, match="permuted only where the target is given"):
        MARIAN.ours().run(SOURCE, settings=Settings(positions=range(5)))


def test_heads_that_are_not_there_are_refused_before_anything_is_written():
    with pytest.raises(InputError, match="no head 9"):
        MARIAN.ours().run(
            SOURCE, settings=Settings(heads_off={(0, 9)}), on_layer=lambda *_: pytest.fail("ran")
        )


def test_a_model_that_does_not_say_where_to_begin_wants_its_target_as_ids():
    model = T5.ours(decoder_start_token_id=None)
    with pytest.raises(InputError, match="decoder_start_token_id"):
        model.run(SOURCE)
    assert len(model.run(SOURCE, target=TARGET).tokens) == 5
