/* Misuse of every function of roost.h: each call returns an error and changes nothing, and nothing crashes.
 *
 *   misuse FOLDER [ROUNDS]     prints a line for each test; exit status 0 only if all pass
 *
 * FOLDER has to be empty. ROUNDS is the number of calls of each thread where several use one handle, 25 by default. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <roost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int32_t (*opening)(const char *, size_t, int64_t *, char **, size_t *);
typedef int32_t (*calling)(int64_t, const char *, size_t, char **, size_t *);
typedef int32_t (*ending)(int64_t, char **, size_t *);

/* A text and its length, also of one with a NUL in it. */
#define TEXT(text) text, sizeof text - 1

static const char *const schema =
    "{\"format\": 1, \"name\": \"list\", \"version\": 1, \"entities\": [{\"id\": 1, \"name\": \"Item\","
    " \"attributes\": [{\"id\": 1, \"name\": \"title\", \"type\": \"string\"},"
    " {\"id\": 2, \"name\": \"count\", \"type\": \"integer\", \"default\": 1}]}]}";

static const char *const item = "018f0000-0000-7000-8000-000000000001";

/* The functions of a replica, each with JSON that it accepts, and whether it then succeeds without a server. */
static const struct {
    const char *name;
    calling function;
    const char *json;
    int is_local;
} calls[] = {
    {"roost_create_scope", roost_create_scope, "{\"server\": \"http://127.0.0.1:1\", \"adminToken\": \"x\"}", 0},
    {"roost_rejoin", roost_rejoin, "{\"link\": \"http://127.0.0.1:1/join#roost_i_x\"}", 0},
    {"roost_invite", roost_invite, "{}", 0},
    {"roost_invites", roost_invites, "{}", 0},
    {"roost_devices", roost_devices, "{}", 0},
    {"roost_revoke", roost_revoke, "{\"device\": \"0123456789abcdef\"}", 0},
    {"roost_set_role", roost_set_role, "{\"device\": \"0123456789abcdef\", \"role\": \"viewer\"}", 0},
    {"roost_rotate_token", roost_rotate_token, "{}", 0},
    {"roost_fetch", roost_fetch, "{\"entity\": \"Item\"}", 1},
    {"roost_get", roost_get, "{\"entity\": \"Item\", \"id\": \"018f0000-0000-7000-8000-000000000001\"}", 1},
    {"roost_write", roost_write, "{\"operations\": []}", 1},
    {"roost_undo", roost_undo, "{}", 0},
    {"roost_redo", roost_redo, "{}", 1},
    {"roost_undelete", roost_undelete, "{\"entity\": \"Item\", \"id\": \"018f0000-0000-7000-8000-000000000009\"}", 0},
    {"roost_restore", roost_restore, "{\"number\": 1}", 0},
    {"roost_sync", roost_sync, "{}", 0},
    {"roost_live_start", roost_live_start, "{}", 0},
    {"roost_live_stop", roost_live_stop, "{}", 1},
    {"roost_synced", roost_synced, "{}", 0},
    {"roost_status", roost_status, "{}", 1},
    {"roost_explain", roost_explain, "{\"entity\": \"Item\", \"id\": \"018f0000-0000-7000-8000-000000000001\"}", 1},
    {"roost_journal", roost_journal, "{}", 1},
    {"roost_check", roost_check, "{}", 1},
    {"roost_backup", roost_backup, "{\"path\": \"/nowhere/copy.roost\"}", 0},
    {"roost_schema", roost_schema, "{}", 1},
    {"roost_migrate", roost_migrate, "{}", 1},
};
enum { call_count = sizeof calls / sizeof *calls };

static const struct {
    const char *name;
    opening function;
} openings[] = {{"roost_create", roost_create}, {"roost_open", roost_open}, {"roost_join", roost_join}};

static const struct {
    const char *name;
    ending function;
} endings[] = {{"roost_close", roost_close}, {"roost_unobserve", roost_unobserve}, {"roost_cancel", roost_cancel}};

static int tests, failures, rounds = 25;
static const char *folder;

/* Prints the result of a test. */
static void test(const char *function, const char *misuse, int passed, int status) {
    tests++;
    if (!passed) failures++;
    printf("%s %s: %s (%d)\n", passed ? "ok  " : "FAIL", function, misuse, status);
}

