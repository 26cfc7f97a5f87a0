#!/bin/sh
# Enrolls with a one-time enrollment JWT and nothing else, logs in by the certificate that it gets, and renews it:
# what a client of this network does, with openssl, curl and the usual tools of a shell.
#
#   certificate-client.sh [--pem] [--directory DIR] [FILE]
#
#   FILE             holds the JWT; without it, or with -, the JWT is read from standard input
#   --pem            send and receive bare PEM instead of JSON
#   --directory DIR  where key and certificate are left; must not exist yet; default: ./edge-<identity>
#
# It leaves client.key, client.pem (the certificate and its intermediate) and ca.pem, readable by you only.
set -eu
umask 077
LC_ALL=C
export LC_ALL

CLIENT=/edge/client/v1
ASK='Ask an administrator for a new enrollment.'

form=json directory='' file=-
usage() { sed -n '2,/^set -eu/ { /^#/ s/^# \{0,1\}//p; }' "$0"; }
while [ $# -gt 0 ]; do
  case $1 in
    --pem) form=pem ;;
    --directory) [ $# -gt 1 ] || { usage >&2; exit 2; }; directory=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    -) file=- ;;
    -*) usage >&2; exit 2 ;;
    *) file=$1 ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/none" # no authorities: only those that are fetched below count

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'certificate-client: %s\n' "$1" >&2; shift; for line; do printf '  %s\n' "$line" >&2; done; exit 1; }
for tool in openssl curl awk sed tr od; do command -v "$tool" >/dev/null || fail "$tool is not installed" 'Install it and run this again; nothing was sent yet.'; done

