#!/usr/bin/env python3
"""A whole Roost client of the minimal profile (protocol.md §0), with Python's standard library only.

    minimal_client.py FILE join LINK DEVICE       joins a scope; FILE keeps the replica
    minimal_client.py FILE put ENTITY ID JSON     writes properties of a record; a new one where ID is "-"
    minimal_client.py FILE delete ENTITY ID       deletes a record
    minimal_client.py FILE undelete ENTITY ID     brings a deleted record back
    minimal_client.py FILE sync                   pushes and pulls
    minimal_client.py FILE show                   prints the visible records and the journal
    minimal_client.py replay                      reads histories of Tests/Vectors and prints what each shows
"""
import json, os, secrets, sys, time, urllib.error, urllib.request, uuid

REPLY_BYTES_MAX = 128 << 20
FORKS = ("replica_forked", "foreign_stamp", "stamps_not_increasing", "server_rolled_back")


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.error = error["code"], error


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def call(server, method, path, token=None, body=None):
    """One request. What is no answer of the protocol is a failure of the network (§3)."""
    request = urllib.request.Request(server + path, body, {"Content-Type": "application/json"}, method=method)
    if token:
        request.add_header("Authorization", "Bearer " + token)
    opener = urllib.request.build_opener(NoRedirect)
    try:
        with opener.open(request, timeout=90) as reply:
            text = reply.read(REPLY_BYTES_MAX + 1)
            assert len(text) <= REPLY_BYTES_MAX, "the reply is too large"
            return json.loads(text)
    except urllib.error.HTTPError as error:
        try:
            refusal = json.loads(error.read(1 << 20))["error"]
        except (ValueError, KeyError, TypeError):
            raise OSError(f"{server} answers {error.code}, and not as a Roost server") from None
        raise Refused(refusal) from None


# Slots (§11.1): {"put": {"stamp", "base", "put"}, "deleted": stamp}, under "Entity/UUID".

def merge(slots, key, change):
    slot = slots.setdefault(key, {})
    if change.get("put") is not None:
        held = slot.get("put")
        rank = lambda put: (put["stamp"], put.get("hash", ""))
        if held is None or rank(change) > rank(held):
            slot["put"] = {name: change[name] for name in ("stamp", "base", "put", "hash") if name in change}
    deleted = change.get("deleted") or (change["stamp"] if change.get("delete") else None)
    if deleted and deleted > slot.get("deleted", ""):
        slot["deleted"] = deleted


def own_state(slot):
    put, deleted = slot.get("put"), slot.get("deleted", "")
    return "absent" if put is None else "put" if put["stamp"] > deleted else "deleted"


class Rules:
    """A schema's defaults and stored references: name, destination, delete rule of the target's side, tree or not."""

    def __init__(self, schema):
        entities = {entity["name"]: entity for entity in schema["entities"]}
        find = lambda name, relationship: next(
            r for r in entities[name].get("relationships", []) if r["name"] == relationship)
        self.references = {name: [] for name in entities}
        self.defaults = {name: {a["name"]: a["default"] for a in entity.get("attributes", []) if "default" in a}
                         for name, entity in entities.items()}
        for entity in schema["entities"]:
            for r in entity.get("relationships", []):
                inverse = find(r["destination"], r["inverse"])
                rule = inverse.get("deleteRule", "nullify")
                if r["kind"] == "toOne":
                    rule = "cascade" if r.get("tree") else rule
                    self.references[entity["name"]].append((r["name"], r["destination"], rule, bool(r.get("tree"))))
                other = (entities[r["destination"]]["id"], inverse["id"])
                if r["kind"] == "manyToMany" and (entity["id"], r["id"]) < other:  # its links are records (§8.6)
                    ends = [("source", entity["name"], r), ("target", r["destination"], inverse)]
                    self.references[f"{entity['name']}_{r['name']}"] = [
                        (name, end, "deny" if side.get("deleteRule") == "deny" else "cascade", False)
                        for name, end, side in ends]

    def of(self, key, slots):
        put = slots[key].get("put")
        for name, destination, rule, tree in self.references.get(key.split("/")[0], []):
            if put and put["put"].get(name):
                yield name, f"{destination}/{put['put'][name].lower()}", rule, tree

    def visible(self, slots):
        """The visible records with what they show, line by line as in §11.3."""
        state = {key: own_state(slot) for key, slot in slots.items()}
        kept = {target for key in slots if state[key] == "put" for _, target, rule, _ in self.of(key, slots)
                if rule == "deny" and state.get(target) == "deleted"}
        base = {key for key in slots if state[key] == "put"} | kept
        up = {key: target for key in slots for _, target, _, tree in self.of(key, slots) if tree}
        dropped, seen = set(), set()
        for key in slots:
            path = []
            while key in up and key not in seen:
                seen.add(key)
                path.append(key)
                key = up[key]
            if key in path:
                cycle = path[path.index(key):]
                dropped.add(max(cycle, key=lambda member: (slots[member]["put"]["stamp"], member.split("/")[1])))
        hidden, more = set(slots) - base, True
        while more:
            more = {key for key in base - hidden for _, target, rule, tree in self.of(key, slots)
                    if rule == "cascade" and not (tree and key in dropped)
                    and (target not in slots or target in hidden)}
            hidden |= more
        result = {}
        for key in base - hidden:
            shown = {**self.defaults.get(key.split("/")[0], {}), **slots[key]["put"]["put"]}
            for name, target, rule, tree in self.of(key, slots):
                gone = rule in ("nullify", "deny") and (target not in base or target in hidden)
                if gone or tree and key in dropped:
                    shown[name] = None
            result[key] = shown
        return result


