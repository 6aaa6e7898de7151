"""The work that Roost did in the same run, and how figures are summed up."""

import collections
import json
import statistics
import time

Spending = collections.namedtuple("Spending", "id content amount currency date paid person")


class Work:
    def __init__(self, path):
        with open(path) as file:
            self.__dict__.update(json.load(file))
        self.spendings = [Spending(*fields) for fields in self.spendings]


def seconds(body):
    """What `body` takes."""
    start = time.perf_counter()
    body()
    return time.perf_counter() - start


def percentile(values, percent):
    """By nearest rank, as Roost's own figures."""
    values = sorted(values)
    rank = -(-percent * len(values) // 100)
    return values[min(max(int(rank), 1), len(values)) - 1]


def spread(values):
    """The fields of a figure that was measured several times: its median and its range."""
    return {"figure": statistics.median(values), "repeats": len(values), "least": min(values), "greatest": max(values)}


def parts(values, size):
    return [values[start:start + size] for start in range(0, len(values), size)]
