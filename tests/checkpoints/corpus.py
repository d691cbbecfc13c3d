"""Texts to train tokenizers on, and texts that trip them."""

import io
import random

import sentencepiece

CORPUS = [
    "The bank approved the loan of 1,250 euros in 2024; we sat beside the river bank.",
    "Don't stop now, I'LL say: it's 3.14159 and they've read naïve cafés, déjà vu.",
    "for i in range(10):\n        print(i)\n\n\treturn x == y_z\r\n",
    "שלום means peace, and مرحبا means welcome. 東京 日本語 😀 🏳️‍🌈",
] * 20

FRENCH = [
    "La banque a approuvé le prêt de 1 250 euros en 2024.",
    "Nous étions assis au bord de la rivière, naïfs comme des chats 😀.",
] * 20

# What tokenizers are usually tripped by: digits, newlines, emoji, right-to-left text, pieces of characters.
PIECES = [
    *("The", " bank", "\n", "\t", "  ", " ", "1", "23", " 4567", "😀", "🏳️‍🌈", "שלום", " مرحبا", "日本", "é"),
    *("e\u0301", "don't", " I'LL", "'s", "<b>", "&amp;", "$x$", "\u200d", "_", "..", "==", "\r\n", "ﬁ"),
    *(
        "\u00a0",
        "\u3000",
        "\x00",
        "\x07",
        "\n\n\n",
        "     ",
        "\t\t\t",
        "▁",
        "Ġ",
        "<0x0A>",
        "<|end|>",
        "<tag>",
    ),
]


def texts(n=2000):
    random.seed(11)
    return ["".join(random.choices(PIECES, k=random.randint(1, 9))) for _ in range(n)]


def sentencepieces(path, corpus, vocab_size, **options):
    """A unigram model, written to a file and given back."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus), model_writer=model, vocab_size=vocab_size, model_type="unigram",
        character_coverage=1.0, minloglevel=2, **options,
    )  # fmt: skip
    path.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
