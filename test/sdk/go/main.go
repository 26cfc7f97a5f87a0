// Builds a small network with the Go SDKs and uses it as a client.
//
// EDGE_URL, EDGE_USERNAME, EDGE_PASSWORD: the controller and an administrator of it.
// EDGE_CA_SHA256: fingerprint of the network's root; without it the first answer is trusted.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"edge.example/sdk/edgeclient"
	"edge.example/sdk/edgefabric"
	"edge.example/sdk/edgemanagement"
)

func main() {
	ctx := context.Background()
	mark := fmt.Sprintf("go-%x", time.Now().UnixNano()) // in the names of all that is made here

	// 1. Trust. This one request is not verified: what it brings must have the fingerprint that you were told otherwise.
	stranger := clientAPI(&tls.Config{InsecureSkipVerify: true}, "")
	bundle := must(stranger.WellKnownAPI.ListWellKnownCas(ctx).Execute())
	trust := &tls.Config{RootCAs: authorities(bundle)}
	fmt.Println("trusted the root of the network")
	// 2. Log in. The token goes with all further requests.
	login := edgemanagement.Authenticate{Username: edgemanagement.PtrString(os.Getenv("EDGE_USERNAME")), Password: edgemanagement.PtrString(os.Getenv("EDGE_PASSWORD"))}
	session := must(managementAPI(trust, "").AuthenticationAPI.Authenticate(ctx).Method("password").Auth(login).Execute()).Data
	admin := managementAPI(trust, session.Token)
	fmt.Println("logged in as an administrator")
	// 3. A service with a config, an identity, a posture check, and the policies that connect them.
	kind := must(admin.ConfigAPI.ListConfigTypes(ctx).Filter(`name = "intercept.v1"`).Execute()).Data[0].Id
	data := map[string]any{"protocols": []string{"tcp"}, "addresses": []string{"wiki.internal"}, "portRanges": []any{map[string]int{"low": 80, "high": 80}}}
	config := must(admin.ConfigAPI.CreateConfig(ctx).Config(edgemanagement.ConfigCreate{Name: mark, ConfigTypeId: kind, Data: data}).Execute()).Data.Id
	newService := edgemanagement.ServiceCreate{Name: mark, EncryptionRequired: true, Configs: []string{config}}
	service := must(admin.ServiceAPI.CreateService(ctx).Service(newService).Execute()).Data.Id
	newIdentity := edgemanagement.IdentityCreate{Name: mark, Type: "Device", Enrollment: &edgemanagement.IdentityCreateEnrollment{Ott: edgemanagement.PtrBool(true)}}
	identity := must(admin.IdentityAPI.CreateIdentity(ctx).Identity(newIdentity).Execute()).Data.Id
	newCheck := edgemanagement.PostureCheckCreate{Name: mark, TypeId: "MAC", MacAddresses: []string{"02:fc:00:aa:12:34"}}
	check := must(admin.PostureChecksAPI.CreatePostureCheck(ctx).PostureCheck(newCheck).Execute()).Data.Id
	router := must(admin.EdgeRouterAPI.CreateEdgeRouter(ctx).EdgeRouter(edgemanagement.EdgeRouterCreate{Name: mark}).Execute()).Data.Id
	identities, services, routers, checks := []string{"@" + identity}, []string{"@" + service}, []string{"@" + router}, []string{"@" + check}
	dials := edgemanagement.ServicePolicyCreate{Name: mark, Type: "Dial", Semantic: "AnyOf", IdentityRoles: identities, ServiceRoles: services, PostureCheckRoles: checks}
	policy := must(admin.ServicePolicyAPI.CreateServicePolicy(ctx).Policy(dials).Execute()).Data.Id
	uses := edgemanagement.EdgeRouterPolicyCreate{Name: mark, Semantic: "AnyOf", IdentityRoles: identities, EdgeRouterRoles: routers}
	routerPolicy := must(admin.EdgeRouterPolicyAPI.CreateEdgeRouterPolicy(ctx).Policy(uses).Execute()).Data.Id
	carries := edgemanagement.ServiceEdgeRouterPolicyCreate{Name: mark, Semantic: "AnyOf", ServiceRoles: services, EdgeRouterRoles: routers}
	serviceRouterPolicy := must(admin.ServiceEdgeRouterPolicyAPI.CreateServiceEdgeRouterPolicy(ctx).Policy(carries).Execute()).Data.Id
	fmt.Println("made a network")
	// 4. Read and list. A posture check has the fields of its kind.
	read := must(admin.PostureChecksAPI.DetailPostureCheck(ctx, check).Execute()).Data
	fmt.Println("the posture check wants", read.MacAddresses[0])
	found := must(admin.PostureChecksAPI.ListPostureChecks(ctx).Filter(`name = "` + mark + `"`).Execute()).Data
	fmt.Println("found by a filter:", len(found), found[0].TypeId)
	// The same session opens the fabric API, which says what carries the traffic.
	carriers := must(fabricAPI(trust, session.Token).RouterAPI.ListRouters(ctx).Filter(`name = "` + mark + `"`).Execute()).Data
	fmt.Println("routers of the fabric:", len(carriers))
	// 5. A refusal has a code for programs and, where one is to blame, the field.
	_, answer, err := admin.ServiceAPI.CreateService(ctx).Service(newService).Execute()
	failure := err.(*edgemanagement.GenericOpenAPIError).Model().(edgemanagement.ApiErrorEnvelope).Error
	fmt.Println("refused a second one:", answer.StatusCode, *failure.Code, *failure.Cause.Field)
	// 6. Enroll: the client makes a key, and the one-time token gets a certificate for it.
	token := must(admin.IdentityAPI.GetIdentityEnrollments(ctx, identity).Execute()).Data[0].Token
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	csr := &pem.Block{Type: "CERTIFICATE REQUEST", Bytes: must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key))}
	csrPem := string(pem.EncodeToMemory(csr))
	enrolled := must(clientAPI(trust, "").EnrollAPI.EnrollOtt(ctx).Enroll(edgeclient.OttEnrollmentRequest{Token: &token, ClientCsr: &csrPem}).Execute()).Data
	fmt.Println("enrolled")
	// 7. Log in by the certificate, which the TLS connection shows.
	keyPem := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(key))})
	shown := &tls.Config{RootCAs: trust.RootCAs, Certificates: []tls.Certificate{must(tls.X509KeyPair([]byte(*enrolled.Cert), keyPem))}}
	own := must(clientAPI(shown, "").AuthenticationAPI.Authenticate(ctx).Method("cert").Auth(edgeclient.Authenticate{}).Execute()).Data
	client := clientAPI(shown, own.Token)
	fmt.Println("logged in as a client")
	// 8. Services and a session. The posture check wants a report first.
	mine := must(client.ServiceAPI.ListServices(ctx).Limit(100).Execute()).Data
	fmt.Println("services of the client:", len(mine), mine[0].Permissions[0])
	dial := client.SessionAPI.CreateSession(ctx).Session(edgeclient.SessionCreate{ServiceId: &service, Type: edgeclient.DIALBIND_DIAL.Ptr()})
	_, answer, err = dial.Execute()
	denial := err.(*edgeclient.GenericOpenAPIError).Model().(edgeclient.ApiErrorEnvelope).Error
	fmt.Println("refused without a report:", answer.StatusCode, *denial.Code)
	report := edgeclient.PostureResponseCreate{TypeId: "MAC", Id: check, MacAddresses: []string{"02-FC-00-AA-12-34"}}
	must(client.PostureChecksAPI.CreatePostureResponse(ctx).PostureResponse(report).Execute())
	fmt.Println("a session to", must(dial.Execute()).Data.Type)
	// 9. Clean up.
	must(client.CurrentAPISessionAPI.DeleteCurrentApiSession(ctx).Execute())
	must(admin.ServicePolicyAPI.DeleteServicePolicy(ctx, policy).Execute())
	must(admin.EdgeRouterPolicyAPI.DeleteEdgeRouterPolicy(ctx, routerPolicy).Execute())
	must(admin.ServiceEdgeRouterPolicyAPI.DeleteServiceEdgeRouterPolicy(ctx, serviceRouterPolicy).Execute())
	must(admin.EdgeRouterAPI.DeleteEdgeRouter(ctx, router).Execute())
	must(admin.PostureChecksAPI.DeletePostureCheck(ctx, check).Execute())
	must(admin.IdentityAPI.DeleteIdentity(ctx, identity).Execute())
	must(admin.ServiceAPI.DeleteService(ctx, service).Execute())
	must(admin.ConfigAPI.DeleteConfig(ctx, config).Execute())
	fmt.Println("cleaned up")
}

