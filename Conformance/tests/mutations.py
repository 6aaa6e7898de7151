"""Seeded bugs of a server. Each names the requirements that catch it."""
import gzip
import time
import uuid

from proxy import Mutation
from roost_conformance import jsontext


def is_ok(reply):
    return reply.status == 200


def is_pull(request):
    return request.path.startswith("/v1/pull")


def is_push(request):
    return request.method == "POST" and request.path.startswith("/v1/push")


class ChangesJSON(Mutation):
    """Base of bugs in the JSON of successful replies."""

    def reply(self, request, reply):
        members = reply.json if 200 <= reply.status < 300 else None
        if members is not None and self.change(request, members) is not False:
            reply.json = members

    def change(self, request, members):
        """Changes the members of a reply. Returns False where there is nothing to change."""
        raise NotImplementedError


def records(members):
    return members.get("records", []) if isinstance(members.get("records"), list) else []


class WrongHash(ChangesJSON):
    caught_by = ["5.4-1"]

    def change(self, request, members):
        for record in records(members):
            if "hash" in record:
                record["hash"] = "0" * 32


class DroppedRecord(ChangesJSON):
    caught_by = ["7.2-1", "7.2-6", "7.5-2"]

    def change(self, request, members):
        if len(records(members)) > 1:
            members["records"].pop(1)


class RecordTwice(ChangesJSON):
    caught_by = ["7.2-1"]

    def change(self, request, members):
        members.get("records", []).extend(records(members)[:1] if is_pull(request) else [])


class AnotherOrder(ChangesJSON):
    caught_by = ["7.2-1"]

    def change(self, request, members):
        if is_pull(request):
            records(members).reverse()


class ChangedRepetition(Mutation):
    """Makes serverTime of a repeated reply that of now."""

    caught_by = ["6.3-2", "6.4-12"]

    def __init__(self):
        self.seen = set()

    def reply(self, request, reply):
        if is_push(request) and is_ok(reply):
            if request.body in self.seen and reply.json:
                reply.json = {**reply.json, "serverTime": reply.json["serverTime"] + 1}
            self.seen.add(request.body)


class StoresAgain(Mutation):
    """Counts a repeated push as a new one: it sends it under the next number."""

    caught_by = ["6.3-2"]

    def __init__(self):
        self.seen = set()

    def request(self, request):
        if is_push(request) and request.json:
            if request.body in self.seen:
                request.json = {"number": request.json["number"] + 1}
            self.seen.add(request.body)


class Echo(Mutation):
    """Sends a replica what it wrote itself: each pull begins at the start."""

    caught_by = ["7.3-1", "7.3-4", "7.1-2"]

    def request(self, request):
        if is_pull(request):
            request.path = "/v1/pull"


class ForkIsABadRequest(Mutation):
    caught_by = ["6.3-3", "6.3-4"]

    def reply(self, request, reply):
        if reply.status == 409 and b"replica_forked" in reply.body:
            reply.status = 400


class ForkIsStored(Mutation):
    """Answers a push of another file of the replica as if it were stored."""

    caught_by = ["6.3-3"]

    def reply(self, request, reply):
        if reply.status == 409 and b"replica_forked" in reply.body:
            reply.status, reply.json = 200, {"number": 1, "results": [{"sequence": 1}], "serverTime": 1}


class RevokedTokenWorks(Mutation):
    caught_by = ["8.5-2", "6.1-4", "7.4-3"]

    def reply(self, request, reply):
        if reply.status == 401 and b'"revoked"' in reply.body:
            reply.status, reply.json = 200, {"records": [], "hasMore": False, "checkpoint": "00", "serverTime": 1}


class AnyTokenWorks(Mutation):
    caught_by = ["8.3-14", "5.1-5"]

    def reply(self, request, reply):
        if reply.status == 401 and b'"unauthorized"' in reply.body:
            reply.status, reply.json = 200, {"serverTime": 1}


