#!/usr/bin/env bash
# The walk-through of protocol.md §12: every command there, in its order, against a real server.
#
#   ROOST_SERVER=http://127.0.0.1:8787 ROOST_ADMIN_TOKEN=roost_a_… Examples/protocol/walkthrough.sh
#
# Needs bash, curl, sed and GNU date. Works in a temporary folder. Ends with status 0 if every answer was the expected one.
set -euo pipefail
: "${ROOST_SERVER:?Set ROOST_SERVER to the address of a Roost server.}"
: "${ROOST_ADMIN_TOKEN:?Set ROOST_ADMIN_TOKEN to the admin token of that server.}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

step() { printf '\n== %s\n' "$1"; }
show() { cat "$1"; echo; }
# Ends the script unless a file holds a text.
expect() {
    grep -qF -- "$2" "$1" || { echo "walkthrough: $1 does not hold: $2" >&2; cat "$1" >&2; exit 1; }
}

step "12.1 Helpers"
# The string member $1 of the JSON in file $2.
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$2"; }
# A stamp: 12 digits of milliseconds since 1970, 4 of a counter, 16 of the replica.
stamp() { printf '%012x%04x%s' "$(date +%s%3N)" "$1" "$2"; }

step "12.2 Is the server there?"
curl -sS "$ROOST_SERVER/v1/health" -o health.json
show health.json
expect health.json '"status":"ok"'

step "12.3 Make a scope"
cat > scope.json <<'JSON'
{"name": "Lisbon", "device": "Ana's laptop", "nonce": "0f3a5c7e9b1d2468",
 "schema": "{\"format\":1,\"name\":\"trip\",\"version\":1,\"entities\":[{\"id\":1,\"name\":\"Person\",\"attributes\":[{\"id\":1,\"name\":\"name\",\"type\":\"string\"}],\"relationships\":[{\"id\":2,\"name\":\"spendings\",\"kind\":\"toMany\",\"destination\":\"Spending\",\"inverse\":\"person\",\"deleteRule\":\"cascade\"}]},{\"id\":2,\"name\":\"Spending\",\"attributes\":[{\"id\":1,\"name\":\"content\",\"type\":\"string\"},{\"id\":2,\"name\":\"amount\",\"type\":\"integer\"}],\"relationships\":[{\"id\":3,\"name\":\"person\",\"kind\":\"toOne\",\"destination\":\"Person\",\"inverse\":\"spendings\"}]}]}"}
JSON
sed -i "s/0f3a5c7e9b1d2468/$(date +%s%N)/" scope.json
curl -sS "$ROOST_SERVER/v1/scopes" -H "Authorization: Bearer $ROOST_ADMIN_TOKEN" \
    -H 'Content-Type: application/json' --data-binary @scope.json -o ana.json
ana_token=$(member token ana.json)
ana=$(member replica ana.json)
show ana.json
expect ana.json '"role":"owner"'

step "12.4 Invite"
curl -sS "$ROOST_SERVER/v1/invites" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' -d '{"role": "editor", "hours": 24, "uses": 1}' -o invite.json
invite=$(member token invite.json)
show invite.json
expect invite.json '"usesLeft":1'

step "12.5 Join"
curl -sS "$ROOST_SERVER/v1/join" -H 'Content-Type: application/json' \
    -d "{\"invite\": \"$invite\", \"device\": \"Bob's phone\", \"nonce\": \"$(date +%s%N)\"}" -o bob.json
bob_token=$(member token bob.json)
bob=$(member replica bob.json)
show bob.json
expect bob.json '"role":"editor"'

step "12.6 Push a record"
cat > push-1.json <<JSON
{"number": 1, "transactions": [{"changes": [
  {"entity": "Person", "record": "01890000-0000-7000-8000-000000000001", "stamp": "$(stamp 0 "$ana")",
   "put": {"name": "Ana"}},
  {"entity": "Spending", "record": "01890000-0000-7000-8000-000000000002", "stamp": "$(stamp 1 "$ana")",
   "put": {"content": "Taxi", "amount": 1250, "person": "01890000-0000-7000-8000-000000000001"}}]}]}
JSON
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @push-1.json -o pushed-1.json
show pushed-1.json
expect pushed-1.json '{"number":1,"results":[{"sequence":1}],"serverTime":'

step "12.7 Push it again: the reply was lost"
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @push-1.json -o pushed-again.json
cmp pushed-1.json pushed-again.json

step "12.8 Pull it"
curl -sS "$ROOST_SERVER/v1/pull" -H "Authorization: Bearer $bob_token" -o page-1.json
checkpoint=$(member checkpoint page-1.json)
show page-1.json
expect page-1.json '"put":{"content":"Taxi","amount":1250,"person":"01890000-0000-7000-8000-000000000001"}'
expect page-1.json '"hasMore":false'

