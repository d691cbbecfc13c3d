"""Folders as they are published, from files to logits, held against transformers."""

import json

import pytest
import torch
from transformers import MarianConfig, MarianMTModel, T5Config, T5ForConditionalGeneration

from attention import load
from tests.checkpoints.corpus import CORPUS, FRENCH, sentencepieces


def save(model, folder, **more):
    torch.manual_seed(9)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:  # Marian's positions are computed
                parameter.normal_(0.0, 0.3)
    model.save_pretrained(folder, **more)
    return model.eval()


def logits(model, run):
    """What transformers makes of the ids that were read and those that were written."""
    read, written = ([[token.id for token in part.tokens]] for part in (run.encoder, run))
    with torch.no_grad():
        return model(input_ids=torch.tensor(read), decoder_input_ids=torch.tensor(written)).logits[0]


def near(found, expected):
    torch.testing.assert_close(found, expected, atol=2e-5 * max(1.0, float(expected.abs().max())), rtol=0)


@pytest.mark.parametrize("shards", ["10GB", "20KB"])
def test_t5_with_its_spiece_model(tmp_path, shards):
    sentencepieces(tmp_path / "spiece.model", CORPUS, 90, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    config = T5Config(
        vocab_size=192, d_model=24, d_kv=5, d_ff=40, num_layers=2, num_heads=3, decoder_start_token_id=0
    )
    theirs = save(T5ForConditionalGeneration(config), tmp_path, max_shard_size=shards)
    assert (tmp_path / "model.safetensors.index.json").exists() == (shards == "20KB")
    run = load(tmp_path).run("The bank <extra_id_0>", target="<extra_id_0> approved")
    assert [token.text for token in run.encoder.tokens][-2:] == ["<extra_id_0>", "</s>"]
    assert [token.id for token in run.tokens][:2] == [0, 189]
    near(run.logits, logits(theirs, run))


def test_marian_with_its_two_sentencepiece_models(tmp_path):
    source = sentencepieces(tmp_path / "source.spm", CORPUS, 90)
    target = sentencepieces(tmp_path / "target.spm", FRENCH, 45)
    pieces = [model.id_to_piece(id) for model in (source, target) for id in range(model.get_piece_size())]
    names = list(dict.fromkeys(["</s>", "<unk>", *pieces, "<pad>"]))
    (tmp_path / "vocab.json").write_text(json.dumps({name: id for id, name in enumerate(names)}))
    config = MarianConfig(
        vocab_size=len(names), d_model=24, encoder_layers=2, decoder_layers=3, encoder_attention_heads=3,
        decoder_attention_heads=4, encoder_ffn_dim=40, decoder_ffn_dim=56, max_position_embeddings=64,
        pad_token_id=len(names) - 1, decoder_start_token_id=len(names) - 1, eos_token_id=0,
    )  # fmt: skip
    theirs = save(MarianMTModel(config), tmp_path)
    model = load(tmp_path)
    run = model.run("The bank approved.", target="La banque")
    assert run.encoder.tokens[-1].text == "</s>"
    assert run.tokens[0].text == "<pad>"
    assert "".join(token.shown for token in run.tokens if not token.special).startswith(" La")
    near(run.logits, logits(theirs, run))
    written = model.run("The bank approved.", max_target=5)
    assert 1 <= len(written.tokens) <= 6
