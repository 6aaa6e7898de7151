/* roost.h: replicas of Roost in any language that can call C.
 *
 * A replica is one device's copy of the records of a group, in an ordinary SQLite file. It works without a server, and
 * a server brings the replicas of a group together. libroost is the SDK of Client/Roost with this interface.
 *
 *   roost_replica replica;
 *   char *out;
 *   size_t length;
 *   const char *json = "{\"path\": \"trip.roost\"}";
 *   if (roost_open(json, strlen(json), &replica, &out, &length) != ROOST_OK)
 *       fprintf(stderr, "%s\n", out);
 *   roost_free(out);
 *
 * CALLS
 *   A call takes a JSON object and returns a JSON object. Texts are UTF-8, and have an explicit length in bytes. The
 *   text that a call takes needs no NUL at its end; it is read during the call only. NULL with the length 0 means {}.
 *   A member that a call does not know is an error, and so is a text of more than 64 MiB.
 *
 *   The result is 0 (ROOST_OK) or a class of errors. *out is the JSON object of the result, or of the error, and
 *   *out_length is its length without the NUL that follows. Neither pointer may be NULL: the call then returns
 *   ROOST_MISUSE and sets nothing. The caller owns *out, and gives it to roost_free. *out is NULL only where there is
 *   no memory for it (ROOST_INTERNAL).
 *
 * ERRORS
 *   An error is {"kind", "code", "message", "next"}. "kind" is the name of the class, such as "refused". "code" is
 *   stable, and programs branch on it. "message" says what could not be done, on what, and why. "next" is the next
 *   step. "serverCode" is the code of a server that has refused (protocol.md, section 9). "text" and "column" show a
 *   mistake in a predicate, and "problems" lists several causes. No error contains a token, or a value of a record.
 *   A call that fails has changed nothing, unless its comment says so.
 *
 * HANDLES
 *   A handle is a number. It is never used again after it was closed. A handle that is closed, of another kind or made
 *   up gives ROOST_CLOSED.
 *
 * THREADS
 *   Every function may be called from every thread, also from several at once on one handle, and from a callback.
 *   Reads run at once. Writes to one replica wait for each other. Where two calls exclude each other, the second one
 *   returns ROOST_BUSY. A function either "does not block", or it "reads the file" or "writes the file", and then waits
 *   up to 30 s while another program holds the file, or it "waits for the server". roost_cancel ends the waits for a
 *   server and for events from another thread.
 *
 * PROCESSES
 *   After fork(), the child cannot use the library of its parent: every call in it returns ROOST_FORKED. Start the
 *   child with exec, or fork before the first call. The library installs no signal handler.
 *   Close all replicas before the process ends.
 */
#ifndef ROOST_H
#define ROOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface, and of the soname. It changes when a program has to be changed. */
#define ROOST_ABI 1

/* A handle of an open replica. 0 is none. */
typedef int64_t roost_replica;

/* A handle of an observation. 0 is none. */
typedef int64_t roost_observation;

/* A function that an observation calls when something changed. It has no payload: context is the pointer that
 * roost_observe was given. roost_next_event returns what changed. */
typedef void (*roost_callback)(void *context);

/* The classes of errors. A later version may add some: take an unknown one for ROOST_INTERNAL. */
enum {
    ROOST_OK = 0,
    /* "misuse": a pointer is NULL, a length is absurd, a text is not UTF-8 or not JSON, or a member is missing, unknown
     * or of another type. */
    ROOST_MISUSE = 1,
    /* "closed": the handle is closed, of another kind, or was never given out. */
    ROOST_CLOSED = 2,
    /* "busy": another call, program or session uses the replica. */
    ROOST_BUSY = 3,
    /* "notFound": a file, entity, property, record, journal entry or device does not exist. */
    ROOST_NOT_FOUND = 4,
    /* "invalid": a value, predicate, schema, link or address is not usable. */
    ROOST_INVALID = 5,
    /* "refused": a delete rule, a role, the server or another program's trigger does not allow it. */
    ROOST_REFUSED = 6,
    /* "unavailable": the server cannot be reached, is not trusted, or is no Roost server. */
    ROOST_UNAVAILABLE = 7,
    /* "file": the file exists already, is damaged, is of another version, or cannot be read or written. */
    ROOST_FILE = 8,
    /* "timeout": the time is over. */
    ROOST_TIMEOUT = 9,
    /* "cancelled": roost_cancel or roost_close has ended the call. */
    ROOST_CANCELLED = 10,
    /* "forked": this process is a fork of the one that uses the library. */
    ROOST_FORKED = 11,
    /* "internal": a defect of Roost, or the memory is used up. */
    ROOST_INTERNAL = 12
};

