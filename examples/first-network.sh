#!/bin/sh
# Builds a small network on a running controller, as an administrator, and then uses it, as a client:
# an identity, a service with a config, and a policy that lets the one dial the other.
#
#   first-network.sh                builds it, and says how to remove it
#   first-network.sh --remove RUN   removes what the run of that name made
#
#   EDGE_URL        where the controller listens           default https://localhost:1280
#   EDGE_USERNAME   an administrator                       default admin
#   EDGE_PASSWORD   the administrator's password           default: read from data/admin-password
#   EDGE_CA_SHA256  expected fingerprint of the root CA    default: none, the first answer is trusted
#
# Needs curl, openssl and node. Every run makes entities of its own.
set -eu
umask 077

remove=''
if [ $# -gt 0 ]; then
  case "$1:${2:-}" in
    --remove:*[!0-9-]* | --remove:) echo 'first-network: --remove takes the name of a run, such as 142305-1234' >&2; exit 1 ;;
    --remove:*) remove=$2 ;;
    *) echo 'usage: first-network.sh [--remove RUN]' >&2; exit 1 ;;
  esac
fi

EDGE_URL=${EDGE_URL:-https://localhost:1280}
EDGE_USERNAME=${EDGE_USERNAME:-admin}
if [ -z "${EDGE_PASSWORD:-}" ]; then
  file=$(dirname "$0")/../data/admin-password
  [ -r "$file" ] || { echo "Set EDGE_PASSWORD: $file cannot be read." >&2; exit 1; }
  EDGE_PASSWORD=$(cat "$file")
fi
CLIENT=/edge/client/v1
MANAGEMENT=/edge/management/v1
RUN=${remove:-$(date +%H%M%S)-$$}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'first-network: %s\n' "$*" >&2; exit 1; }

# call SESSION METHOD PATH: sends standard input as the body, if there is any; prints the answer's "data".
# Only the fetched authority is trusted (--capath: none of the system's). Secrets go through files and pipes, never through an argument that a process list shows.
call() {
  session=$1 method=$2 path=$3
  cat > "$work/request"
  set -- --silent --show-error --cacert "$work/ca.pem" --capath "$work" --request "$method" --output "$work/answer" --write-out '%{http_code}'
  if [ -n "$session" ]; then set -- "$@" --header "@$work/$session"; fi
  if [ -s "$work/request" ]; then set -- "$@" --header 'content-type: application/json' --data-binary "@$work/request"; fi
  status=$(curl "$@" "$EDGE_URL$path") || fail "$method $path: no answer"
  case $status in
    2??) node -e '
      const { data } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
      console.log(JSON.stringify(data));' "$work/answer" ;;
    *) fail "$method $path answered $status: $(node -e '
      const text = require("fs").readFileSync(process.argv[1], "utf8");
      try {
        const { message, cause } = JSON.parse(text).error;
        console.log([message, cause && (cause.reason || cause.message)].filter(Boolean).join(" - "));
      } catch { console.log(text.slice(0, 200)); }' "$work/answer")" ;;
  esac
}

# json TEXT: the value of a JavaScript expression, as JSON; it may use the exported variables as env.NAME.
json() { node -e 'const { env } = process; console.log(JSON.stringify(eval(`(${process.argv[1]})`)))' "$1"; }

