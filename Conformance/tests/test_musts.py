"""The table of Docs/conformance.md against the text of protocol.md and against the requirements."""
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(HERE, "..")]

from roost_conformance.checks.chapter05_requests import LIMITS  # noqa: E402
from roost_conformance.requirements import requirements  # noqa: E402

NUMBER = re.compile(r"\b\d+(?:\.\d+)?-\d+\b")


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def sections(text):
    """The text of each section of protocol.md, in one line, by its number."""
    parts = re.split(r"(?m)^#{2,3} ([0-9.]+) [^\n]*\n", text)
    return {parts[index].rstrip("."): " ".join(parts[index + 1].split()) for index in range(1, len(parts), 2)}


def table(text):
    """The rows of the table of MUSTs: section, words, and what tests it."""
    body = text.split("### Every MUST and MUST NOT")[1].split("\n\n|")[1].split("\n\n")[0]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in body.splitlines()[2:]]


class EveryMust(unittest.TestCase):
    def setUp(self):
        self.sections = sections(text_of("protocol.md"))
        self.rows = table(text_of("Docs", "conformance.md"))

    def test_the_table_has_as_many_rows_for_a_section_as_the_text_has_musts(self):
        for section, text in self.sections.items():
            with self.subTest(section=section):
                self.assertEqual(sum(1 for row in self.rows if row[0] == section), len(re.findall(r"\bMUST\b", text)),
                                 "Add a row to Docs/conformance.md, and a requirement that tests it.")
        self.assertEqual({row[0] for row in self.rows} - set(self.sections), set())

    def test_each_row_has_the_words_of_the_text_in_order(self):
        place = {}
        for section, words, _ in self.rows:
            with self.subTest(section=section, words=words):
                found = self.sections[section].find(words, place.get(section, 0))
                self.assertGreaterEqual(found, 0, "These words do not follow those of the row before.")
                place[section] = found + len("MUST")

    def test_each_row_names_requirements_that_are_there_or_a_reason(self):
        known = {item.id: item for item in requirements()}
        for section, words, tested_by in self.rows:
            with self.subTest(section=section, words=words):
                numbers = NUMBER.findall(tested_by)
                self.assertEqual([number for number in numbers if number not in known], [])
                self.assertTrue(numbers or tested_by == "client" or tested_by.startswith("each row by itself"))
                if numbers and not tested_by.startswith("not tested"):
                    self.assertTrue(any(known[number].check for number in numbers))

    def test_the_duties_of_a_server_after_a_failure_have_a_row_each(self):
        text = text_of("Docs", "conformance.md")
        known = {item.id for item in requirements()}
        rows = text.split("say what a server MUST do after a failure:")[1].split("\n\n")[1].splitlines()[2:]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertTrue(NUMBER.findall(row), row)
            self.assertEqual(set(NUMBER.findall(row)) - known, set())

    def test_every_limit_that_the_text_marks_is_asked_for(self):
        text = text_of("protocol.md").split("\n## 10. Limits")[1].split("\n## ")[0]
        marked = [row.split("|")[3].strip().strip("`") for row in text.splitlines() if row.startswith("| ")]
        self.assertEqual({name for name in marked if name and " " not in name}, set(LIMITS))

    def test_every_requirement_stands_in_a_section_of_the_text(self):
        self.assertEqual({item.section for item in requirements()} - set(self.sections), set())


if __name__ == "__main__":
    unittest.main()