/* ---- The library ---------------------------------------------------------------------------------------------- */

/* Returns the version of the library, such as "0.1.0".
 * Does not block. The text belongs to the library, ends with a NUL, and is valid until the process ends. */
const char *roost_version(void);

/* Frees a text that a call has returned. NULL is allowed, and does nothing.
 * Does not block.
 * Errors: ROOST_MISUSE for a pointer that no call has returned, or that is freed already; ROOST_FORKED, and the text
 * stays. Nothing is freed then. */
int32_t roost_free(char *text);

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

/* Makes a replica file, and opens it. It belongs to no scope yet.
 *   {"path": "trip.roost", "schema": {...} or the text of it, "identifiers": "bytes" or "text", "durability": "full" or
 *    "normal"}
 * "path" and "schema" are required. The format of a schema is in Docs/schema.md.
 * Returns {"path", "schema": {"name", "version"}, "identifiers"}, and the handle in *replica.
 * Writes the file. Errors: ROOST_FILE where the file exists, ROOST_INVALID for a schema that cannot be used,
 * ROOST_MISUSE. *replica is 0 then, and no file is left. */
int32_t roost_create(const char *json, size_t json_length, roost_replica *replica, char **out, size_t *out_length);

/* Opens a replica file. Several handles and several programs may have one file open.
 *   {"path": "trip.roost", "durability": "full" or "normal", "repair": false}
 * "repair" rebuilds a damaged file from its readable parts first.
 * Returns like roost_create, and with "repair" also "notices", texts about what was repaired.
 * Writes the file: what other programs wrote is settled. Errors: ROOST_NOT_FOUND, ROOST_FILE, ROOST_BUSY,
 * ROOST_MISUSE. *replica is 0 then. */
int32_t roost_open(const char *json, size_t json_length, roost_replica *replica, char **out, size_t *out_length);

/* Joins the scope of an invite, makes a replica file for it, and opens that. It has no records before the first
 * synchronisation.
 *   {"link": "https://.../join#...", "path": "trip.roost", "device": "Ana's phone", "identifiers", "durability"}
 * "link" and "path" are required. "device" is the name that other members see; the name of the machine by default.
 * Returns like roost_create, and {"scope", "scopeName", "role"}.
 * Waits for the server, up to 30 s. *replica is set before that, so that another thread can give it to roost_cancel.
 * Errors: ROOST_REFUSED for an invite that is used up or expired, ROOST_INVALID for a malformed link,
 * ROOST_UNAVAILABLE, ROOST_FILE where the file exists, ROOST_CANCELLED, ROOST_MISUSE. *replica is 0 then, and no
 * replica is left. Where no answer came, a small file PATH-joining stays: the same call within 10 minutes succeeds
 * with the same link. */
int32_t roost_join(const char *json, size_t json_length, roost_replica *replica, char **out, size_t *out_length);

/* Closes a replica: ends its calls that wait (they return ROOST_CANCELLED), its observations and its live
 * synchronisation, waits for its other calls, and closes the file. Pending changes stay in the file.
 * Returns {}. The handle is closed for other calls at once.
 * Blocks until all that is done. Errors: ROOST_CLOSED, also for the second of two calls; ROOST_FILE. The handle is
 * closed in any case. */
int32_t roost_close(roost_replica replica, char **out, size_t *out_length);

/* Ends the calls of a replica, or of an observation, that wait for a server or an event now. They return
 * ROOST_CANCELLED. Later calls are not affected, nor is live synchronisation.
 * Returns {"cancelled": N}, the number of calls. Does not block. Errors: ROOST_CLOSED. */
