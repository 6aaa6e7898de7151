"""Measures rows of one peer and prints each figure as a JSON object in a line (Docs/benchmarks.md says what the fields are).

    python run.py PEER WORK.json FOLDER ROW [ROW ...]

WORK.json is written by roost-bench: how much of each thing to do, and the spendings to do it with. What cannot be measured
is printed as an object with "failed"; the exit status is 0 all the same.
"""

import importlib
import json
import pathlib
import signal
import sys

from work import Work

SECONDS_MAX = 240


def stop(*_):
    raise TimeoutError(f"took longer than {SECONDS_MAX} s")


def main(peer, work, folder, rows):
    signal.signal(signal.SIGALRM, stop)
    for row in rows:
        def say(**figure):
            print(json.dumps({"peer": peer, "row": row} | figure), flush=True)

        signal.alarm(SECONDS_MAX)
        try:
            place = pathlib.Path(folder, f"{peer}-{row}")
            place.mkdir(parents=True)
            module = importlib.import_module(f"{peer}_peer")
            module.ROWS[row](Work(work), place, say)
        except Exception as error:  # Whatever a peer does, the others are measured.
            say(failed=f"{type(error).__name__}: {error}"[:300])
        finally:
            signal.alarm(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
