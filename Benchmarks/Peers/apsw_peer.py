"""SQLite's session extension, by apsw: changes are noted in memory while plain SQL writes, and applied as changesets.

It has no server, no clock, no history on disk and no delete rules: it is what tracking alone costs.
"""

import apsw

from work import parts, percentile, seconds, spread

TABLE = """CREATE TABLE spending(id BLOB PRIMARY KEY NOT NULL, content TEXT NOT NULL, amount INTEGER NOT NULL,
  currency TEXT NOT NULL, date TEXT NOT NULL, paid INTEGER NOT NULL, person BLOB NOT NULL) STRICT"""
INSERT = "INSERT INTO spending(id, content, amount, currency, date, paid, person) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
UPSERT = INSERT + """ ON CONFLICT(id) DO UPDATE SET content = excluded.content, amount = excluded.amount,
  currency = excluded.currency, date = excluded.date, paid = excluded.paid, person = excluded.person"""


def database(path, mode, with_index):
    connection = apsw.Connection(str(path))
    for pragma in ["journal_mode = WAL", f"synchronous = {mode}", "cache_size = -16384"]:
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute(TABLE)
    if with_index:
        connection.execute("CREATE INDEX spending_by_person ON spending(person)")
    return connection


def watch(connection):
    session = apsw.Session(connection, "main")
    session.attach("spending")
    return session


def rows_of(spendings):
    return [(bytes.fromhex(s.id), s.content, s.amount, s.currency, s.date, int(s.paid), bytes.fromhex(s.person))
            for s in spendings]


def insert(work, place, say):
    shapes = [("10,000 in one transaction", 10_000, True, 5), ("1,000 transactions of one", 1000, False, 3)]
    if not work.isQuick:
        shapes.insert(1, ("100,000 in one transaction", 100_000, True, 3))
    for title, count, is_one, rounds in shapes:
        rows = rows_of(work.spendings[:count])
        for mode in ["normal", "full"]:
            for name, with_index in [("plain with the index", True), ("plain without index", False)]:
                times = [[write(place / f"{title}-{mode}-{name}-{round}-{tracked}", mode, with_index, tracked, rows, is_one)
                          for tracked in [False, True]] for round in range(rounds)]
                plain = percentile([time[0] for time in times], 50)
                say(measure=f"{title}, {name}", work=f"{title}, against {name}", mode=mode, unit="×",
                    how=f"noted in memory only; plain {len(rows) / plain:,.0f}/s",
                    **spread([time[1] / time[0] for time in times]))


def write(path, mode, with_index, tracked, rows, is_one):
    connection = database(path, mode, with_index)
    session = watch(connection) if tracked else None

    def body():
        if is_one:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(INSERT, rows)
            connection.execute("COMMIT")
        else:
            for row in rows:
                connection.execute(INSERT, row)

    time = seconds(body)
    if session:
        session.close()
    connection.close()
    path.unlink()
    return time


def apply(work, place, say):
    new = rows_of(work.spendings[:work.applyCount])
    existing = [(*row[:2], row[2] + 1, *row[3:]) for row in new]
    for mode in ["normal", "full"]:
        rounds = [exchange(place / f"{mode}-{round}", mode, new, existing) for round in range(3)]
        for name, times in [("new rows", [pair[0] for pair in rounds]), ("existing rows", [pair[1] for pair in rounds])]:
            what = f"{len(new)} {name}, pages of 1000"
            say(measure=f"{name}, ratio", work=what, mode=mode, unit="×", how="changesets; no clocks, no history",
                **spread([applying / upserting for applying, upserting in times]))
            say(measure=f"{name}, speed", work=what, mode=mode, unit="records/s",
                **spread([len(new) / applying for applying, _ in times]))


def exchange(path, mode, new, existing):
    """Seconds of applying and of upserting, of new rows and of edits, page by page in turns."""
    source, target, plain = (database(f"{path}-{name}", mode, True) for name in ["source", "target", "plain"])
    sums = []
    for rows in [new, existing]:
        applying = upserting = 0
        for page in parts(rows, 1000):
            session = watch(source)
            with source:
                source.executemany(UPSERT, page)
            changes = session.changeset()
            session.close()
            applying += seconds(lambda: apsw.Changeset.apply(changes, target))
            upserting += seconds(lambda: upsert(plain, page))
        sums.append((applying, upserting))
    same = "SELECT count(*), total(amount) FROM spending"
    if target.execute(same).fetchall() != plain.execute(same).fetchall():
        raise RuntimeError("the changesets did not bring all rows")
    return sums


def upsert(connection, page):
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(UPSERT, page)
    connection.execute("COMMIT")


ROWS = {"insert": insert, "apply": apply}
