#!/bin/sh
# Sends real traffic through a network of its own: starts a controller, enrolls and starts a router, hosts an echo
# service, dials it, and prints what comes back. Everything but the controller is the field's own program, `ziti`.
#
#   real-traffic.sh [--keep] [TEXT]
#
#   --keep            leaves the network running, and says how to end it
#   TEXT              what is sent            default: Hello through the overlay
#   ZITI              the ziti program        default: on the path, or ../shared/bin/ziti next to the project
#   EDGE_PORT         the controller's port   default: 31280
#   EDGE_ROUTER_PORT  the router's port       default: the next one
#
# Needs ziti 2.0 and a project that was built (npm run build). Without --keep nothing is left behind.
set -eu
umask 077

keep=''
if [ "${1:-}" = --keep ]; then keep=yes; shift; fi
text=${1:-Hello through the overlay}
port=${EDGE_PORT:-31280}
router_port=${EDGE_ROUTER_PORT:-$((port + 1))}
project=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
started=''
# Ends what was started, the youngest first; the router and the clients before the controller.
finish() {
  for pid in $started; do kill "$pid" 2>/dev/null || true; done
  for pid in $started; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

step() { printf '== %s\n' "$*"; }
fail() { printf 'real-traffic: %s\n' "$1" >&2; [ -z "${2:-}" ] || tail -n 20 "$2" >&2; exit 1; }
# waits LOG COMMAND...: until the command succeeds, for a minute.
waits() {
  log=$1 left=300; shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1)); [ "$left" -gt 0 ] || fail "this did not come true within a minute: $*" "$log"
    sleep 0.2
  done
}

ziti=${ZITI:-$(command -v ziti || echo "$project/../shared/bin/ziti")}
[ -x "$ziti" ] || fail "no ziti program: put it on the path, or set ZITI to it"
[ -f "$project/dist/commands/main.js" ] || fail "the project is not built: run npm ci && npm run build"
# The program keeps its logins in a home directory, and its clients look into it too.
run() { HOME=$work "$ziti" "$@"; }

step 'a controller with a database of its own'
password=$(od -An -N18 -tx1 /dev/urandom | tr -d ' \n')
EDGE_DATA_DIR=$work/data EDGE_LISTEN=127.0.0.1:$port EDGE_ADVERTISE=localhost:$port EDGE_ADMIN_PASSWORD=$password \
  node "$project/dist/commands/main.js" start > "$work/controller.log" 2>&1 &
started=$!
waits "$work/controller.log" curl -skf "https://localhost:$port/livez"
run edge login "https://localhost:$port" -u admin -p "$password" --yes > "$work/login.log" 2>&1 ||
  fail 'the login was refused' "$work/login.log"

step 'a service, who may host it, and who may dial it'
admin() { run edge "$@" > "$work/admin.log" 2>&1 || fail "ziti edge $*" "$work/admin.log"; }
admin create edge-router traffic-router -o "$work/router.jwt"
admin create service echo --encryption ON
admin create identity host -o "$work/host.jwt"
admin create identity client -o "$work/client.jwt"
admin create service-policy host Bind --service-roles @echo --identity-roles @host
admin create service-policy dial Dial --service-roles @echo --identity-roles @client
admin create edge-router-policy everyone --edge-router-roles '#all' --identity-roles '#all'
admin create service-edge-router-policy everywhere --edge-router-roles '#all' --service-roles '#all'
for name in host client; do
  run edge enroll --keyAlg EC --jwt "$work/$name.jwt" --out "$work/$name.json" > "$work/enroll.log" 2>&1 ||
    fail "$name could not enroll" "$work/enroll.log"
done

step 'a router'
cat > "$work/router.yml" << END
v: 3
identity:
  cert: $work/router.cert
  server_cert: $work/router.server.cert
  key: $work/router.key
  ca: $work/router.ca
ctrl:
  endpoint: tls:localhost:$port
  endpointsFile: $work/endpoints
link:
  dialers: [{binding: transport}]
listeners:
  - binding: edge
    address: tls:127.0.0.1:$router_port
    options: {advertise: "127.0.0.1:$router_port"}
edge:
  db: $work/router.db
  csr:
    country: US
    province: NC
    locality: Charlotte
    organization: example
    organizationalUnit: example
    sans: {dns: [localhost], ip: ["127.0.0.1"]}
END
run router enroll "$work/router.yml" --jwt "$work/router.jwt" > "$work/enroll.log" 2>&1 ||
  fail 'the router could not enroll' "$work/enroll.log"
HOME=$work "$ziti" router run "$work/router.yml" > "$work/router.log" 2>&1 &
started="$! $started"
is_online() { run edge list edge-routers 'name="traffic-router"' -j | tr -d ' \n' | grep -q '"syncStatus":"SYNC_DONE"'; }
waits "$work/router.log" is_online

step 'a host that echoes'
HOME=$work "$ziti" demo echo-server -i "$work/host.json" -s echo --cli-agent=false > "$work/host.log" 2>&1 &
started="$! $started"
is_hosted() { run edge list terminators 'service.name="echo"' -j | grep -q '"address" *:'; }
waits "$work/host.log" is_hosted

step "a client that says: $text"
mkfifo "$work/says"
HOME=$work "$ziti" demo zcat -i "$work/client.json" ziti:echo < "$work/says" > "$work/heard" 2> "$work/client.log" &
started="$! $started"
exec 3> "$work/says"
printf '%s\n' "$text" >&3
waits "$work/client.log" grep -qF -e "$text" "$work/heard"
exec 3>&-
printf 'What came back: %s\n' "$(grep -F -e "$text" "$work/heard" | head -n 1)"

[ -n "$keep" ] || exit 0
# Controller, router and host go on.
kill "${started%% *}" 2>/dev/null || true
running=${started#* }
cat > "$work/end.sh" << END
kill $running
for pid in $running; do while kill -0 "\$pid" 2>/dev/null; do sleep 0.2; done; done
rm -rf '$work'
END
trap - EXIT
printf '\nThe network goes on. Controller: https://localhost:%s, administrator admin, password %s\n' "$port" "$password"
printf 'Dial again:  HOME=%s %s demo zcat -i %s/client.json ziti:echo\n' "$work" "$ziti" "$work"
printf 'Look:        HOME=%s %s edge list terminators\n' "$work" "$ziti"
printf 'End it:      sh %s/end.sh\n' "$work"