/* Frees the text of a call, and says whether it is the object of an error of that class, or of a result. */
static int is_answer(int32_t status, char *out, size_t length) {
    int is_right = out != NULL && length == strlen(out) && out[0] == '{';
    if (is_right && status != ROOST_OK)
        is_right = strstr(out, "\"kind\":") && strstr(out, "\"code\":") && strstr(out, "\"message\":") &&
                   strstr(out, "\"next\":");
    if (!is_right) printf("     %d %lu %s\n", (int)status, (unsigned long)length, out ? out : "(null)");
    return roost_free(out) == ROOST_OK && is_right;
}

/* Calls a function, and tests that it returns an expected status and an error object. */
static void expect(
    const char *name, const char *misuse, calling function, int64_t handle, const char *json, size_t length,
    int32_t expected) {
    char *out = NULL;
    size_t out_length = 0;
    int32_t status = function(handle, json, length, &out, &out_length);
    test(name, misuse, is_answer(status, out, out_length) && status == expected, status);
}

static roost_replica open_new(const char *name) {
    char json[2048], *out = NULL;
    size_t length = 0;
    roost_replica replica = -1;
    snprintf(json, sizeof json, "{\"path\": \"%s/%s\", \"schema\": %s}", folder, name, schema);
    if (roost_create(json, strlen(json), &replica, &out, &length) != ROOST_OK) {
        fprintf(stderr, "misuse: cannot make a replica: %s\n", out);
        exit(2);
    }
    roost_free(out);
    return replica;
}

static void call_well(calling function, int64_t handle, const char *json) {
    char *out = NULL;
    size_t length = 0;
    if (function(handle, json, strlen(json), &out, &length) != ROOST_OK) fprintf(stderr, "misuse: %s\n", out);
    roost_free(out);
}

/* ---- Texts ---- */

/* JSON that no function accepts. */
static const struct {
    const char *misuse;
    const char *json;
    size_t length;
} texts[] = {
    {"invalid UTF-8", TEXT("{\"a\": \"\xff\xfe\"}")},
    {"an overlong form of UTF-8", TEXT("{\"a\": \"\xc0\xaf\"}")},
    {"a lone surrogate", TEXT("{\"a\": \"\\ud800\"}")},
    {"a NUL in the text", TEXT("{\"a\": \0\"\"}")},
    {"no JSON", TEXT("null pointer")},
    {"an array", TEXT("[]")},
    {"a text that ends early", TEXT("{\"entity\": \"It")},
    {"more after the object", TEXT("{} {}")},
    {"an unknown member", TEXT("{\"entity\": \"Item\", \"no such member\": 1}")},
    {"a member twice", TEXT("{\"entity\": \"Item\", \"entity\": \"Item\"}")},
    {"NaN", TEXT("{\"entity\": NaN}")},
};
enum { text_count = sizeof texts / sizeof *texts };

static void misuse_texts(const char *name, calling function, int64_t handle) {
    size_t deep_length = 2000000;
    char *deep = malloc(deep_length);
    memset(deep, '[', deep_length);
    for (int i = 0; i < text_count; i++)
        expect(name, texts[i].misuse, function, handle, texts[i].json, texts[i].length, ROOST_MISUSE);
    expect(name, "deep nesting", function, handle, deep, deep_length, ROOST_MISUSE);
    expect(name, "NULL with a length", function, handle, NULL, 2, ROOST_MISUSE);
    expect(name, "a length of 64 MiB and 1", function, handle, "{}", ((size_t)64 << 20) + 1, ROOST_MISUSE);
    expect(name, "a length of SIZE_MAX", function, handle, "{}", SIZE_MAX, ROOST_MISUSE);
    free(deep);
}

static void misuse_results(const char *name, calling function, int64_t handle) {
    char *out = NULL;
    size_t length = 0;
    int32_t status = function(handle, "{}", 2, NULL, &length);
    test(name, "out is NULL", status == ROOST_MISUSE, status);
    status = function(handle, "{}", 2, &out, NULL);
    test(name, "out_length is NULL", status == ROOST_MISUSE && out == NULL, status);
    status = function(handle, "{}", 2, NULL, NULL);
    test(name, "both are NULL", status == ROOST_MISUSE, status);
}

