#!/usr/bin/env python3
"""digests.py BRUTE_FORCE TABLE: the lists behind docs/results/progress-synthesis.csv have the counts and digests it gives.

Rows without a digest, and the large ones unless --all is given, are passed over.
"""
import csv
import hashlib
import subprocess
import sys

LARGE = 20000


def main():
    program, table = sys.argv[1:3]
    everything = "--all" in sys.argv
    checked, faults = 0, 0
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if not row["sha256_canonical"] or (int(row["labelled"]) > LARGE and not everything):
            continue
        for symmetry, count, digest in (("locations", "canonical", "sha256_canonical"), ("none", "labelled", "sha256_labelled")):
            command = [program, "--list", row["threads"], row["instructions"], row["locations"], row["values"], row["stores"], symmetry]
            lines = sorted(subprocess.run(command, check=True, capture_output=True).stdout.splitlines())
            found = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
            checked += 1
            if len(lines) != int(row[count]) or len(set(lines)) != len(lines) or found != row[digest]:
                faults += 1
                print(f"{' '.join(command[2:])}: {len(lines)} tests, {found}; the table says {row[count]}, {row[digest]}")
    print(f"{checked} lists, {faults} fault(s)")
    return 1 if faults or checked < 10 else 0


sys.exit(main())
