/* Two replicas of one list, which meet through a real server.
 *
 *   story SERVER ADMIN_TOKEN_FILE FOLDER     exit status 0 only if every step holds
 *
 * FOLDER has to be empty. */
#include <roost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t (*opening)(const char *, size_t, roost_replica *, char **, size_t *);
typedef int32_t (*calling)(int64_t, const char *, size_t, char **, size_t *);

static char *text;

static void fail(const char *step) {
    printf("FAIL %s: %s\n", step, text ? text : "");
    exit(1);
}

/* Calls a function, keeps its text until the next call, and ends the program where it fails. */
static const char *call(const char *step, calling function, int64_t handle, const char *json) {
    size_t length = 0;
    roost_free(text);
    text = NULL;
    if (function(handle, json, strlen(json), &text, &length) != ROOST_OK) fail(step);
    printf("ok   %s\n", step);
    return text;
}

static roost_replica open_file(const char *step, opening function, const char *json) {
    roost_replica replica = 0;
    size_t length = 0;
    roost_free(text);
    text = NULL;
    if (function(json, strlen(json), &replica, &text, &length) != ROOST_OK) fail(step);
    printf("ok   %s\n", step);
    return replica;
}

static void close_file(roost_replica replica) {
    size_t length = 0;
    roost_free(text);
    text = NULL;
    if (roost_close(replica, &text, &length) != ROOST_OK) fail("close");
}

static void hold(const char *step, int holds) {
    if (!holds) fail(step);
    printf("ok   %s\n", step);
}

/* Copies the value of a member that is a string without escapes. */
static void copy_member(const char *json, const char *name, char *copy, size_t size) {
    char start[64];
    snprintf(start, sizeof start, "\"%s\":\"", name);
    const char *value = json ? strstr(json, start) : NULL;
    if (value == NULL) fail(name);
    value += strlen(start);
    size_t length = strcspn(value, "\"");
    if (length >= size) fail(name);
    memcpy(copy, value, length);
    copy[length] = 0;
}

static void read_token(const char *path, char *token, size_t size) {
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(token, (int)size, file) == NULL) fail("the admin token is read");
    fclose(file);
    token[strcspn(token, "\r\n")] = 0;
}

/* Waits until an observation has an event with a text in it. */
static void await(const char *step, roost_observation list, const char *expected) {
    for (int i = 0; i < 60; i++) {
        const char *event =
            call("an event, or none in time", roost_next_event, list, "{\"timeoutMilliseconds\": 1000}");
        if (strstr(event, expected)) {
            printf("ok   %s\n", step);
            return;
        }
    }
    fail(step);
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "story: expected SERVER ADMIN_TOKEN_FILE FOLDER.\n");
        return 64;
    }
    const char *server = arguments[1], *folder = arguments[3];
    char json[4096], token[256], link[512], first[128], second[128];
    size_t length = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_token(arguments[2], token, sizeof token);

    snprintf(json, sizeof json,
        "{\"path\": \"%s/ana.roost\", \"schema\": {\"format\": 1, \"name\": \"list\", \"version\": 1, \"entities\": ["
        "{\"id\": 1, \"name\": \"Item\", \"attributes\": [{\"id\": 1, \"name\": \"title\", \"type\": \"string\"}]}]}}",
        folder);
    roost_replica ana = open_file("Ana makes a replica", roost_create, json);
    call("she writes without a server", roost_write, ana,
        "{\"label\": \"shopping\", \"operations\": [{\"insert\": \"Item\", \"values\": {\"title\": \"Milk\"}}]}");
    snprintf(json, sizeof json,
        "{\"server\": \"%s\", \"adminToken\": \"%s\", \"name\": \"Shopping\", \"device\": \"Ana's\"}", server, token);
    call("she creates a scope", roost_create_scope, ana, json);
    hold("the scope has a name", strstr(text, "\"scopeName\":\"Shopping\"") != NULL);
    hold("no answer has the admin token", strstr(text, token) == NULL);
    hold("her changes are sent", strstr(call("she synchronises", roost_sync, ana, "{}"), "\"upToDate\":true") != NULL);
    copy_member(call("she makes an invite", roost_invite, ana, "{\"role\": \"editor\", \"hours\": 1}"), "link", link,
        sizeof link);

    snprintf(json, sizeof json, "{\"link\": \"%s\", \"path\": \"%s/bob.roost\", \"device\": \"Bob's\"}", link, folder);
    roost_replica bob = open_file("Bob joins", roost_join, json);
    call("he synchronises", roost_sync, bob, "{\"timeoutMilliseconds\": 30000}");
    call("he fetches", roost_fetch, bob, "{\"entity\": \"Item\"}");
    hold("he has what Ana wrote", strstr(text, "\"Milk\"") != NULL);

    roost_observation list = 0;
    roost_free(text);
    text = NULL;
    const char *request = "{\"entity\": \"Item\", \"sort\": [\"title\"]}";
    if (roost_observe(ana, request, strlen(request), NULL, NULL, &list, &text, &length) != ROOST_OK) fail("observe");
    await("Ana's list has its first event", list, "\"initial\"");
    call("Ana is live", roost_live_start, ana, "{}");
    call("Bob is live", roost_live_start, bob, "{}");
    call("Bob writes", roost_write, bob,
        "{\"operations\": [{\"insert\": \"Item\", \"values\": {\"title\": \"Eggs\"}}]}");
    call("Bob waits until the server has it", roost_synced, bob, "{\"timeoutMilliseconds\": 30000}");
    await("Ana's list has it", list, "\"Eggs\"");
    call("Ana waits for the server", roost_synced, ana, "{\"timeoutMilliseconds\": 30000}");
    hold("both devices are listed", strstr(call("she lists the devices", roost_devices, ana, "{}"), "Bob's") != NULL);
    copy_member(call("Ana's status", roost_status, ana, "{}"), "digest", first, sizeof first);
    copy_member(call("Bob's status", roost_status, bob, "{}"), "digest", second, sizeof second);
    hold("both replicas are equal", strcmp(first, second) == 0);
    call("Ana stops", roost_live_stop, ana, "{}");
    call("Bob stops", roost_live_stop, bob, "{}");
    call("Ana synchronises again at once", roost_sync, ana, "{}");
    close_file(ana);
    close_file(bob);
    roost_free(text);
    return 0;
}
