"""The one table of mistakes, by the case that must catch them."""

from tests.families import decoders, encoders, translators
from tests.mutants import gemma, gpt, kin, shared
from tests.mutants import translators as across
from tests.mutants.seeding import Mutant

MUTANTS = {
    encoders.BERT: shared.BERT,
    encoders.ROBERTA: shared.ROBERTA,
    encoders.DISTILBERT: shared.DISTILBERT,
    decoders.GPT2: gpt.GPT2,
    decoders.GPT_NEOX: gpt.GPT_NEOX,
    decoders.GPT_NEOX_SEQUENTIAL: gpt.GPT_NEOX_SEQUENTIAL,
    decoders.LLAMA: kin.LLAMA,
    decoders.LLAMA3: kin.LLAMA3,
    decoders.MISTRAL: kin.MISTRAL,
    decoders.QWEN2: kin.QWEN2,
    decoders.QWEN3: kin.QWEN3,
    decoders.GEMMA2: gemma.GEMMA2,
    decoders.GEMMA3: gemma.GEMMA3,
    translators.T5: across.T5,
    translators.T5_GATED: across.T5_GATED,
    translators.MARIAN: across.MARIAN,
    translators.MARIAN_APART: across.MARIAN_APART,
}
SEEDED = {
    (case.name, name): (case, mutant if isinstance(mutant, Mutant) else Mutant(mutant))
    for case, mutants in MUTANTS.items()
    for name, mutant in mutants.items()
}