static void misuse_handles(const char *name, calling function, const char *json, int64_t closed, int64_t wrong) {
    const int64_t handles[] = {0, -1, 1, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        expect(name, "a handle that was made up", function, handles[i], json, strlen(json), ROOST_CLOSED);
    expect(name, "a closed handle", function, closed, json, strlen(json), ROOST_CLOSED);
    expect(name, "a handle of another kind", function, wrong, json, strlen(json), ROOST_CLOSED);
}

/* ---- Openings, observing and endings, which have other parameters ---- */

static opening current_opening;
static __thread int64_t opened = -1;

/* An opening function with the parameters of the others. */
static int32_t open_as_call(int64_t handle, const char *json, size_t length, char **out, size_t *out_length) {
    (void)handle;
    opened = -1;
    int32_t status = current_opening(json, length, &opened, out, out_length);
    if (status != ROOST_OK && opened != 0) return -1;
    return status;
}

static int32_t observe_as_call(int64_t handle, const char *json, size_t length, char **out, size_t *out_length) {
    opened = -1;
    int32_t status = roost_observe(handle, json, length, NULL, NULL, &opened, out, out_length);
    if (status != ROOST_OK && opened != 0) return -1;
    return status;
}

static ending current_ending;

static int32_t end_as_call(int64_t handle, const char *json, size_t length, char **out, size_t *out_length) {
    (void)json;
    (void)length;
    return current_ending(handle, out, out_length);
}

static void misuse_openings(void) {
    char *out = NULL, path[1024];
    size_t length = 0;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        const char *name = openings[i].name;
        current_opening = openings[i].function;
        misuse_texts(name, open_as_call, 0);
        misuse_results(name, open_as_call, 0);
        int32_t status = current_opening("{}", 2, NULL, &out, &length);
        test(name, "the handle's pointer is NULL", is_answer(status, out, length) && status == ROOST_MISUSE, status);
        expect(name, "an empty path", open_as_call, 0, TEXT("{\"path\": \"\"}"), ROOST_MISUSE);
        expect(name, "a path with a NUL", open_as_call, 0, TEXT("{\"path\": \"a\\u0000b\"}"), ROOST_MISUSE);
        expect(name, "a path that is a number", open_as_call, 0, TEXT("{\"path\": 1}"), ROOST_MISUSE);
        expect(name, "no members", open_as_call, 0, "{}", 2, ROOST_MISUSE);
    }
    current_opening = roost_open;
    snprintf(path, sizeof path, "{\"path\": \"%s/none.roost\"}", folder);
    expect("roost_open", "a file that does not exist", open_as_call, 0, path, strlen(path), ROOST_NOT_FOUND);
    snprintf(path, sizeof path, "{\"path\": \"%s\"}", folder);
    expect("roost_open", "a folder", open_as_call, 0, path, strlen(path), ROOST_FILE);
    current_opening = roost_create;
    snprintf(path, sizeof path, "{\"path\": \"%s/a.roost\", \"schema\": {\"format\": 1}}", folder);
    expect("roost_create", "a schema that cannot be used", open_as_call, 0, path, strlen(path), ROOST_INVALID);
    current_opening = roost_join;
    snprintf(path, sizeof path, "{\"path\": \"%s/b.roost\", \"link\": \"nonsense\"}", folder);
    expect("roost_join", "a malformed link", open_as_call, 0, path, strlen(path), ROOST_INVALID);
    snprintf(path, sizeof path, "%s/b.roost", folder);
    test("roost_join", "no file is left", access(path, F_OK) != 0, 0);
}

/* ---- Concurrent use ---- */

static struct {
    calling function;
    const char *json;
    int64_t handle;
    int is_wrong;
} hammered;

static void *hammer(void *context) {
    (void)context;
    for (int i = 0; i < rounds; i++) {
        char *out = NULL;
        size_t length = 0;
        int32_t status = hammered.function(hammered.handle, hammered.json, strlen(hammered.json), &out, &length);
        if (status < 0 || status > ROOST_INTERNAL || status == ROOST_INTERNAL || out == NULL || out[length] != 0)
            hammered.is_wrong = 1;
        if (roost_free(out) != ROOST_OK) hammered.is_wrong = 1;
    }
    return NULL;
}

