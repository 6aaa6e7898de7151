"""The oracle of the client's tester shows what each history of Tests/Vectors/vectors.json says (§11.7)."""
import itertools
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from roost_conformance.client.vectors import changes_of, expected_of, load, schema_text  # noqa: E402
from roost_conformance.client.oracle import visible  # noqa: E402
from roost_conformance.schema import Schema  # noqa: E402


class OracleTests(unittest.TestCase):
    def test_every_vector_in_every_order(self) -> None:
        schema = Schema(schema_text())
        for vector in load():
            records = changes_of(vector)
            orders = itertools.islice(itertools.permutations(records), 720)
            for order in orders:
                shown = visible(schema, [*order, order[0]])
                self.assertEqual(shown.get("Node", {}), expected_of(vector), vector["name"])


if __name__ == "__main__":
    unittest.main()
