"""Results of checks, as lines for people or as JSON objects."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Dict, List, TextIO

from .requirements import Requirement

OK, FAILED, NOT_TESTED = "ok", "FAILED", "not tested"


@dataclass
class Outcome:
    """The result of a requirement. `exchanges` are the lines of what was sent and received, for one that failed."""

    requirement: Requirement
    result: str
    reason: str = ""
    exchanges: List[str] = field(default_factory=list)
    milliseconds: int = 0


class Report:
    """Prints outcomes as they come, and counts them."""

    def __init__(self, output: TextIO, is_json: bool, seed: int) -> None:
        self.output = output
        self.is_json = is_json
        self.seed = seed
        self.counts: Dict[str, int] = {OK: 0, FAILED: 0, NOT_TESTED: 0}
        self.failed: List[str] = []

    def add(self, outcome: Outcome) -> None:
        self.counts[outcome.result] += 1
        item = outcome.requirement
        if outcome.result == FAILED:
            self.failed.append(item.id)
        if self.is_json:
            self._print_json({"requirement": item.id, "section": item.section, "text": item.text,
                              "result": outcome.result.lower(), "reason": outcome.reason,
                              "exchanges": outcome.exchanges, "milliseconds": outcome.milliseconds})
            return
        result = outcome.result
        if result == NOT_TESTED:
            result += f": {outcome.reason}"
        print(f"{item.id:<8}  {item.text}  {result}", file=self.output)
        if outcome.result == FAILED:
            for line in [outcome.reason, *outcome.exchanges]:
                print(f"          {line}", file=self.output)
        self.output.flush()

    def end(self, seconds: float) -> None:
        """Prints the counts, and how the failed requirements are run again."""
        if self.is_json:
            self._print_json({"summary": {"ok": self.counts[OK], "failed": self.counts[FAILED],
                                          "notTested": self.counts[NOT_TESTED], "seed": self.seed,
                                          "seconds": round(seconds, 1)}})
            return
        print(f"{self.counts[OK]} ok, {self.counts[FAILED]} failed, {self.counts[NOT_TESTED]} not tested, "
              f"{seconds:.1f} s, seed {self.seed}", file=self.output)
        if self.failed:
            only = " ".join(f"--only {name}" for name in self.failed[:10])
            print(f"again: --seed {self.seed} {only}", file=self.output)

    def _print_json(self, value: object) -> None:
        print(json.dumps(value, ensure_ascii=False), file=self.output, flush=True)