class Client:
    def __init__(self, path):
        self.path = path
        self.state = json.load(open(path, encoding="utf-8")) if os.path.exists(path) else None

    def save(self):
        """One local transaction: the whole state, or what it was before."""
        descriptor = os.open(self.path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(self.state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)

    def call(self, method, path, body=None):
        return call(self.state["server"], method, path, self.state["token"], body and body.encode())

    def join(self, link, device):
        server, invite = link.split("/join#")
        body = {"invite": invite, "device": device, "nonce": secrets.token_hex(16)}
        registration = call(server, "POST", "/v1/join", None, json.dumps(body).encode())
        self.state = {"server": server, "clock": 0, "offset": 0, "number": 0, "sealed": None, "outbox": [],
                      "checkpoint": "", "confirmed": {}, "journal": [], "version": 0}
        self.register(registration)
        self.save()

    def register(self, registration):
        self.state.update({name: registration[name] for name in ("replica", "token", "role", "schema")})

    # Writing (§6.4, §11.2).

    def tick(self):
        now = int(time.time() * 1000) + self.state["offset"] << 16
        self.state["clock"] = max(now, self.state["clock"] + 1)
        return f"{self.state['clock']:016x}{self.state['replica']}"

    def slots(self):
        slots = json.loads(json.dumps(self.state["confirmed"]))
        for transaction in self.state["outbox"]:
            for change in transaction["changes"]:
                merge(slots, f"{change['entity']}/{change['record']}", change)
        return slots

    def rules(self):
        return Rules(json.loads(self.state["schema"]))

    def put(self, entity, record, properties):
        """An edit writes what is stored and not what is shown: masked references, and what no schema knows."""
        held = self.slots().get(f"{entity}/{record}", {}).get("put")
        content = {**(held["put"] if held else {}), **properties}
        change = {"entity": entity, "record": record, "stamp": self.tick(), "put": content}
        if held:
            change["base"] = held["stamp"]
        self.state["outbox"].append({"changes": [change]})
        self.save()

    def delete(self, entity, record):
        key, slots, rules = f"{entity}/{record}", self.slots(), self.rules()
        for other in rules.visible(slots):
            if other != key and (key, "deny") in [(target, rule) for _, target, rule, _ in rules.of(other, slots)]:
                raise SystemExit(f"Cannot delete {key}: {other} refers to it.")
        self.state["outbox"].append({"changes": [
            {"entity": entity, "record": record, "stamp": self.tick(), "delete": True}]})
        self.save()

    # Synchronising.

    def sync(self):
        for _ in range(20):
            try:
                while self.state["outbox"]:
                    self.push()
                if not self.pull():
                    return
            except Refused as refusal:
                self.handle(refusal)
        raise SystemExit("Cannot synchronise: the server sends this replica round in circles.")

    def push(self):
        """Seals at most 500 transactions durably, and sends the same bytes until there is a reply (§6.3)."""
        state = self.state
        if state["sealed"] is None:
            count = state.get("few") or 500
            body = {"number": state["number"] + 1, "transactions": state["outbox"][:count]}
            if state["checkpoint"]:
                body["checkpoint"] = state["checkpoint"]
            state["sealed"] = json.dumps(body)
            self.save()
        sealed = json.loads(state["sealed"])
        reply = self.call("POST", "/v1/push", state["sealed"])
        results = reply.get("results", [])
        if reply["number"] != sealed["number"] or len(results) != len(sealed["transactions"]):
            raise OSError("the reply does not settle the push")
        missed = set()
        for transaction, result in zip(sealed["transactions"], results):
            changes = transaction["changes"]
            if "refused" in result:
                state["journal"].append({"refused": result["refused"], "changes": changes})
                self.rebase(changes)
                missed |= {f"{change['entity']}/{change['record']}" for change in changes}
                continue
            for change in changes:
                self.take(change)
            beaten = [changes[o["index"]] for o in result.get("outcomes", []) if o["kind"] == "beaten"]
            state["journal"] += [{"beaten": True, "changes": [change]} for change in beaten]
        missed -= {self.take(record) for record in reply.get("current", [])}
        state.update(sealed=None, few=0, number=sealed["number"], outbox=state["outbox"][len(results):])
        if missed & state["confirmed"].keys():  # the reply had no room for it (§6.7)
            self.forget()
        self.save()

    def rebase(self, refused):
        """Edits that were made from refused puts get the base of those, which are nowhere (§6.7)."""
        bases = {}
        for change in refused:
            bases[change["stamp"]] = bases.get(change.get("base"), change.get("base"))
        for change in [change for transaction in self.state["outbox"] for change in transaction["changes"]]:
            if change.get("base") in bases:
                change["base"] = bases[change["base"]]

    def take(self, record):
        """Merges what the server has into the confirmed slots."""
        key = f"{record['entity']}/{record['record']}"
        merge(self.state["confirmed"], key, record)
        latest = max(record.get("stamp", ""), record.get("deleted", ""))
        self.state["clock"] = max(self.state["clock"], int(latest[:16], 16))
        return key

    def pull(self):
        """Applies one page and its checkpoint in one transaction (§7.2). Returns whether there is more."""
        state = self.state
        page = self.call("GET", f"/v1/pull?since={state['checkpoint']}&identifiers=1")
        if page["schemaVersion"] != state["version"]:
            self.fetch_schema()
            if state["checkpoint"]:  # what is kept has the old names
                self.forget(compares=False)
                return True
        for record in page.get("purged", []):
            state["confirmed"].pop(f"{record['entity']}/{record['record']}", None)
        for record in page["records"]:
            self.take(record)
        state["checkpoint"] = page["checkpoint"]
        difference = page["serverTime"] - int(time.time() * 1000)
        state["offset"] = difference if abs(difference) >= 2000 else 0
        if not page["hasMore"] and state.get("before"):
            for key, slot in state.pop("before").items():  # the server lost it, or it was purged
                if "put" in slot and own_state(slot) == "put" and slot["put"]["stamp"] > max(
                        state["confirmed"].get(key, {}).get("put", {}).get("stamp", ""),
                        state["confirmed"].get(key, {}).get("deleted", "")):
                    state["journal"].append({"lost": key, **slot["put"]})
        self.save()
        return page["hasMore"]

    # The three rules, and what else a refusal asks for (§9).

    def handle(self, refusal):
        state = self.state
        if refusal.code in FORKS:
            if refusal.code == "server_rolled_back" and state["checkpoint"]:
                try:  # shows the checkpoint, so that the server learns that it was put back
                    self.call("GET", f"/v1/pull?since={state['checkpoint']}&identifiers=1")
                except Refused as answer:
                    if answer.code not in ("history_changed", "resync_required"):
                        raise
            self.renew()
        elif refusal.code in ("history_changed", "resync_required"):
            self.forget()
        elif refusal.code == "clock_ahead" and "retryAfter" not in refusal.error:
            state["offset"] = refusal.error["serverTime"] - int(time.time() * 1000)
            state["clock"] = max([0] + [int(s[:16], 16) for slot in state["confirmed"].values() for s in
                                        (slot.get("put", {}).get("stamp", "0"), slot.get("deleted", "0"))])
            self.restamp(lambda change: self.tick())
        elif refusal.code in ("bad_request", "too_large", "malformed_put") and state["sealed"]:
            version, count = state["version"], len(json.loads(state["sealed"])["transactions"])
            self.fetch_schema()
            if state["version"] != version:
                self.forget(compares=False)
            elif count > 1:
                state["few"] = count // 2
            else:
                state["journal"].append({"refused": refusal.error, **state["outbox"].pop(0)})
                self.rebase(state["journal"][-1]["changes"])
            state["sealed"] = None  # nothing of it was stored, and its number was not used up
        else:
            while refusal.code == "forbidden" and self.pull():
                pass
            raise refusal
        self.save()

    def renew(self):
        state = self.state
        state.setdefault("nonce", secrets.token_hex(16))
        self.save()
        body = {"reason": "another file has this identity, or the server was put back", "nonce": state["nonce"]}
        self.register(self.call("POST", "/v1/replica/renew", json.dumps(body)))
        del state["nonce"]
        state["number"] = 0
        self.restamp(lambda change: change["stamp"][:16] + state["replica"])
        self.forget()

    def restamp(self, stamp):
        """Gives the outbox new stamps, in order; a base that is one of them moves with it."""
        new = {}
        for transaction in self.state["outbox"]:
            for change in transaction["changes"]:
                old, change["stamp"] = change["stamp"], stamp(change)
                new[old] = change["stamp"]
                if change.get("base") in new:
                    change["base"] = new[change["base"]]
        self.state["sealed"] = None

    def forget(self, compares=True):
        """Everything is pulled again, and compared with what was there; the outbox stays."""
        before = {**self.state["confirmed"], **self.state.get("before", {})} if compares else {}
        self.state.update(before=before, confirmed={}, checkpoint="")
        self.save()

    def fetch_schema(self):
        """Names of the outbox follow their numbers into the new version."""
        reply = self.call("GET", "/v1/schema")
        old, new = json.loads(self.state["schema"]), json.loads(reply["schema"])
        names = {entity["id"]: (entity["name"], {p["id"]: p["name"] for kind in ("attributes", "relationships")
                                                  for p in entity.get(kind, [])}) for entity in new["entities"]}
        renamed = {}
        for entity in old["entities"]:
            name, properties = names.get(entity["id"], (f"#{entity['id']}", {}))
            ids = {p["name"]: p["id"] for kind in ("attributes", "relationships") for p in entity.get(kind, [])}
            renamed[entity["name"]] = name, {old: properties.get(number, old) for old, number in ids.items()}
        for transaction in self.state["outbox"]:
            for change in transaction["changes"]:
                change["entity"], properties = renamed.get(change["entity"], (change["entity"], {}))
                if "put" in change:
                    change["put"] = {properties.get(name, name): value for name, value in change["put"].items()}
        self.state.update(schema=reply["schema"], version=reply["version"])


def replay():
    """Histories of Tests/Vectors/vectors.json (its format: §11.7), one a line."""
    rules = {"a": "cascade", "b": "cascade", "t": "cascade", "n": "nullify", "d": "deny", "o": "noAction"}
    node = Rules({"entities": []})
    node.references["Node"] = [(name, "Node", rule, name == "t") for name, rule in rules.items()]
    for line in sys.stdin:
        slots = {}
        for change in json.loads(line)["changes"]:
            merge(slots, "Node/" + change["record"], {**change, "stamp": f"{change['stamp']:032x}"})
        shown = {key[5:]: {"stamp": int(slots[key]["put"]["stamp"], 16), "refs": dict(sorted(references.items()))}
                 for key, references in sorted(node.visible(slots).items())}
        print(json.dumps(shown, separators=(",", ":")))


def main(path, command=None, *arguments):
    if path == "replay":
        return replay()
    client = Client(path)
    if command == "join":
        client.join(*arguments)
    elif command == "put":
        record = str(uuid.uuid4()) if arguments[1] == "-" else arguments[1].lower()
        client.put(arguments[0], record, json.loads(arguments[2]))
        print(record)
    elif command == "delete":
        client.delete(arguments[0], arguments[1].lower())
    elif command == "undelete":
        client.put(arguments[0], arguments[1].lower(), {})
    elif command == "sync":
        client.sync()
    elif command == "show":
        print(json.dumps({"records": client.rules().visible(client.slots()), "journal": client.state["journal"],
                          "waiting": len(client.state["outbox"])}, sort_keys=True))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:] or [""])