step "12.9 Wait for more, while a record is deleted"
cat > push-2.json <<JSON
{"number": 2, "transactions": [{"changes": [
  {"entity": "Person", "record": "01890000-0000-7000-8000-000000000001", "stamp": "$(stamp 0 "$ana")",
   "delete": true}]}]}
JSON
curl -sS "$ROOST_SERVER/v1/pull?since=$checkpoint&wait=20" -H "Authorization: Bearer $bob_token" -o page-2.json &
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @push-2.json -o pushed-2.json
wait
expect pushed-2.json '"results":[{"sequence":2}]'
checkpoint=$(member checkpoint page-2.json)
show page-2.json
expect page-2.json '"put":{"name":"Ana"},"hash":"'
expect page-2.json '"deleted":"'

step "12.10 A conflict"
taxi=$(sed 's/.*"entity":"Spending"[^}]*"stamp":"\([0-9a-f]*\)".*/\1/' page-1.json)
cat > push-3.json <<JSON
{"number": 1, "checkpoint": "$checkpoint", "transactions": [{"changes": [
  {"entity": "Spending", "record": "01890000-0000-7000-8000-000000000002", "stamp": "$(stamp 0 "$bob")",
   "base": "$taxi", "put": {"content": "Taxi to the airport", "amount": 1250, "person": null}}]}]}
JSON
cat > push-4.json <<JSON
{"number": 3, "transactions": [{"changes": [
  {"entity": "Spending", "record": "01890000-0000-7000-8000-000000000002", "stamp": "$(stamp 1 "$ana")",
   "base": "$taxi", "put": {"content": "Taxi", "amount": 1300, "person": null}}]}]}
JSON
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $bob_token" \
    -H 'Content-Type: application/json' --data-binary @push-3.json -o pushed-3.json
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @push-4.json -o pushed-4.json
show pushed-3.json
show pushed-4.json
expect pushed-4.json '"outcomes":[{"index":0,"kind":"replaced","other":"'

step "12.11 The digest"
curl -sS "$ROOST_SERVER/v1/pull?since=$checkpoint" -H "Authorization: Bearer $bob_token" -o page-3.json
curl -sS "$ROOST_SERVER/v1/digest" -H "Authorization: Bearer $bob_token" -o digest.json
show digest.json
expect page-3.json "\"digest\":\"$(member digest digest.json)\""

step "12.12 Errors on purpose"
# A put that does not fit the scope's schema.
sed 's/"name": "Ana"/"nom": "Ana"/; s/"number": 1/"number": 4/' push-1.json > bad.json
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @bad.json -o refused-1.json
show refused-1.json
expect refused-1.json '"code":"bad_request"'
# A push number that was used for something else.
sed 's/"amount": 1250/"amount": 9/' push-1.json > forked.json
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @forked.json -o refused-2.json
show refused-2.json
expect refused-2.json '"code":"replica_forked"'
# A stamp from the year 2100.
sed "s/\"stamp\": \"[0-9a-f]*\"/\"stamp\": \"03bb2cc3d8000000$ana\"/; s/\"number\": 2/\"number\": 4/" push-2.json > ahead.json
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @ahead.json -o refused-3.json
show refused-3.json
expect refused-3.json '"code":"clock_ahead"'
# A put that is too large: its transaction is refused, the other one is stored.
large=$(head -c 300000 /dev/zero | tr '\0' x)
cat > push-5.json <<JSON
{"number": 4, "transactions": [
  {"changes": [{"entity": "Spending", "record": "01890000-0000-7000-8000-000000000002", "stamp": "$(stamp 2 "$ana")",
    "put": {"content": "$large", "amount": 1}}]},
  {"changes": [{"entity": "Person", "record": "01890000-0000-7000-8000-000000000003", "stamp": "$(stamp 3 "$ana")",
    "put": {"name": "Chloé"}}]}]}
JSON
curl -sS "$ROOST_SERVER/v1/push" -H "Authorization: Bearer $ana_token" \
    -H 'Content-Type: application/json' --data-binary @push-5.json -o refused-4.json
show refused-4.json
expect refused-4.json '"results":[{"refused":{"code":"too_large",'
expect refused-4.json '{"sequence":5}'
# A request that the role does not allow.
curl -sS "$ROOST_SERVER/v1/devices/$ana/revoke" -X POST -H "Authorization: Bearer $bob_token" -o refused-5.json
show refused-5.json
expect refused-5.json '"code":"forbidden"'

step "12.13 Revoke"
curl -sS "$ROOST_SERVER/v1/devices/$bob/revoke" -X POST -H "Authorization: Bearer $ana_token" -o revoked.json
curl -sS "$ROOST_SERVER/v1/pull" -H "Authorization: Bearer $bob_token" -o refused-6.json
show refused-6.json
expect refused-6.json '"code":"revoked"'

printf '\nwalkthrough: every answer was the expected one\n'