func clientAPI(trust *tls.Config, token string) *edgeclient.APIClient {
	configuration := edgeclient.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("EDGE_URL") + "/edge/client/v1"
	configuration.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: trust}}
	configuration.AddDefaultHeader("zt-session", token)
	return edgeclient.NewAPIClient(configuration)
}

func fabricAPI(trust *tls.Config, token string) *edgefabric.APIClient {
	configuration := edgefabric.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("EDGE_URL") + "/fabric/v1"
	configuration.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: trust}}
	configuration.AddDefaultHeader("zt-session", token)
	return edgefabric.NewAPIClient(configuration)
}

func managementAPI(trust *tls.Config, token string) *edgemanagement.APIClient {
	configuration := edgemanagement.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("EDGE_URL") + "/edge/management/v1"
	configuration.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: trust}}
	configuration.AddDefaultHeader("zt-session", token)
	return edgemanagement.NewAPIClient(configuration)
}

// The certificates in a PKCS#7 bundle, if one is the root that is expected.
func authorities(bundle *os.File) *x509.CertPool {
	defer os.Remove(bundle.Name())
	der := must(base64.StdEncoding.DecodeString(string(must(io.ReadAll(bundle)))))
	var message struct {
		Type   asn1.ObjectIdentifier
		Signed struct{ Version, Algorithms, Content, Certificates asn1.RawValue } `asn1:"explicit,tag:0"`
	}
	must(asn1.Unmarshal(der, &message))
	pool, found := x509.NewCertPool(), ""
	for _, one := range must(x509.ParseCertificates(message.Signed.Certificates.Bytes)) {
		found += fmt.Sprintf("%x ", sha256.Sum256(one.Raw))
		pool.AddCert(one)
	}
	if !strings.Contains(found, os.Getenv("EDGE_CA_SHA256")) {
		log.Fatal("this is not the network that was expected: ", found)
	}
	return pool
}

// The first of what a call answers; ends the program when the last is an error.
func must[T any](value T, rest ...any) T {
	if err, isError := rest[len(rest)-1].(error); isError {
		log.Fatal(err)
	}
	return value
}