class ViewersPush(Mutation):
    caught_by = ["6.1-6", "8.4-1"]

    def reply(self, request, reply):
        if is_push(request) and reply.status == 403:
            reply.status, reply.json = 200, {"number": 1, "results": [], "serverTime": 1}


class WrongDigest(ChangesJSON):
    caught_by = ["7.5-2", "7.5-3"]

    def change(self, request, members):
        if "digest" in members:
            members["digest"] = "1" * 32


class NeverMore(ChangesJSON):
    caught_by = ["7.2-5", "7.2-2"]

    def change(self, request, members):
        if "hasMore" in members:
            members["hasMore"] = False


class OldSchemaVersion(ChangesJSON):
    caught_by = ["7.2-11", "7.4-2"]

    def change(self, request, members):
        if "schemaVersion" in members:
            members["schemaVersion"] = 1


class Cached(Mutation):
    caught_by = ["3-20"]

    def reply(self, request, reply):
        if reply.status >= 400:
            reply.headers.pop("Cache-Control", None)


class NoServerTime(ChangesJSON):
    caught_by = ["5.1-4"]

    def change(self, request, members):
        if request.path == "/v1/devices":
            members.pop("serverTime", None)


class SequencesWithGaps(ChangesJSON):
    caught_by = ["6.5-1"]

    def change(self, request, members):
        for result in members.get("results", []):
            if "sequence" in result:
                result["sequence"] *= 2


class RefusalIsStored(ChangesJSON):
    caught_by = ["6.5-3", "6.7-1"]

    def change(self, request, members):
        members.update(results=[{"sequence": 9} if "refused" in result else result
                                for result in members.get("results", [])] if "results" in members else [])


class NoOutcomes(ChangesJSON):
    caught_by = ["6.6-2", "6.6-4"]

    def change(self, request, members):
        for result in members.get("results", []):
            result.pop("outcomes", None)


class NoCurrent(ChangesJSON):
    caught_by = ["6.7-2"]

    def change(self, request, members):
        members.pop("current", None)


class Normalised(Mutation):
    caught_by = ["3-2"]

    def reply(self, request, reply):
        if b"records" in reply.body and reply.json:
            reply.body = reply.body.replace("e\u0301".encode(), "é".encode())


class ChangedStamps(ChangesJSON):
    caught_by = ["6.4-2"]

    def change(self, request, members):
        for record in records(members):
            if "stamp" in record:
                record["stamp"] = "0" + record["stamp"][1:-1] + "0"


class NoBase(ChangesJSON):
    caught_by = ["5.5-5"]

    def change(self, request, members):
        for record in records(members):
            record.pop("base", None)


class UnknownPropertiesAreLost(ChangesJSON):
    caught_by = ["5.6-7", "5.6-12"]

    def change(self, request, members):
        for record in records(members):
            record["put"] = {name: value for name, value in record.get("put", {}).items() if not name.startswith("#")}


class NoncesAreIgnored(Mutation):
    caught_by = ["8-3", "6.2-5"]

    def request(self, request):
        members = request.json
        if members and "nonce" in members and len(str(members["nonce"])) >= 8:
            request.json = {**members, "nonce": uuid.uuid4().hex}


class EndlessInvites(Mutation):
    """Lets any number of devices in with one invite."""

    caught_by = ["8.2-7"]

    def reply(self, request, reply):
        if reply.status == 410:
            reply.status, reply.json = 201, {"scope": "", "replica": "0" * 16, "token": "", "serverTime": 1}


class StoredCountsAll(ChangesJSON):
    caught_by = ["7.7-3"]

    def change(self, request, members):
        if "stored" in members:
            members["stored"] = len((request.json or {}).get("records", []))


class SchemaIsReformatted(ChangesJSON):
    caught_by = ["8.1-3"]

    def change(self, request, members):
        if isinstance(members.get("schema"), str):
            members["schema"] = jsontext.write(jsontext.parse(members["schema"]))


