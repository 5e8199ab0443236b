#!/usr/bin/env python3
"""Drawn kernels whose answers are kept: writes texts for tests/unit/verifier/drawn_test.cpp.

    keep.py FENCEPOST FOLDER [--seed N] [--count N] [--prover KERNEL_PROVER]

A kernel is kept if the answer is held by the oracle (oracle.py): verified where the oracle sees nothing, and a race where it
sees one, or not decided. Of each language and each of these as many as there are, and no feature more often than the others
where that can be. FENCEPOST_PROMOTE=1 build/release/tests/test_verifier --gtest_filter='Drawn.*' writes the answers beside.
"""
import argparse
import os
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import draw  # noqa: E402
import hold  # noqa: E402
import oracle  # noqa: E402

LINES = 45  # of a kernel, at most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fencepost")
    parser.add_argument("folder")
    parser.add_argument("--prover", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    a = parser.parse_args()
    hold.worker(a.prover)
    kept, of_kind, of_feature = {"cl": [], "cu": []}, Counter(), Counter()
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        while sum(map(len, kept.values())) < a.count and number < 40 * a.count:
            number += 1
            seed = a.seed * 1000000 + number
            kernel = draw.draw(seed)
            rng = draw.random.Random(seed)
            language, total = kernel.language, sum(map(len, kept.values())) + 1
            text = kernel.kernel_text(language)
            if 2 * len(kept[language]) > a.count or text.count("\n") > LINES:
                continue
            if total > 40 and all(of_feature[f] > 1.3 * sum(of_feature.values()) / len(of_feature) for f in kernel.features):
                continue
            benign = rng.random() < 0.7
            any_size = rng.random() < 0.3 and not kernel.uses_rows and kernel.local < 32
            options = hold.launch_words(kernel, any_size) + ([] if benign else ["--no-benign-tolerance"])
            path = os.path.join(folder, "k." + language)
            answer = hold.Answer(*hold.ask(a.fencepost, kernel, path, [*options, "--no-attack", "--timeout=5"]))
            kind = {0: "verified", 1: "race", 3: "not decided"}.get(answer.code)
            if kind is None or of_kind[kind] > total * {"verified": 0.5, "race": 0.4, "not decided": 0.1}[kind] + 3:
                continue
            if "gave" in answer.text:
                continue
            truth = oracle.truth(kernel, seed, hold.RUNS, benign)[0]
            if (kind == "verified") != (truth == "none") and kind != "not decided":
                continue
            of_kind[kind] += 1
            of_feature.update(kernel.features)
            kept[language].append(f"// ---- {seed} {' '.join(options)}\n{text}")
    os.makedirs(a.folder, exist_ok=True)
    for language, texts in kept.items():
        with open(os.path.join(a.folder, "drawn." + language), "w", encoding="utf-8") as f:
            f.write("\n".join(texts))
    print(f"{sum(map(len, kept.values()))} of {number} drawn: " + ", ".join(f"{n} {k}" for k, n in of_kind.most_common()))
    print(", ".join(f"{n} {f}" for f, n in of_feature.most_common()))


if __name__ == "__main__":
    main()