# values: reads JSON and prints one line for each text, number and word in it: its path, a tab, and the value as it stands.
values() {
  awk '
    function blank() { while (match(rest, /^[ \t\r\n]+/)) rest = substr(rest, RLENGTH + 1) }
    function broken() { print "this is no JSON" > "/dev/stderr"; failed = 1; exit 1 }
    function take(pattern,    found) {
      blank()
      if (!match(rest, pattern)) broken()
      found = substr(rest, 1, RLENGTH)
      if (found ~ /[\001-\037\177]/) broken()
      rest = substr(rest, RLENGTH + 1); blank()
      return found
    }
    function value(path, depth,    first, count, name) {
      if (depth > 40) broken()
      blank(); first = substr(rest, 1, 1)
      if (first == "{" || first == "[") {
        rest = substr(rest, 2); blank()
        for (count = 0; substr(rest, 1, 1) != (first == "{" ? "}" : "]"); count++) {
          if (count > 0) take("^,")
          name = count
          if (first == "{") { name = take("^" TEXT); name = substr(name, 2, length(name) - 2); take("^:") }
          value(path == "" ? name : path "." name, depth + 1); blank()
        }
        rest = substr(rest, 2)
      } else if (first == "\"") { name = take("^" TEXT); print path "\t" substr(name, 2, length(name) - 2) }
      else print path "\t" take("^(-?[0-9][-+.0-9eE]*|true|false|null)")
    }
    BEGIN { TEXT = "\"([^\"\\\\]|\\\\.)*\"" }
    { rest = rest $0 "\n" }
    END { if (!failed) { value("", 0); blank(); if (rest != "") broken() } }'
}
# field PATH FILE: one value of what `values` printed; fails when there is none.
field() { awk -F '\t' -v path="$1" '$1 == path { print $2; found = 1; exit } END { exit !found }' "$2"; }
# pem PATH FILE: the same for certificates, whose line ends JSON writes as \n.
pem() { field "$1" "$2" | sed 's/\\n/~/g' | tr '~' '\n' | tr -d '\r'; }
# quoted FILE: a PEM file as JSON text.
quoted() { awk 'BEGIN { printf "\"" } { printf "%s\\n", $0 } END { printf "\"" }' "$1"; }
decoded() {
  text=$(tr -- '-_' '+/' | tr -d '\n')
  case $((${#text} % 4)) in 2) text="$text==" ;; 3) text="$text=" ;; esac
  printf '%s' "$text" | openssl base64 -d -A
}
fingerprint() { openssl x509 -in "$1" -noout -fingerprint "-${2:-sha256}" | sed 's/.*=//; s/://g' | tr 'A-F' 'a-f'; }

# send METHOD PATH [option of curl]...: the answer goes to $work/answer, its values to $work/values, its status to $status.
# Path and headers go through files: a process list shows no token.
send() {
  printf 'url = "%s%s"\n' "$issuer" "$2" > "$work/url"
  method=$1; shift 2
  status=$(curl --silent --show-error --max-time 60 --config "$work/url" --request "$method" --cacert "$work/ca.pem" --capath "$work/none" \
    --output "$work/answer" --write-out '%{http_code}' "$@") || fail "$method $issuer: no answer, or not from this network" 'See the line above. If the name or the network is wrong, mend it and run this again.'
  case $status in 2??) ;; *) reason=$(refusal); return 1 ;; esac
  values < "$work/answer" > "$work/values" 2>/dev/null || : # PEM is no JSON
}
refusal() {
  if values < "$work/answer" > "$work/values" 2>/dev/null; then
    printf '%s %s: %s' "$status" "$(field error.code "$work/values" || :)" "$(field error.message "$work/values" || :)"
    cause=$(field error.cause.message "$work/values" || field error.cause.reason "$work/values" || :)
    [ -z "$cause" ] || printf ' (%s)' "$cause"
  else
    printf '%s' "$status"
  fi
}
# enter NAME: logs in with NAME.pem and NAME.key, and keeps the session in a file of headers.
enter() {
  printf '{}' > "$work/request"
  send POST "$CLIENT/authenticate?method=cert" --cert "$directory/$1.pem" --key "$directory/$1.key" \
    --header 'content-type: application/json' --data-binary "@$work/request" || return 1
  printf 'zt-session: %s\n' "$(field data.token "$work/values")" > "$work/session"
}
with_session() { send "$@" --header "@$work/session" --cert "$directory/client.pem" --key "$directory/client.key"; }
# request NAME: makes NAME.key and its request NAME.csr. The subject is nobody's business: the controller writes its own.
request() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/ec.key"
  openssl pkcs8 -topk8 -nocrypt -in "$work/ec.key" -out "$directory/$1.key"
  openssl req -new -key "$directory/$1.key" -subj /CN=client -out "$work/$1.csr"
}
# accept NAME: the certificate must lead to the fetched root, be for clients, name the identity and hold our key.
accept() {
  openssl verify -x509_strict -purpose sslclient -CAfile "$work/ca.pem" -untrusted "$directory/$1.pem" "$directory/$1.pem" > "$work/verdict" 2>&1 ||
    fail 'the new certificate does not lead to the root of this network' "$(cat "$work/verdict")" "Its files are in $directory. Show them to an administrator."
  [ "$(openssl x509 -in "$directory/$1.pem" -noout -pubkey)" = "$(openssl pkey -in "$directory/$1.key" -pubout)" ] ||
    fail 'the new certificate is for another key' 'Ask an administrator what answers at this address.'
  openssl x509 -in "$directory/$1.pem" -noout -subject -startdate -enddate | sed 's/^subject= */subject    /; s/^notBefore=/from       /; s/^notAfter=/until      /'
  echo "SHA-1      $(fingerprint "$directory/$1.pem" sha1)"
}

step 'The enrollment JWT'
if [ "$file" = - ]; then
  [ ! -t 0 ] || echo 'Paste the JWT, then press Ctrl-D:'
  tr -d ' \t\r\n' > "$work/jwt"
else
  [ -r "$file" ] || fail "$file cannot be read" 'Give the file that holds the enrollment JWT.'
  tr -d ' \t\r\n' < "$file" > "$work/jwt"
fi
awk 'NR > 1 || !/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/ { exit 1 } END { exit !NR }' "$work/jwt" ||
  fail 'this is no JWT: it must be three parts with dots between them' 'Copy it whole, on one line.'
