"""BERT and its near relatives: bidirectional, post-norm, learned positions."""

from dataclasses import replace

from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel, RobertaConfig, RobertaModel

from tests.families.case import Asked, Case
from tests.reference import Layout

PAIR = (11, 4, 3, 30)
ORDER = (6, 0, 3, 8, 1, 7, 2, 5, 4)
SINGLE = {
    "plain": Asked(),
    "one token": Asked(ids=(7,)),
    "padded": Asked(pad_to=14),
    "causal": Asked(mask="causal"),
    "positions permuted": Asked(positions=ORDER),
    "padded and causal": Asked(pad_to=14, mask="causal"),
}
PAIRED = SINGLE | {
    "pair": Asked(pair=PAIR),
    "pair, padded and causal": Asked(pair=PAIR, pad_to=17, mask="causal"),
}

_LAYOUT = Layout(
    layers=lambda model: model.encoder.layer,
    attention=lambda layer: layer.attention.self,
    output=lambda layer: layer.attention.output.dense,
    mid=lambda layer: layer.intermediate,
    final=lambda model: model.encoder.layer[-1],
)
# 3 heads of 5, 15, 22, 31 words, 37 positions, 4 layers, 2 segments
_SIZES = dict(hidden_size=15, num_attention_heads=3, num_hidden_layers=4, intermediate_size=22, vocab_size=31)

BERT = Case(
    name="bert",
    make=lambda: BertModel(BertConfig(**_SIZES, max_position_embeddings=37, pad_token_id=0)),
    layout=_LAYOUT,
    asked=PAIRED,
    segments=True,
)
# Ids of padding inside the text take no position of their own.
ROBERTA = Case(
    name="roberta",
    make=lambda: RobertaModel(RobertaConfig(**_SIZES, max_position_embeddings=37, layer_norm_eps=1e-5)),
    layout=_LAYOUT,
    asked={"padding inside": Asked(ids=(5, 1, 9, 1, 1, 12, 7)), **PAIRED},
    pad_id=1,
    segments=True,
    first_position=2,
)
DISTILBERT = Case(
    name="distilbert",
    make=lambda: DistilBertModel(
        DistilBertConfig(
            dim=15, n_heads=3, n_layers=4, hidden_dim=22, vocab_size=31, max_position_embeddings=37
        )
    ),
    layout=replace(
        _LAYOUT,
        layers=lambda model: model.transformer.layer,
        attention=lambda layer: layer.attention,
        output=lambda layer: layer.attention.out_lin,
        mid=lambda layer: layer.ffn,
        final=lambda model: model.transformer.layer[-1],
    ),
    asked=SINGLE,
)
