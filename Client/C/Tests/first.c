#include <roost.h>
#include <stdio.h>
#include <string.h>

static roost_replica replica;

/* Calls a function of the replica with JSON, prints what it returns, and frees that. */
#define CALL(function, json)                                                 \
    do {                                                                     \
        status = function(replica, json, strlen(json), &out, &length);       \
        printf("%s returned %d: %s\n", #function, status, out);              \
        roost_free(out);                                                     \
    } while (0)

int main(void) {
    char *out;
    size_t length;
    const char *options =
        "{\"path\": \"first.roost\", \"schema\": {\"format\": 1, \"name\": \"list\", \"version\": 1, \"entities\": ["
        "  {\"id\": 1, \"name\": \"Item\", \"attributes\": ["
        "    {\"id\": 1, \"name\": \"title\", \"type\": \"string\"},"
        "    {\"id\": 2, \"name\": \"count\", \"type\": \"integer\", \"default\": 1}]}]}}";
    int status = roost_create(options, strlen(options), &replica, &out, &length);
    if (status != ROOST_OK) fprintf(stderr, "%s\n", out);
    roost_free(out);
    if (status != ROOST_OK) return 1;
    CALL(roost_write, "{\"label\": \"shopping\", \"operations\": ["
        "{\"insert\": \"Item\", \"id\": \"018f0000-0000-7000-8000-000000000001\", \"values\": {\"title\": \"Milk\"}},"
        "{\"insert\": \"Item\", \"id\": \"018f0000-0000-7000-8000-000000000002\","
        " \"values\": {\"title\": \"Eggs\", \"count\": 12}}]}");
    CALL(roost_fetch, "{\"entity\": \"Item\", \"where\": \"count > %@\", \"arguments\": [1],"
        " \"properties\": [\"title\", \"count\"]}");
    CALL(roost_fetch, "{\"entity\": \"Item\", \"where\": \"colour == 1\"}");
    CALL(roost_undo, "{}");
    status = roost_close(replica, &out, &length);
    roost_free(out);
    return status;
}