/* Lets four threads call a function of one handle, while a fifth may close the handle. */
static void misuse_concurrently(const char *name, calling function, const char *json, int closes, int number) {
    pthread_t threads[4];
    char file[64];
    snprintf(file, sizeof file, "%s-%d-%d.roost", closes ? "closed" : "used", number, (int)strlen(name));
    roost_replica replica = open_new(file);
    hammered.function = function;
    hammered.json = json;
    hammered.handle = replica;
    hammered.is_wrong = 0;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, hammer, NULL);
    char *out = NULL;
    size_t length = 0;
    int32_t status = ROOST_OK;
    if (closes) {
        usleep(2000);
        status = roost_close(replica, &out, &length);
        roost_free(out);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    if (!closes) {
        status = roost_close(replica, &out, &length);
        roost_free(out);
    }
    const char *misuse = closes ? "four threads while the handle is closed" : "four threads on one handle";
    test(name, misuse, !hammered.is_wrong && status == ROOST_OK, status);
}

/* ---- Observations ---- */

static void count(void *context) { __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED); }

static int64_t ended_by_callback;

static void end_self(void *context) {
    char *out = NULL;
    size_t length = 0;
    int64_t observation = __atomic_load_n(&ended_by_callback, __ATOMIC_ACQUIRE);
    if (observation == 0) return;
    int32_t status = roost_unobserve(observation, &out, &length);
    roost_free(out);
    if (status == ROOST_OK) __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED);
}

static void misuse_observations(roost_replica replica) {
    int calls_made = 0, calls_after;
    char *out = NULL;
    size_t length = 0;
    roost_observation observation = 0;
    int32_t status = roost_observe(
        replica, TEXT("{\"entity\": \"Item\"}"), count, &calls_made, &observation, &out, &length);
    roost_free(out);
    for (int i = 0; i < 1000 && __atomic_load_n(&calls_made, __ATOMIC_RELAXED) == 0; i++) usleep(1000);
    test("roost_observe", "the callback is called", status == ROOST_OK && calls_made > 0, status);
    status = roost_observe(replica, "{}", 2, count, &calls_made, NULL, &out, &length);
    int is_right = is_answer(status, out, length) && status == ROOST_MISUSE;
    test("roost_observe", "the handle's pointer is NULL", is_right, status);
    misuse_results("roost_next_event", roost_next_event, observation);
    misuse_texts("roost_next_event", roost_next_event, observation);
    expect("roost_next_event", "a negative time", roost_next_event, observation, TEXT("{\"timeoutMilliseconds\": -1}"),
           ROOST_MISUSE);
    status = roost_unobserve(observation, &out, &length);
    roost_free(out);
    calls_after = __atomic_load_n(&calls_made, __ATOMIC_RELAXED);
    call_well(roost_write, replica, "{\"operations\": [{\"insert\": \"Item\", \"values\": {\"title\": \"x\"}}]}");
    usleep(50000);
    test("roost_unobserve", "no callback afterwards", status == ROOST_OK && calls_after == calls_made, status);
    misuse_handles("roost_next_event", roost_next_event, "{}", observation, replica);
    current_ending = roost_unobserve;
    misuse_handles("roost_unobserve", end_as_call, "{}", observation, replica);
    int ended = 0;
    status = roost_observe(replica, TEXT("{\"entity\": \"Item\"}"), end_self, &ended, &observation, &out, &length);
    roost_free(out);
    __atomic_store_n(&ended_by_callback, observation, __ATOMIC_RELEASE);
    call_well(roost_write, replica, "{\"operations\": [{\"insert\": \"Item\", \"values\": {\"title\": \"y\"}}]}");
    for (int i = 0; i < 3000 && __atomic_load_n(&ended, __ATOMIC_RELAXED) == 0; i++) usleep(1000);
    test("roost_unobserve", "inside the callback", ended == 1, ended);
}

/* ---- A fork ---- */

