"""The row `devices` of a peer that speaks HTTP: so many connections, each in a loop of one push and one pull."""

import threading
import time

from work import percentile, spread


def measure(work, server, mode, newest, pair, say):
    """Measures pairs.

    newest: gives where a connection stands.
    pair:   pushes one record over a connection, pulls what is new since a place, and gives the new place.
    """
    connections = [server.connect() for _ in range(work.devices)]
    times, failures = [], []
    before, own = server.computed_seconds(), time.process_time()
    begin = time.perf_counter()
    end = begin + work.deviceSeconds

    def loop(connection):
        try:
            place = newest(connection)
            while time.perf_counter() < end:
                start = time.perf_counter()
                place = pair(connection, place)
                times.append((time.perf_counter() - start) * 1000)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=loop, args=[connection]) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    took = time.perf_counter() - begin
    cpu, own = server.computed_seconds() - before, time.process_time() - own
    what = f"{work.devices} devices, each push one + pull"
    say(measure="speed", work=what, mode=mode, unit="pairs/s", figure=len(times) / took,
        how=f"server used {cpu / took:.2f} cores, its clients {own / took:.2f}")
    say(measure="p99", work=what + ", p99", mode=mode, unit="ms", **spread(times) | {"figure": percentile(times, 99)})
    say(measure="server CPU", work=what + ", server CPU a pair", mode=mode, unit="ms", figure=cpu * 1000 / len(times))