# pick EXPRESSION: reads JSON and prints the value of an expression on it, which is called data.
pick() { node -e '
  const text = require("fs").readFileSync(0, "utf8");
  if (text === "") process.exit(1); // the call failed, and said why
  const data = JSON.parse(text);
  const value = eval(process.argv[1]);
  if (value === undefined) { console.error(`no ${process.argv[1]} in the answer`); process.exit(1); }
  console.log(value);' "$1"; }

# login NAME PATH: keeps the session token in a header file of that name.
login() {
  login_data=$(json '{ username: env.LOGIN_USERNAME, password: env.LOGIN_PASSWORD }' | call '' POST "$2/authenticate?method=password")
  printf 'zt-session: %s\n' "$(printf '%s' "$login_data" | pick data.token)" > "$work/$1"
}

step "The controller's certificate authority"
# The one request that trusts blindly: from here on only this authority's certificates are accepted.
curl --silent --show-error --fail --insecure "$EDGE_URL/.well-known/est/cacerts" > "$work/ca.p7" || fail "no controller at $EDGE_URL"
openssl base64 -d -in "$work/ca.p7" | openssl pkcs7 -inform DER -print_certs -out "$work/ca.pem"
fingerprint=$(openssl x509 -in "$work/ca.pem" -noout -fingerprint -sha256 | sed 's/.*=//; s/://g' | tr 'A-F' 'a-f')
echo "root certificate, SHA-256: $fingerprint"
if [ -n "${EDGE_CA_SHA256:-}" ]; then
  [ "$(printf '%s' "$EDGE_CA_SHA256" | tr -d ':' | tr 'A-F' 'a-f')" = "$fingerprint" ] || fail "this is not the expected authority"
fi
call '' GET /version </dev/null | pick '`controller ${data.version} at ${data.apiVersions["edge-management"].v1.apiBaseUrls[0]}`'

step "Log in as $EDGE_USERNAME"
LOGIN_USERNAME=$EDGE_USERNAME LOGIN_PASSWORD=$EDGE_PASSWORD
export LOGIN_USERNAME LOGIN_PASSWORD RUN
login admin "$MANAGEMENT"
call admin GET "$MANAGEMENT/current-identity" </dev/null | pick '`logged in as ${data.name}, administrator: ${data.isAdmin}`'

if [ -n "$remove" ]; then
  step "Remove what the run $RUN made"
  removed=0
  for entity in service-policies/staff-dial-internal services/wiki configs/wiki identities/laptop; do
    collection=$MANAGEMENT/${entity%/*} name=${entity#*/}-$RUN
    ids=$(call admin GET "$collection?filter=name%3D%22$name%22" </dev/null | pick 'data.map(({ id }) => id).join(" ")')
    for id in $ids; do
      call admin DELETE "$collection/$id" </dev/null >/dev/null
      echo "removed $name from ${entity%/*}"
      removed=$((removed + 1))
    done
  done
  call admin DELETE "$MANAGEMENT/current-api-session" </dev/null >/dev/null
  [ "$removed" -gt 0 ] || fail "there is nothing of the run $RUN"
  echo done
  exit 0
fi

step "Create the identity laptop-$RUN, which enrolls with a password"
identity=$(json '{ name: `laptop-${env.RUN}`, type: "User", isAdmin: false, roleAttributes: [`staff-${env.RUN}`], enrollment: { updb: `laptop-${env.RUN}` } }' |
  call admin POST "$MANAGEMENT/identities" | pick data.id)
echo "identity $identity"

step "Create the config wiki-$RUN: how a client finds the service"
CONFIG_TYPE=$(call admin GET "$MANAGEMENT/config-types?filter=name%3D%22intercept.v1%22" </dev/null | pick 'data[0].id')
export CONFIG_TYPE
CONFIG=$(json '{ name: `wiki-${env.RUN}`, configTypeId: env.CONFIG_TYPE,
    data: { protocols: ["tcp"], addresses: ["wiki.example"], portRanges: [{ low: 443, high: 443 }] } }' |
  call admin POST "$MANAGEMENT/configs" | pick data.id)
export CONFIG
echo "config $CONFIG of type intercept.v1"

step "Create the service wiki-$RUN"
service=$(json '{ name: `wiki-${env.RUN}`, encryptionRequired: true, roleAttributes: [`internal-${env.RUN}`], configs: [env.CONFIG] }' |
  call admin POST "$MANAGEMENT/services" | pick data.id)
echo "service $service"

step "Create the policy: #staff-$RUN may dial #internal-$RUN"
policy=$(json '{ name: `staff-dial-internal-${env.RUN}`, type: "Dial", semantic: "AnyOf", identityRoles: [`#staff-${env.RUN}`], serviceRoles: [`#internal-${env.RUN}`] }' |
  call admin POST "$MANAGEMENT/service-policies" | pick data.id)
echo "service policy $policy"

step "The enrollment JWT of laptop-$RUN: hand it to the person who enrolls"
enrollment=$(call admin GET "$MANAGEMENT/identities/$identity" </dev/null)
jwt=$(printf '%s' "$enrollment" | pick data.enrollment.updb.jwt)
echo "$jwt"
printf '%s' "$enrollment" | pick '`usable until ${data.enrollment.updb.expiresAt}`'

step "Enroll as the client: the token turns into a password"
LOGIN_USERNAME=laptop-$RUN LOGIN_PASSWORD=$(openssl rand -hex 16)
token=$(JWT=$jwt json 'JSON.parse(Buffer.from(env.JWT.split(".")[1], "base64url"))' | pick data.jti)
json '{ username: env.LOGIN_USERNAME, password: env.LOGIN_PASSWORD }' | call '' POST "$CLIENT/enroll?method=updb&token=$token" >/dev/null
echo "enrolled $LOGIN_USERNAME"

step "Log in as the client, and list what it may reach"
login client "$CLIENT"
call client GET "$CLIENT/services?configTypes=all" </dev/null | pick 'data.map((service) => `${service.name}: ${service.permissions.join(", ")}`).join("\n")'

step "Log out"
call client DELETE "$CLIENT/current-api-session" </dev/null >/dev/null
call admin DELETE "$MANAGEMENT/current-api-session" </dev/null >/dev/null
echo done

step "All of it stays. To remove it"
echo "$0 --remove $RUN"