tr . '\n' < "$work/jwt" > "$work/parts"
for part in 1 2 3; do sed -n "${part}p" "$work/parts" | decoded > "$work/part$part" || fail 'the JWT is damaged' 'Copy it whole.'; done
values < "$work/part1" > "$work/header" 2>/dev/null && values < "$work/part2" > "$work/claims" 2>/dev/null || fail 'the JWT is damaged: its parts are no JSON' 'Copy it whole.'
claim() { field "$1" "$work/claims" || fail "the JWT says no \"$1\"" "$ASK"; }
algorithm=$(field alg "$work/header" || :)
issuer=$(claim iss) method=$(claim em) subject=$(claim sub) token=$(claim jti) expires=$(claim exp)
issuer=${issuer%/}
# From here on these stand in addresses and file names: nothing but what belongs there.
printf '%s\n' "$issuer" | grep -Eqx 'https://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?' ||
  fail 'the JWT names no controller' "$ASK"
printf '%s\n%s\n' "$subject" "$token" | grep -Evqx '[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}' &&
  fail 'the JWT is not one of an enrollment' "$ASK"
case $expires in '' | *[!0-9]*) fail 'the JWT says no time at which it expires' "$ASK" ;; esac
echo "controller $issuer"
echo "identity   $subject"
echo "signed by  ${algorithm:-nobody}"
[ "$method" = ott ] || fail "this JWT is for the method \"$method\", this script for \"ott\"" "$ASK"
[ "$expires" -gt "$(date +%s)" ] || fail 'the JWT has expired' "$ASK" 'If it should still be good, set the clock of this machine.'
echo "expires    in $(((expires - $(date +%s)) / 60)) minutes"

