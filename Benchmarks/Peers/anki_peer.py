"""Anki's sync server and its own client library: a replica in SQLite on each side, one user's devices one after another.

A spending is a note of seven fields, with the card that each note has. The client's SQLite is at synchronous FULL. It has no
live subscription, and takes one sync of a user at a time.
"""

import sys
import time
import uuid

from server import Server, free_port
from work import percentile, seconds, spread

MODE = "full"
FIELDS = ["id", "content", "amount", "currency", "date", "paid", "person"]


class AnkiServer(Server):
    def __init__(self, place):
        port = free_port()
        super().__init__(
            [sys.executable, "-m", "anki.syncserver"], port,
            {"SYNC_USER1": "benchmark:benchmark", "SYNC_HOST": "127.0.0.1", "SYNC_PORT": str(port),
             "SYNC_BASE": str(place / f"server-{uuid.uuid4()}"), "MAX_SYNC_PAYLOAD_MEGS": "1000", "RUST_LOG": "error"})


class Device:
    def __init__(self, place, server):
        from anki.collection import Collection

        self.collection = Collection(str(place / f"{uuid.uuid4()}.anki2"))
        self.auth = self.collection.sync_login("benchmark", "benchmark", f"http://127.0.0.1:{server.port}/")

    def full(self, upload):
        """Sends or fetches the whole file, until it can be used."""
        self.collection.close_for_full_sync()
        self.collection.full_upload_or_download(auth=self.auth, server_usn=None, upload=upload)
        self.collection.reopen(after_full_sync=True)

    def sync(self):
        answer = self.collection.sync_collection(self.auth, False)
        if answer.required != answer.NO_CHANGES:
            raise RuntimeError(f"a whole file was asked for: {answer.required}")

    def make_type(self):
        models = self.collection.models
        kind = models.new("Spending")
        for name in FIELDS:
            models.add_field(kind, models.new_field(name))
        template = models.new_template("Card")
        template["qfmt"], template["afmt"] = "{{content}}", "{{amount}}"
        models.add_template(kind, template)
        models.add(kind)

    def add(self, spendings):
        from anki.collection import AddNoteRequest

        kind, deck = self.collection.models.by_name("Spending"), self.collection.decks.id("Default")
        requests = []
        for spending in spendings:
            note = self.collection.new_note(kind)
            note.fields = [str(value) for value in spending]
            requests.append(AddNoteRequest(note, deck))
        self.collection.add_notes(requests)

    def count(self):
        return self.collection.note_count()

    def close(self):
        self.collection.close()


def first(place, server, spendings=()):
    """The first device, whose file the server has."""
    device = Device(place, server)
    device.make_type()
    if spendings:
        device.add(spendings)
    device.full(upload=True)
    return device


def joined(place, server):
    device = Device(place, server)
    device.full(upload=False)
    return device


def push(work, place, say):
    runs = []
    for round in range(work.pushRounds):
        with AnkiServer(place) as server:
            device = first(place, server)
            device.add(work.spendings[round * work.pushCount:][:work.pushCount])
            before = server.computed_seconds()
            runs.append((seconds(device.sync), server.computed_seconds() - before))
            device.close()
    what = f"push of {work.pushCount} new records"
    say(measure="speed", work=what, mode=MODE, unit="records/s", how="notes and cards; a new server each time",
        **spread([work.pushCount / time for time, _ in runs]))
    say(measure="server CPU", work=what + ", server CPU", mode=MODE, unit="s", **spread([cpu for _, cpu in runs]))


def pull(work, place, say):
    with AnkiServer(place) as server:
        first(place, server, work.spendings[:work.pullCount]).close()
        times = []
        for _ in range(work.pullRounds):
            device = Device(place, server)
            times.append(seconds(lambda: device.full(upload=False)))
            expect(device, work.pullCount)
            device.close()
        say(measure="speed", work=f"first pull of {work.pullCount}, the whole file", mode=MODE, unit="records/s",
            how="the server's file is the replica", **spread([work.pullCount / time for time in times]))
    with AnkiServer(place) as server:
        writer = first(place, server)
        readers = [joined(place, server) for _ in range(work.pullRounds)]
        writer.add(work.spendings[:work.pullCount // 2])
        writer.sync()
        times = [seconds(reader.sync) for reader in readers]
        for reader in readers:
            expect(reader, work.pullCount // 2)
            reader.close()
        writer.close()
        say(measure="speed", work=f"pull of {work.pullCount // 2} new records by a joined device", mode=MODE,
            unit="records/s", how="taken in record by record", **spread([work.pullCount // 2 / time for time in times]))


def expect(device, count):
    if device.count() != count:
        raise RuntimeError(f"a device has {device.count()} of {count} notes")


def change(work, place, say):
    with AnkiServer(place) as server:
        editor = first(place, server, work.spendings[:work.pullCount])
        reader = joined(place, server)
        identifiers = sorted(editor.collection.find_notes(""))
        pushes, pulls = [], []
        for round in range(work.changeRounds):
            notes = [editor.collection.get_note(identifiers[(index * 941 + round * 13) % len(identifiers)])
                     for index in range(100)]
            for note in notes:
                note["amount"] = str(int(note["amount"]) + 1)
            editor.collection.update_notes(notes)
            pushes.append(seconds(editor.sync) * 1000)
            pulls.append(seconds(reader.sync) * 1000)
        same = reader.collection.get_note(notes[0].id)
        if same["amount"] != notes[0]["amount"]:
            raise RuntimeError("an edit did not arrive")
        editor.close()
        reader.close()
        say(measure="time", work=f"100 changed of {work.pullCount}: push + pull by another", mode=MODE, unit="ms",
            how=f"push {percentile(pushes, 50):.1f}, pull {percentile(pulls, 50):.1f} ms; a replica on each side",
            **spread([push + pull for push, pull in zip(pushes, pulls)]))


def memory(work, place, say):
    with AnkiServer(place) as server:
        time.sleep(0.5)
        say(measure="idle", work="idle server", mode=MODE, unit="MiB", figure=server.resident_bytes() / 1048576)


ROWS = {"push": push, "pull": pull, "change": change, "memory": memory}