static void misuse_fork(roost_replica replica) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *out = NULL;
        size_t length = 0;
        int wrong = 0;
        for (int i = 0; i < call_count; i++) {
            size_t json_length = strlen(calls[i].json);
            if (calls[i].function(replica, calls[i].json, json_length, &out, &length) != ROOST_FORKED) wrong++;
            if (roost_free(out) != ROOST_OK) wrong++;
        }
        current_opening = roost_open;
        if (open_as_call(0, TEXT("{\"path\": \"a\"}"), &out, &length) != ROOST_FORKED) wrong++;
        if (roost_close(replica, &out, &length) != ROOST_FORKED) wrong++;
        _exit(wrong == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    test("all functions", "a fork uses its parent's handle", WIFEXITED(status) && WEXITSTATUS(status) == 0, status);
}

/* ---- All ---- */

static int item_count(roost_replica replica) {
    char *out = NULL;
    size_t length = 0;
    int count = -1;
    roost_fetch(replica, TEXT("{\"entity\": \"Item\", \"count\": true}"), &out, &length);
    const char *found = out ? strstr(out, "\"rows\":[{\"@count\":") : NULL;
    if (found) sscanf(found, "\"rows\":[{\"@count\":%d", &count);
    roost_free(out);
    return count;
}

static void misuse_frees(void) {
    char *out = NULL, own[4] = "{}";
    size_t length = 0;
    roost_status(0, NULL, 0, &out, &length);
    int32_t first = roost_free(out), second = roost_free(out), other = roost_free(own), null = roost_free(NULL);
    test("roost_free", "a text twice", first == ROOST_OK && second == ROOST_MISUSE, second);
    test("roost_free", "a text that is not the library's", other == ROOST_MISUSE, other);
    test("roost_free", "NULL", null == ROOST_OK, null);
    int32_t version = roost_free((char *)(size_t)roost_version());
    test("roost_version", "its text is freed", version == ROOST_MISUSE, version);
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments < 2 || count_of_arguments > 3) {
        fprintf(stderr, "misuse: expected one empty folder, and the number of rounds.\n");
        return 64;
    }
    if (count_of_arguments == 3) rounds = atoi(arguments[2]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    folder = arguments[1];
    roost_replica replica = open_new("main.roost"), closed = open_new("closed.roost");
    char *out = NULL, json[256];
    size_t length = 0;
    snprintf(
        json, sizeof json, "{\"operations\": [{\"insert\": \"Item\", \"id\": \"%s\", \"values\": {\"title\": \"a\"}}]}",
        item);
    call_well(roost_write, replica, json);
    for (int i = 0; i < call_count; i++)
        if (calls[i].is_local)
            expect(calls[i].name, "none", calls[i].function, replica, calls[i].json, strlen(calls[i].json), ROOST_OK);
    roost_close(closed, &out, &length);
    roost_free(out);
    roost_observation observation = 0;
    roost_observe(replica, "{}", 2, NULL, NULL, &observation, &out, &length);
    roost_free(out);

    misuse_frees();
    misuse_openings();
    for (int i = 0; i < call_count; i++) {
        misuse_results(calls[i].name, calls[i].function, replica);
        misuse_texts(calls[i].name, calls[i].function, replica);
        misuse_handles(calls[i].name, calls[i].function, calls[i].json, closed, observation);
    }
    misuse_results("roost_observe", observe_as_call, replica);
    misuse_texts("roost_observe", observe_as_call, replica);
    misuse_handles("roost_observe", observe_as_call, "{}", closed, observation);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        current_ending = endings[i].function;
        misuse_results(endings[i].name, end_as_call, 0);
        int64_t wrong = current_ending == roost_close ? observation : current_ending == roost_cancel ? closed : replica;
        misuse_handles(endings[i].name, end_as_call, "{}", closed, wrong);
    }
    test("all functions", "nothing was changed", item_count(replica) == 1, item_count(replica));
    misuse_observations(replica);
    for (int i = 0; i < call_count; i++) {
        misuse_concurrently(calls[i].name, calls[i].function, calls[i].json, 0, i);
        misuse_concurrently(calls[i].name, calls[i].function, calls[i].json, 1, i);
    }
    misuse_concurrently("roost_observe", observe_as_call, "{\"entity\": \"Item\"}", 1, call_count);
    misuse_fork(replica);
    int32_t status = roost_close(replica, &out, &length);
    roost_free(out);
    test("roost_close", "with an open observation", status == ROOST_OK, status);
    printf("%d tests, %d failures\n", tests, failures);
    return failures == 0 ? 0 : 1;
}