step "The certificate that $issuer shows, and whether its key signed the JWT"
host=${issuer#https://}
case $host in *]:* | *:*[!]]) ;; *) host=$host:443 ;; esac
openssl s_client -connect "$host" < /dev/null > "$work/shown" 2>/dev/null || :
openssl x509 -in "$work/shown" -out "$work/server.pem" 2>/dev/null || fail "no controller answers at $issuer" 'Is its name known here, and does a firewall let you through?'
openssl x509 -in "$work/server.pem" -noout -pubkey > "$work/server.pub"
printf '%s.%s' "$(sed -n 1p "$work/parts")" "$(sed -n 2p "$work/parts")" > "$work/signed"
case $algorithm in
  RS256) cp "$work/part3" "$work/signature" ;;
  ES256) # the two numbers side by side, which openssl wants in DER
    numbers=$(od -An -v -tx1 "$work/part3" | tr -d ' \n')
    [ ${#numbers} = 128 ] || fail 'the signature of the JWT is damaged' 'Copy the JWT whole.'
    printf 'asn1 = SEQUENCE:signature\n[signature]\nr = INTEGER:0x%s\ns = INTEGER:0x%s\n' "$(printf %.64s "$numbers")" "${numbers#"$(printf %.64s "$numbers")"}" > "$work/numbers"
    openssl asn1parse -genconf "$work/numbers" -noout -out "$work/signature" ;;
  *) fail "the JWT is signed by \"$algorithm\"; only ES256 and RS256 are accepted" "$ASK" ;;
esac
openssl dgst -sha256 -verify "$work/server.pub" -signature "$work/signature" "$work/signed" >/dev/null 2>&1 ||
  fail "the JWT was not signed by what answers at $issuer" 'Either the JWT was changed, or somebody stands between you and the controller.' 'Nothing was sent. Tell an administrator, and ask for a new enrollment.'
echo 'yes: the JWT comes from this controller'

step 'Its certificate authority'
# Only the key that signed the JWT may answer; a name or a date proves nothing as long as no authority is known.
pin=$(openssl pkey -pubin -in "$work/server.pub" -outform DER | openssl dgst -sha256 -binary | openssl base64 -A)
curl --silent --show-error --fail --max-time 60 --insecure --pinnedpubkey "sha256//$pin" --output "$work/ca.b64" "$issuer/.well-known/est/cacerts" ||
  fail 'the certificates to trust could not be fetched' 'Run this again; if it fails again, tell an administrator.'
openssl base64 -d -in "$work/ca.b64" 2>/dev/null | openssl pkcs7 -inform DER -print_certs -out "$work/ca.pem" 2>/dev/null && [ -s "$work/ca.pem" ] ||
  fail 'the certificates to trust could not be read' 'Tell an administrator.'
openssl verify -x509_strict -purpose sslserver -CAfile "$work/ca.pem" "$work/server.pem" > "$work/verdict" 2>&1 ||
  fail 'the certificate of the controller does not lead to its own authority' "$(cat "$work/verdict")" 'Tell an administrator.'
awk -v to="$work/authority" '/BEGIN CERTIFICATE/ { count++ } { print > (to count) }' "$work/ca.pem"
for authority in "$work"/authority[0-9]*; do
  if openssl verify -x509_strict -CAfile "$authority" "$authority" > "$work/verdict" 2>&1; then echo "root       SHA-256 $(fingerprint "$authority")"; fi
done

step 'Key and request'
directory=${directory:-./edge-$subject}
mkdir "$directory" 2>/dev/null || fail "$directory cannot be made, or is there already" 'Name another one: --directory DIR. The JWT is still good.'
case $directory in /*) ;; *) directory=$(pwd)/$directory ;; esac
cp "$work/ca.pem" "$directory/ca.pem"
request client
echo "key        $directory/client.key"

step "Enroll ($form)"
if [ "$form" = json ]; then
  printf '{"token":"%s","clientCsr":%s}' "$token" "$(quoted "$work/client.csr")" > "$work/request"
  set -- POST "$CLIENT/enroll/ott" --header 'content-type: application/json' --header 'accept: application/json' --data-binary "@$work/request"
else
  set -- POST "$CLIENT/enroll?method=ott&token=$token" --header 'content-type: application/x-pem-file' --header 'accept: application/x-pem-file' --data-binary "@$work/client.csr"
fi
if ! send "$@"; then
  rm -r "$directory"
  fail "the enrollment was refused: $reason" 'A JWT works once, and an administrator can take it back.' "$ASK"
fi
if [ "$form" = json ]; then pem data.cert "$work/values"; else cat "$work/answer"; fi > "$directory/client.pem"
accept client

step 'Log in by the certificate'
enter client || fail "the login was refused: $reason" "The files are in $directory; ask an administrator whether the identity is disabled."
authenticator=$(field data.authenticatorId "$work/values") || fail 'the controller does not say which certificate it knew' 'Tell an administrator.'
echo "logged in as $(field data.identity.name "$work/values" || echo "$subject"), authenticator $authenticator"

step 'Services that this identity may use'
with_session GET "$CLIENT/services?limit=500" || fail "the list was refused: $reason" "The files are in $directory and still good."
awk -F '\t' '$1 ~ /^data\.[0-9]+\.name$/ { print $2; count++ } END { if (!count) print "none yet" }' "$work/values"

step 'Renew the certificate, with a new key'
request next
printf '{"clientCertCsr":%s}' "$(quoted "$work/next.csr")" > "$work/request"
with_session POST "$CLIENT/current-identity/authenticators/$authenticator/extend" --header 'content-type: application/json' --data-binary "@$work/request" ||
  fail "the renewal was refused: $reason" "The certificate in $directory is still good."
pem data.clientCert "$work/values" > "$directory/next.pem"
accept next
printf '{"clientCert":%s}' "$(quoted "$directory/next.pem")" > "$work/request"
with_session POST "$CLIENT/current-identity/authenticators/$authenticator/extend-verify" --header 'content-type: application/json' --data-binary "@$work/request" ||
  fail "the new certificate was not taken: $reason" "The one in $directory/client.pem is still good."

step 'The new certificate logs in, the old one does not'
cp "$work/session" "$work/first-session"
enter next || fail "the new certificate was refused: $reason" "Both are in $directory; tell an administrator."
echo 'new: accepted'
cp "$work/session" "$work/new-session"
if enter client; then fail 'the old certificate still logs in' 'Tell an administrator.'; fi
case $status in 401 | 403) echo "old: refused ($reason)" ;; *) fail "the old certificate: $reason" 'Tell an administrator.' ;; esac
mv "$directory/next.key" "$directory/client.key"
mv "$directory/next.pem" "$directory/client.pem"

step 'Log out'
for session in first-session new-session; do
  cp "$work/$session" "$work/session"
  with_session DELETE "$CLIENT/current-api-session" || fail "the logout was refused: $reason" 'The session ends by itself.'
done
echo "client.key, client.pem and ca.pem are in $directory"
echo done