class TokenInMessage(Mutation):
    caught_by = ["9-3", "9-1"]

    def reply(self, request, reply):
        error = (reply.json or {}).get("error")
        if error and request.token():
            error["message"] += " The token is " + request.token()
            reply.json = {"error": error}


class NoRetryAfter(Mutation):
    caught_by = ["9-7"]

    def reply(self, request, reply):
        reply.headers.pop("Retry-After", None)


class DoesNotWait(Mutation):
    caught_by = ["7.4-4"]

    def request(self, request):
        request.path = request.path.replace("wait=", "later=")


class WaitsTooLong(Mutation):
    """Holds a waiting pull until its time is up, whatever happens meanwhile."""

    caught_by = ["7.4-1"]

    def reply(self, request, reply):
        if "wait=8" in request.path and is_ok(reply) and records(reply.json or {}):
            time.sleep(6)


class AcceptsTheFuture(Mutation):
    caught_by = ["6.4-4"]

    def reply(self, request, reply):
        if reply.status == 409 and b"clock_ahead" in reply.body:
            reply.status, reply.json = 200, {"number": 1, "results": [{"sequence": 1}], "serverTime": 1}


class KnowsEveryPush(Mutation):
    caught_by = ["6.3-12"]

    def reply(self, request, reply):
        if reply.status == 204:
            reply.status, reply.json = 200, {"number": 1, "results": [], "serverTime": 1}


class AlwaysCompressed(Mutation):
    caught_by = ["3-35"]

    def reply(self, request, reply):
        if is_pull(request) and is_ok(reply):
            reply.headers["Content-Encoding"] = "gzip"
            reply.body = gzip.compress(reply.body)


class AlwaysJSON(Mutation):
    caught_by = ["5.2-3", "5.2-1"]

    def request(self, request):
        if is_pull(request) or is_push(request):
            request.headers["accept"] = "application/json"


class LastOwnerGoes(Mutation):
    caught_by = ["8.5-8"]

    def reply(self, request, reply):
        if b"last_owner" in reply.body:
            reply.status, reply.json = 200, {"revoked": True, "serverTime": 1}


class RoundsDoubles(ChangesJSON):
    caught_by = ["3-15"]

    def change(self, request, members):
        for record in records(members):
            put = record.get("put", {})
            if isinstance(put.get("real"), float):
                put["real"] = round(float(put["real"]), 1)


class TakesBadPuts(Mutation):
    """Stores puts that are not canonical: it answers with a sequence in Protocol Buffers, too."""

    caught_by = ["5.3-2", "5.3-5"]

    def reply(self, request, reply):
        if is_push(request) and b"malformed_put" in reply.body:
            reply.body = bytes.fromhex("0801" "12020801" "12020802" "2001")


class NamesAreLost(ChangesJSON):
    caught_by = ["7.2-9", "11.4-1"]
    is_operated = True

    def change(self, request, members):
        if members.pop("purged", None) is None:
            return False


class HistoryGoesOn(Mutation):
    """Takes any checkpoint of a restored server."""

    caught_by = ["7.1-7", "11.5-3"]
    is_operated = True

    def request(self, request):
        if is_pull(request):
            request.path = "/v1/pull"


class GoneIsStored(ChangesJSON):
    caught_by = ["6.7-6"]
    is_operated = True

    def change(self, request, members):
        for result in members.get("results", []):
            if result.get("refused", {}).get("code") == "gone":
                result.pop("refused")
                result["sequence"] = 9


EVERY = [item for item in list(globals().values())
         if isinstance(item, type) and issubclass(item, Mutation) and hasattr(item, "caught_by")]
ALL = [item for item in EVERY if not hasattr(item, "is_operated")]
OPERATED = [item for item in EVERY if hasattr(item, "is_operated")]
"""Seeded bugs that need the commands of the server's operator."""
