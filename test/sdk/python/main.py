"""Builds a small network with the Python SDKs and uses it as a client.

EDGE_URL, EDGE_USERNAME, EDGE_PASSWORD: the controller and an administrator of it.
EDGE_CA_SHA256: fingerprint of the network's root; without it the first answer is trusted.
"""
import base64
import os
import tempfile

import edge_client
import edge_fabric
import edge_management as management
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7

URL = os.environ["EDGE_URL"]
MARK = "python-" + os.urandom(4).hex()  # in the names of all that is made here
PLACE = tempfile.TemporaryDirectory()


def file(name, content):
    """A file for what the TLS library takes by path."""
    path = os.path.join(PLACE.name, name)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as out:
        out.write(content)
    return path


def connect(package, path, trust, token=None):
    """An API client that trusts the authorities in a file; with a token it sends that."""
    configuration = package.Configuration(host=URL + path, ssl_ca_cert=trust)
    configuration.verify_ssl = trust is not None
    if token:
        configuration.api_key["ztSession"] = token
    return package.ApiClient(configuration)


# 1. Trust. This one request is not verified: what it brings must have the fingerprint that you were told otherwise.
with connect(edge_client, "/edge/client/v1", None) as stranger:
    bundle = edge_client.WellKnownApi(stranger).list_well_known_cas()
authorities = pkcs7.load_der_pkcs7_certificates(base64.b64decode(bytes(bundle)))
roots = [one.fingerprint(hashes.SHA256()).hex() for one in authorities if one.issuer == one.subject]
if os.environ.get("EDGE_CA_SHA256", roots[0]) not in roots:
    raise SystemExit("this is not the network that was expected: " + ", ".join(roots))
ca = file("ca.pem", b"".join(one.public_bytes(serialization.Encoding.PEM) for one in authorities))
print("trusted the root of the network")

# 2. Log in. The token goes with all further requests.
login = management.Authenticate(username=os.environ["EDGE_USERNAME"], password=os.environ["EDGE_PASSWORD"])
with connect(management, "/edge/management/v1", ca) as public:
    session = management.AuthenticationApi(public).authenticate("password", auth=login).data
admin = connect(management, "/edge/management/v1", ca, session.token)
print("logged in as an administrator")

# 3. A service with a config, an identity, a posture check, and the policies that connect them.
configs, services = management.ConfigApi(admin), management.ServiceApi(admin)
[intercept] = configs.list_config_types(filter='name = "intercept.v1"').data
data = {"protocols": ["tcp"], "addresses": ["wiki.internal"], "portRanges": [{"low": 80, "high": 80}]}
config = configs.create_config(management.ConfigCreate(name=MARK, config_type_id=intercept.id, data=data)).data.id
service = services.create_service(
    management.ServiceCreate(name=MARK, encryption_required=True, configs=[config])
).data.id
identities = management.IdentityApi(admin)
identity = identities.create_identity(
    management.IdentityCreate(name=MARK, type="Device", is_admin=False, enrollment={"ott": True})
).data.id
checks = management.PostureChecksApi(admin)
check = checks.create_posture_check(
    management.PostureCheckMacAddressCreate(name=MARK, type_id="MAC", mac_addresses=["02:fc:00:aa:12:34"])
).data.id
router = management.EdgeRouterApi(admin).create_edge_router(management.EdgeRouterCreate(name=MARK)).data.id
policy = management.ServicePolicyApi(admin).create_service_policy(
    management.ServicePolicyCreate(name=MARK, type="Dial", semantic="AnyOf", identity_roles=["@" + identity],
                                   service_roles=["@" + service], posture_check_roles=["@" + check])
).data.id
router_policy = management.EdgeRouterPolicyApi(admin).create_edge_router_policy(
    management.EdgeRouterPolicyCreate(name=MARK, semantic="AnyOf", identity_roles=["@" + identity],
                                      edge_router_roles=["@" + router])
).data.id
service_router_policy = management.ServiceEdgeRouterPolicyApi(admin).create_service_edge_router_policy(
    management.ServiceEdgeRouterPolicyCreate(name=MARK, semantic="AnyOf", service_roles=["@" + service],
                                             edge_router_roles=["@" + router])
).data.id
print("made a network")

# 4. Read and list. A posture check comes back as the kind that it is.
read = checks.detail_posture_check(check).data
print("the posture check wants", read.mac_addresses[0])
found = checks.list_posture_checks(filter=f'name = "{MARK}"').data
print("found by a filter:", len(found), found[0].type_id.value)
# The same session opens the fabric API, which says what carries the traffic.
with connect(edge_fabric, "/fabric/v1", ca, session.token) as fabric:
    print("routers of the fabric:", len(edge_fabric.RouterApi(fabric).list_routers(filter=f'name = "{MARK}"').data))

# 5. A refusal has a code for programs and, where one is to blame, the field.
try:
    services.create_service(management.ServiceCreate(name=MARK, encryption_required=True))
except management.ApiException as refusal:
    print("refused a second one:", refusal.status, refusal.data.error.code.value, refusal.data.error.cause.field)

# 6. Enroll: the client makes a key, and the one-time token gets a certificate for it.
token = identities.get_identity_enrollments(identity).data[0].token
key = ec.generate_private_key(ec.SECP256R1())
csr = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
csr_pem = csr.public_bytes(serialization.Encoding.PEM).decode()
with connect(edge_client, "/edge/client/v1", ca) as newcomer:
    certificate = edge_client.EnrollApi(newcomer).enroll_ott(
        enroll=edge_client.OttEnrollmentRequest(token=token, client_csr=csr_pem)
    ).data.cert
print("enrolled")

# 7. Log in by the certificate, which the TLS connection shows.
client = connect(edge_client, "/edge/client/v1", ca)
client.configuration.cert_file = file("client.pem", certificate.encode())
client.configuration.key_file = file("client.key", key.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
client = edge_client.ApiClient(client.configuration)
session = edge_client.AuthenticationApi(client).authenticate("cert", auth=edge_client.Authenticate()).data
client.configuration.api_key["ztSession"] = session.token
print("logged in as a client")

# 8. Services and a session. The posture check wants a report first.
mine = edge_client.ServiceApi(client).list_services(limit=100).data
print("services of the client:", len(mine), mine[0].permissions[0].value)
dial = edge_client.SessionCreate(service_id=service, type="Dial")
try:
    edge_client.SessionApi(client).create_session(dial)
except edge_client.ApiException as refusal:
    print("refused without a report:", refusal.status, refusal.data.error.code.value)
edge_client.PostureChecksApi(client).create_posture_response(
    edge_client.PostureResponseMacAddressCreate(type_id="MAC", id=check, mac_addresses=["02-FC-00-AA-12-34"])
)
print("a session to", edge_client.SessionApi(client).create_session(dial).data.type.value)

# 9. Clean up.
edge_client.CurrentAPISessionApi(client).delete_current_api_session()
management.ServicePolicyApi(admin).delete_service_policy(policy)
management.EdgeRouterPolicyApi(admin).delete_edge_router_policy(router_policy)
management.ServiceEdgeRouterPolicyApi(admin).delete_service_edge_router_policy(service_router_policy)
management.EdgeRouterApi(admin).delete_edge_router(router)
checks.delete_posture_check(check)
identities.delete_identity(identity)
services.delete_service(service)
configs.delete_config(config)
print("cleaned up")
