#!/usr/bin/env bash
# Tests the image partner-api as a partner without Node.js and Java uses it, with the lines of docs/local-run.md and README.md.
# Needs curl and Python, and the ports 8443 and 9911. CONTAINER=podman takes another engine than Docker.
set -euo pipefail
cd "$(dirname "$0")/../.."

docker() { command "${CONTAINER:-docker}" "$@"; }
root=$PWD
work=$(mktemp -d)
volume=partner-api-smoke-$$
receiver=

end() {
  status=$?
  [ "$status" = 0 ] || docker logs partner-api | tail -n 50 >&2
  [ -z "$receiver" ] || kill "$receiver"
  docker rm --force partner-api >/dev/null 2>&1 || true
  docker volume rm "$volume" >/dev/null 2>&1 || true
  rm -r "$work"
}
trap end EXIT

fail() { echo "$*" >&2; exit 1; }

# Tries for two minutes.
eventually() {
  for _ in $(seq 240); do "$@" && return; sleep 0.5; done
  fail "Not within two minutes: $*"
}

# Prints the block of shell lines of a document that contains a text.
block_of() {
  awk -v text="$2" '
    /^```sh$/ { inside = 1; lines = ""; next }
    /^```$/ { if (inside && index(lines, text)) printf "%s", lines; inside = 0 }
    inside { lines = lines $0 "\n" }' "$root/$1"
}

# Starts without any right that a container can do without. A call waits until the run is up.
start() {
  docker run --detach --name partner-api --publish 127.0.0.1:8443:8443 --volume "$volume:/app/.local" \
    --add-host host.docker.internal:host-gateway --read-only --tmpfs /tmp:exec --cap-drop ALL \
    --security-opt no-new-privileges partner-api --keep --forward-webhooks http://host.docker.internal:9911/hook >/dev/null
  eventually curl --silent --insecure --output "$work/first" https://localhost:8443/v1/contract
}

stop() {
  docker stop -t 20 partner-api >/dev/null
  code=$(docker inspect --format '{{.State.ExitCode}}' partner-api)
  [ "$code" = 0 ] || fail "The run ended with exit code $code."
  docker rm partner-api >/dev/null
}

call() {
  curl --silent --show-error --cacert .local/ca.pem --header "x-api-key: $api_key" --header "x-user-id: $user_id" \
    --header 'content-type: application/json' "$@"
}

json() { node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }

echo "Size: $(($(docker image inspect --format '{{.Size}}' partner-api) / 1000000)) MB"
SECONDS=0
start
echo "Start: $SECONDS s until the first answer"
[ "$(docker exec partner-api id -u)" != 0 ] || fail 'The run has the rights of root.'

cd "$work"
eval "$(block_of docs/local-run.md 'node() {')"
eval "$(block_of README.md 'curl ')" > answer
grep --quiet '^HTTP/1.1 202' answer && grep --quiet '"state":"pending"' answer || fail "$(cat answer)"
api_key=$(demo apiKey) user_id=$(demo userId)
circuit="https://localhost:8443/v1/hvacs/$(demo 'gateways[0].gatewayId')/heatingCircuits/hc1"
is_confirmed() { [ "$(call "$circuit" | json state)" = confirmed ]; }
eventually is_confirmed
echo 'The first call of the README was confirmed.'

SECONDS=0
for page in '' reference.html guide/webhooks.html; do
  call --fail --output page "https://localhost:8443/docs/$page"
  grep --quiet '<title>' page || fail "/docs/$page is no page."
done
# To build them takes longer, and tools that the image does not have.
[ "$SECONDS" -lt 5 ] || fail "The first pages took $SECONDS s."
echo 'Guide and reference are there.'

HOST=0.0.0.0 SECRETS_FILE=.local/webhook-secrets python3 "$root/partner/guide/receiver.py" > received 2>/dev/null &
receiver=$!
call --data '{ "url": "https://hooks.acme.example/heating" }' https://localhost:8443/v1/webhooks > webhook.json
json secret < webhook.json > .local/webhook-secrets
has_code() { grep --quiet 'Send this code back' received; }
eventually has_code
code=$(sed -n 's/^Send this code back: //p' received | tail -n 1)
call --data "{ \"code\": \"$code\" }" "https://localhost:8443/v1/webhooks/$(json webhookId < webhook.json)/verification" |
  grep --quiet '"enabled"' || fail 'The webhook is not enabled.'
echo 'A receiver on this machine verified its webhook.'

SECONDS=0
stop
[ "$SECONDS" -lt 8 ] || fail "The end took $SECONDS s."
echo "Stop: $SECONDS s"
start
call --fail --output contract https://localhost:8443/v1/contract || fail 'The key of the first run is gone.'
is_confirmed || fail 'The change of the first run is gone.'
stop
echo 'A second run on the same volume has the data of the first.'