int32_t roost_cancel(int64_t handle, char **out, size_t *out_length);

/* ---- The scope and its devices -------------------------------------------------------------------------------- */

/* Creates a scope on a server from a replica that belongs to none. This device becomes its owner. The next
 * synchronisation sends what the replica holds.
 *   {"server": "https://roost.example", "adminToken": "...", "name": "Lisbon", "device": "Ana's phone", "seed": false}
 * "server" and "adminToken" are required. "name" is that of the file by default, and "device" that of the machine.
 * "seed" makes the replica's own scope again on a server that has lost it.
 * Returns {"scope", "scopeName", "role", "server", "replica"}.
 * Waits for the server, up to 30 s. Errors: ROOST_INVALID where the replica belongs to a scope, ROOST_REFUSED,
 * ROOST_UNAVAILABLE, ROOST_CANCELLED, ROOST_BUSY. After ROOST_UNAVAILABLE and ROOST_CANCELLED the server may have made
 * the scope: the same call within 10 minutes gives that one. */
int32_t roost_create_scope(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Joins the replica's own scope again with this file, after its access was lost or the file was copied.
 *   {"link": "https://.../join#...", "device": "Ana's phone"}
 * "link" is required; "device" stays as it is by default. Returns like roost_create_scope.
 * Waits for the server. Errors: ROOST_INVALID, ROOST_REFUSED, ROOST_UNAVAILABLE, ROOST_BUSY, ROOST_CANCELLED. */
int32_t roost_rejoin(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Makes an invite, as an owner. Everyone who has the link can join with it.
 *   {"role": "viewer", "editor" or "owner", "hours": 1 to 720, "uses": 1}
 * By default: "editor", 72 hours, 1 use. Returns {"link"}.
 * Waits for the server. Errors: ROOST_REFUSED, ROOST_INVALID, ROOST_UNAVAILABLE, ROOST_CANCELLED. */
int32_t roost_invite(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Lists the open invites, without their links, or takes one back.
 *   {} or {"revoke": "10a16ab5bb464902"}
 * Returns {"invites": [{"id", "role", "expires", "usesLeft"}]}, after the revocation if there was one.
 * Waits for the server. Errors: as roost_invite. */
int32_t roost_invites(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Lists the devices of the scope, as the server has them: {}.
 * Returns {"devices": [{"replica", "name", "role", "created", "lastSeen", "revoked", "renewalOf", "invitedBy",
 * "isThis"}]}. Times are milliseconds since 1970.
 * Waits for the server. Errors: ROOST_INVALID where the replica belongs to no scope; otherwise as roost_invite. */
int32_t roost_devices(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Takes a device's access away, with the open invites that it made. The device keeps the records that it has.
 *   {"device": "7a3f182fe519e9f1", "withInvited": false}
 * "device" is a "replica" of roost_devices. "withInvited" also revokes the devices that joined with its invites.
 * Returns {"invited": [...]}: the devices that joined with its invites and keep their access.
 * Waits for the server. Errors: as roost_devices. */
int32_t roost_revoke(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Gives a device another role: {"device": "7a3f182fe519e9f1", "role": "viewer"}. Both are required. Returns {}.
 * Waits for the server. Errors: as roost_devices. */
int32_t roost_set_role(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Replaces the replica's token, for instance because somebody may have read it: {}. Returns {}.
 * Waits for the server. Errors: as roost_devices, and ROOST_BUSY while a program synchronises the replica. After
 * ROOST_UNAVAILABLE and ROOST_CANCELLED the token may have been replaced, and the next synchronisation finds out. */
int32_t roost_rotate_token(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* ---- Records --------------------------------------------------------------------------------------------------
 *
 * Values in JSON: "string", "date" ("2026-07-14") and "uuid" are texts; "integer" is a whole number of 64 bits, all of
 * whose digits count; "timestamp" is milliseconds since 1970, and is also read as "2026-07-14T09:30:00.000Z"; "double"
 * is a number or "inf" or "-inf"; "boolean" is true or false; "data" is Base64; "json" is any value. A nil is null. A
 * reference to a record is its identifier, a UUID of 36 characters.
 */

/* Returns the records that a predicate selects, some of their values, or totals.
 *   {"entity": "Spending", "where": "amount > %@ AND person.name == %@", "arguments": [1000, "Ana"],
 *    "sort": ["person.name:localized", "amount:descending"], "limit": 50, "offset": 0,
 *    "properties": ["content", "person.name"], "distinct": false}
 *   {"entity": "Spending", "groupBy": ["person.name"], "count": true, "sum": ["amount"], "average": ["amount"],
 *    "minimum": ["amount"], "maximum": ["amount"]}
 * Only "entity" is required. The language of predicates is in Docs/objects.md. An argument is a value; {"data":
 * Base64}, {"uuid": ...}, {"timestamp": ...} or an array for IN and BETWEEN. Without "properties" a row has "id", all
 * attributes and all references to one record. Totals are named "@count", "@sum.amount" and so on.
 * Returns {"kinds": {"content": "string", ...}, "rows": [{"content": "Dinner", ...}, ...]}.
 * Reads the file. Errors: ROOST_INVALID with "text" and "column" for a predicate, ROOST_NOT_FOUND for an entity. */
int32_t roost_fetch(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Returns one record: {"entity": "Spending", "id": "018f..."}. Both are required.
 * Returns {"kinds": {...}, "record": {"id", ...}}. The record has its attributes, its references, and under the names
 * of its relationships to several the identifiers of those records, in order. "record" is null where the record does
 * not exist, is deleted or hidden.
 * Reads the file. Errors: ROOST_NOT_FOUND for an entity, ROOST_INVALID for an identifier. */
int32_t roost_get(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Writes several records in one transaction, which arrives on other devices whole or not at all.
 *   {"label": "groceries", "operations": [
 *     {"insert": "Person", "id": "018f...", "as": "ana", "values": {"name": "Ana"}},
 *     {"insert": "Spending", "values": {"content": "Dinner", "amount": 3000, "person": {"as": "ana"}}},
 *     {"update": "Spending", "id": "018f...", "values": {"amount": 3500}},
 *     {"delete": "Spending", "id": "018f..."},
 *     {"undelete": "Spending", "id": "018f..."},
 *     {"add": "Team", "id": "018f...", "relationship": "members", "record": "018f...", "at": 0},
 *     {"remove": "Team", "id": "018f...", "relationship": "members", "record": "018f..."}]}
 * "operations" is required. They happen in order, and each sees those before it. "as" gives a new record a name for
 * references within this call. An "id" of a new record is made where none is given. "label" is for undo and the log.
 * Returns {"ids": [the identifier of the record of each operation]}.
 * Writes the file; durable when it returns. Errors: ROOST_INVALID, ROOST_NOT_FOUND, ROOST_REFUSED for a delete that a
 * delete rule denies. Nothing is written then. */
int32_t roost_write(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Undoes the last transaction of roost_write on this device that is not undone: {}.
 * Returns {"label": the label of the transaction, or null where there is none}.
 * Writes the file. Errors: ROOST_INVALID where somebody has changed one of its records since. */
int32_t roost_undo(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Redoes the transaction that was undone last, unless another one was written since: {}.
 * Returns, writes and fails like roost_undo. */
int32_t roost_redo(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Brings a deleted record back, with all that its delete hid: {"entity": "Person", "id": "018f..."}. Both are required.
 * Returns {}. Writes the file. Errors: ROOST_NOT_FOUND where the record is not deleted, or nothing is kept of it. */
int32_t roost_undelete(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Writes the content of an entry of the journal as a new change: {"number": 3}. It is required.
 * Returns {"entity", "id", "outcome"}. Writes the file. Errors: ROOST_NOT_FOUND, ROOST_INVALID. */
int32_t roost_restore(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* ---- Synchronising -------------------------------------------------------------------------------------------- */

/* Synchronises once: pushes pending changes, and pulls what is new.
 *   {"timeoutMilliseconds": 3600000, "fileBytesMax": 4294967296}
 * Returns {"upToDate", "state", "isTemporary", "pushed", "pulled", "beaten", "refused", "hidden", "shown",
 * "broughtBack", "lost", "forgotten", "corrected", "notices", "digest"}. A server that cannot be reached is a "state",
 * and so is a time that is over; what was exchanged is kept.
 * Waits for the server. Errors: ROOST_BUSY while a program or roost_live_start synchronises the replica, ROOST_INVALID
 * where the replica belongs to no scope, ROOST_REFUSED without a token, ROOST_CANCELLED: what was exchanged is kept. */
int32_t roost_sync(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Starts to keep the replica synchronised until roost_live_stop: {}. Local changes of any program are pushed as they
 * occur, and changes of other devices arrive at once.
 * Returns {}. Reads the file, and does not wait for the server: roost_status has the state.
 * Errors: ROOST_BUSY where it runs already, here or in another program; otherwise as roost_sync. */
int32_t roost_live_start(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Stops what roost_live_start has started: {}. Pending changes stay in the replica.
 * Returns {"report": like roost_sync, or null where nothing was started}. Where it has ended by itself, because user
 * action is required or the file was moved, "state" says so.
 * Blocks until the session has ended, a few seconds at most. */
int32_t roost_live_stop(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Waits until the server has everything that was written before the call, and this replica everything of the server.
 *   {"timeoutMilliseconds": 60000}
 * While the replica is live, it waits for that session, also while the server cannot be reached. Otherwise it
 * synchronises once. Returns {}.
 * Waits for the server. Errors: ROOST_TIMEOUT; ROOST_REFUSED where local changes stay here until the user acts;
 * ROOST_UNAVAILABLE where the server cannot be reached, or the session has ended; otherwise as roost_sync. */
int32_t roost_synced(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* ---- Observing ------------------------------------------------------------------------------------------------ */

/* Observes the result of a request, or the replica as a whole.
 *   {"entity": "Spending", "sectionedBy": "person.name"}, and "where", "arguments", "sort", "limit", "offset" as in
 *   roost_fetch
 *   {}: the state of the replica
 * "sectionedBy" needs the same path as the first of "sort".
 * callback may be NULL. Otherwise it is called when roost_next_event may have an event, once for several changes, also
 * when there is none after all. It runs on a thread of the library, which is the same one for all callbacks of the
 * process: keep it short. It may call every function, also roost_unobserve of its own observation.
 * Returns {}, and the handle in *observation. The first event is ready at once.
 * Reads the file. Errors: as roost_fetch. *observation is 0 then, and callback is never called. */
int32_t roost_observe(
    roost_replica replica, const char *json, size_t json_length, roost_callback callback, void *context,
    roost_observation *observation, char **out, size_t *out_length);

/* Ends an observation. The callback is never called after this has returned: the call waits for a callback that runs
 * on another thread. Called by a callback, it does not wait, and the running callback is the last one.
 * Returns {}. Blocks while the callback runs. Errors: ROOST_CLOSED. */
int32_t roost_unobserve(roost_observation observation, char **out, size_t *out_length);

/* Waits for the next event of an observation, and returns it: {"timeoutMilliseconds": 0}.
 * Returns {"event": null} when the time is over, or
 *   {"event": {"kind": "list", "origins": ["initial"], "kinds": {...}, "sections": [{"name": null, "rows": [{"id",
 *     ...}]}]}},
 *   {"event": {"kind": "list", "origins": ["synchronisation"], "difference": {
 *     "deletedSections": [{"name", "index"}], "movedSections": [{"name", "from", "to"}],
 *     "insertedSections": [{"name", "index"}], "deleted": [{"id", "at": [section, row]}],
 *     "moved": [{"id", "from": [section, row], "to": [section, row], "row"}],
 *     "inserted": [{"id", "at": [section, row], "row"}], "updated": [{"id", "at": [section, row], "row"}]}}},
 *   {"event": {"kind": "status", "waiting", "lastContact", "live": {"state", "reason"}}}.
 * Several changes are one event. Origins are "initial", "local" (roost_write and roost_undelete of this process),
 * "otherProgram" (also undo, redo and restore of this process) and "synchronisation". Apply a difference in this order:
 * take out deleted and moved rows, the last first; take out deleted and moved sections, the last first; insert
 * sections, the first first; insert rows and moved rows, the first first; replace updated rows. A moved row has "row"
 * where its content changed.
 * Waits up to the time that is given. Errors: ROOST_CLOSED, also when roost_unobserve ends the wait; ROOST_BUSY while
 * another thread waits for an event of this observation; ROOST_CANCELLED; otherwise as roost_fetch. */
int32_t roost_next_event(
    roost_observation observation, const char *json, size_t json_length, char **out, size_t *out_length);

/* ---- The state of a replica ----------------------------------------------------------------------------------- */

/* Returns what waits, since when, and why: {}. Needs no server.
 * Returns {"scope", "scopeName", "server", "replica", "role", "device", "hasCredentials", "waiting", "waitingSince",
 * "lastContact", "failure", "failingSince", "nextAttempt", "syncProcess", "digest", "identifiers", "schemaVersion",
 * "nextSchemaVersion", "pullingAnew", "missing", "isLogOff", "names", "damaged", "toBringBack", "journalDays",
 * "journalRemoved", "lost", "beaten", "refused", "hidden", "kept", "unfit", "live": {"state", "reason"}}. Members
 * without a value are left out.
 * Reads the file. */
int32_t roost_status(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Says why a record is visible or not: {"entity": "Spending", "id": "018f..."}. Both are required.
 * Returns {"state": "visible"}, {"state": "kept", "by": [{"entity", "id"}]}: deleted, but others refer to it with a
 * deny rule; {"state": "hidden", "because": {"entity", "id"}}: that one is deleted; {"state": "deleted"} or
 * {"state": "absent"}.
 * Reads the file. Errors: ROOST_NOT_FOUND for an entity, ROOST_INVALID for an identifier. */
int32_t roost_explain(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Lists the changes that are not current, with their contents and reasons, or the deleted records.
 *   {"all": false}, {"deleted": true} or {"keepDays": 365}
 * "all" also lists beaten changes whose content the record has all the same. "keepDays" keeps entries for so many days
 * from now on, 0 for ever.
 * Returns {"entries": [{"number", "at", "outcome", "entity", "id", "stamp", "by", "byDevice", "reason", "isCurrent",
 * "put"}]}, or {"deleted": [{"entity", "id", "deletedBy", "put"}]}.
 * Reads the file. Errors: ROOST_INVALID. */
int32_t roost_journal(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Searches the file for damage: {}. It takes as long as reading the whole file.
 * Returns {"sound", "faults", "waiting", "waitingFault", "comparable", "compared", "irregular", "irregularRecords",
 * "damaged", "bookkeepingDamaged", "dangling", "unreadable"}.
 * Reads the file. */
int32_t roost_check(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Copies the file as it is now, with all changes that wait: {"path": "copy.roost"}. It is required, and nothing may
 * exist there. The copy has no token: give it an invite with roost_rejoin to synchronise it.
 * Returns {}. Reads the file, and writes the copy. Errors: ROOST_FILE; no copy is left then. */
int32_t roost_backup(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Returns the schema of the replica: {}.
 * Returns {"name", "version", "schema": {...}, "next": a later version of the scope's, or null}.
 * Reads the file. */
int32_t roost_schema(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

/* Brings the replica to a later version of its schema: {"schema": {...} or the text of it}, or {} for the newest one of
 * the scope that a synchronisation has fetched. All records are kept.
 * Returns {"from", "to"}, which are equal where there is nothing to migrate.
 * Writes the file. Errors: ROOST_INVALID where the schema cannot follow the present one; ROOST_BUSY while another call
 * uses the handle, and while it is live or observed. Other handles of the file have to be opened again. */
int32_t roost_migrate(
    roost_replica replica, const char *json, size_t json_length, char **out, size_t *out_length);

#ifdef __cplusplus
}
#endif

#endif
