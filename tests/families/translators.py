"""Encoder–decoders: T5 and Marian."""

import torch
from transformers import MarianConfig, MarianMTModel, T5Config, T5ForConditionalGeneration

from tests.families.case import Asked, Case
from tests.reference import Layout

SOURCE = (3, 17, 5, 9, 9, 28, 4)
ASKED = {
    "one to one": Asked(ids=(7,), target=(30,)),
    "one to many": Asked(ids=(7,), target=(30, 5, 12, 8, 8)),
    "many to one": Asked(ids=SOURCE, target=(30,)),
    "longer target": Asked(ids=SOURCE, target=(30, 5, 12, 8, 8, 2, 19, 4, 4, 1, 6)),
    "long": Asked(
        ids=tuple(3 + 7 * i % 26 for i in range(29)), target=tuple(3 + 5 * i % 26 for i in range(31))
    ),
    "plain": Asked(ids=SOURCE, target=(30, 5, 12, 8, 8)),
    "padded": Asked(ids=SOURCE, target=(30, 5, 12, 8, 8), pad_to=11),
}


def _t5(**choices):
    # 8 buckets reach 9 places, so that the long case passes the last bucket on both sides
    sizes = dict(d_model=15, d_kv=4, num_heads=3, d_ff=22, num_layers=2, num_decoder_layers=6, vocab_size=31)
    reach = dict(relative_attention_num_buckets=8, relative_attention_max_distance=9)
    return T5ForConditionalGeneration(T5Config(**sizes, **reach, decoder_start_token_id=0, **choices))


def _untied(model):
    """With an output matrix of its own, as transformers has it after loading one that differs."""
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    return model


_T5_ENCODER = Layout(
    layers=lambda model: model.encoder.block,
    attention=lambda block: block.layer[0].SelfAttention,
    output=lambda block: block.layer[0].SelfAttention.o,
    mid=lambda block: block.layer[1],
    final=lambda model: model.encoder.final_layer_norm,
    projected=lambda block: (block.layer[0].SelfAttention.q, block.layer[0].SelfAttention.k),
)
_T5_DECODER = Layout(
    layers=lambda model: model.decoder.block,
    attention=lambda block: block.layer[0].SelfAttention,
    output=lambda block: block.layer[0].SelfAttention.o,
    mid=lambda block: block.layer[1],
    cross=lambda block: block.layer[1].EncDecAttention,
    cross_output=lambda block: block.layer[1].EncDecAttention.o,
    crossed=lambda block: block.layer[2],
    final=lambda model: model.decoder.final_layer_norm,
)
T5 = Case(name="t5", make=_t5, layout=_T5_DECODER, encoder=_T5_ENCODER, asked=ASKED)
T5_GATED = Case(
    name="t5 1.1, gated and untied",
    make=lambda: _untied(_t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False)),
    layout=_T5_DECODER,
    encoder=_T5_ENCODER,
    asked=ASKED,
)


def _marian(**choices):
    # heads of 5 in the encoder and of 3 in the decoder; 15 is odd, so the table has one more sine
    sizes = dict(encoder_layers=4, decoder_layers=6, encoder_attention_heads=3, decoder_attention_heads=5)
    widths = dict(
        d_model=15, encoder_ffn_dim=22, decoder_ffn_dim=26, vocab_size=31, max_position_embeddings=40
    )
    ids = dict(pad_token_id=30, eos_token_id=0, decoder_start_token_id=30, bad_words_ids=[[30]])
    return MarianMTModel(MarianConfig(**sizes, **widths, **ids, **choices))


_MARIAN_ENCODER = Layout(
    layers=lambda model: model.model.encoder.layers,
    output=lambda layer: layer.self_attn.out_proj,
    mid=lambda layer: layer.fc1,
    final=lambda model: model.model.encoder.layers[-1],
)
_MARIAN_DECODER = Layout(
    layers=lambda model: model.model.decoder.layers,
    output=lambda layer: layer.self_attn.out_proj,
    mid=lambda layer: layer.encoder_attn,
    cross=lambda layer: layer.encoder_attn,
    cross_output=lambda layer: layer.encoder_attn.out_proj,
    crossed=lambda layer: layer.fc1,
    final=lambda model: model.model.decoder.layers[-1],
)
MARIAN = Case(
    name="marian",
    make=lambda: _marian(scale_embedding=True, activation_function="swish"),
    layout=_MARIAN_DECODER,
    encoder=_MARIAN_ENCODER,
    asked=ASKED,
    pad_id=30,
)
MARIAN_APART = Case(
    name="marian with two vocabularies",
    make=lambda: _marian(
        activation_function="relu",
        share_encoder_decoder_embeddings=False,
        decoder_vocab_size=33,
        tie_word_embeddings=False,
    ),
    layout=_MARIAN_DECODER,
    encoder=_MARIAN_ENCODER,
    asked=ASKED,
    pad_id=30,
)
