import edge.client.api.EnrollApi;
import edge.client.api.WellKnownApi;
import edge.client.model.OttEnrollmentRequest;
import edge.client.model.PostureResponseMacAddressCreate;
import edge.client.model.SessionCreate;
import edge.fabric.api.RouterApi;
import edge.management.api.*;
import edge.management.model.*;
import java.net.http.HttpClient;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;

/**
 * Builds a small network with the Java SDKs and uses it as a client.
 * EDGE_URL, EDGE_USERNAME, EDGE_PASSWORD: the controller and an administrator of it.
 * EDGE_CA_SHA256: fingerprint of the network's root; without it the first answer is trusted.
 */
public class Main {
  static final String URL = System.getenv("EDGE_URL");

  public static void main(String[] args) throws Exception {
    var mark = "java-" + Long.toHexString(System.nanoTime()); // in the names of all that is made here

    // 1. Trust. This one request is not verified: what it brings must have the fingerprint that you were told otherwise.
    var stranger = client(Certificates.tls(null, Certificates.anyone()), "");
    var ca = Certificates.authorities(new WellKnownApi(stranger).listWellKnownCas());
    System.out.println("trusted the root of the network");

    // 2. Log in. The token goes with all further requests.
    var login = new Authenticate().username(System.getenv("EDGE_USERNAME")).password(System.getenv("EDGE_PASSWORD"));
    var opened = new AuthenticationApi(management(Certificates.tls(null, ca), "")).authenticate("password", null, login);
    var admin = management(Certificates.tls(null, ca), opened.getData().getToken());
    System.out.println("logged in as an administrator");

    // 3. A service with a config, an identity, a posture check, and the policies that connect them.
    var configs = new ConfigApi(admin);
    var byName = ConfigApi.APIListConfigTypesRequest.newBuilder().filter("name = \"intercept.v1\"").build();
    var kind = configs.listConfigTypes(byName).getData().get(0).getId();
    Map<String, Object> data = Map.of("protocols", List.of("tcp"), "addresses", List.of("wiki.internal"), "portRanges", List.of(Map.of("low", 80, "high", 80)));
    var config = configs.createConfig(new ConfigCreate().name(mark).configTypeId(kind).data(data)).getData().getId();
    var services = new ServiceApi(admin);
    var newService = new ServiceCreate().name(mark).encryptionRequired(true).configs(List.of(config));
    var service = services.createService(newService).getData().getId();
    var identities = new IdentityApi(admin);
    var newIdentity = new IdentityCreate().name(mark).type(IdentityType.DEVICE).isAdmin(false).enrollment(new IdentityCreateEnrollment().ott(true));
    var identity = identities.createIdentity(newIdentity).getData().getId();
    var checks = new PostureChecksApi(admin);
    var newCheck = new PostureCheckMacAddressCreate().macAddresses(List.of("02:fc:00:aa:12:34")).name(mark);
    var check = checks.createPostureCheck(newCheck).getData().getId();
    var router = new EdgeRouterApi(admin).createEdgeRouter(new EdgeRouterCreate().name(mark)).getData().getId();
    var policy = new ServicePolicyApi(admin).createServicePolicy(new ServicePolicyCreate().name(mark).type(DialBind.DIAL).semantic(Semantic.ANY_OF)
        .identityRoles(List.of("@" + identity)).serviceRoles(List.of("@" + service)).postureCheckRoles(List.of("@" + check))).getData().getId();
    var routerPolicy = new EdgeRouterPolicyApi(admin).createEdgeRouterPolicy(new EdgeRouterPolicyCreate().name(mark).semantic(Semantic.ANY_OF)
        .identityRoles(List.of("@" + identity)).edgeRouterRoles(List.of("@" + router))).getData().getId();
    var serviceRouterPolicy = new ServiceEdgeRouterPolicyApi(admin).createServiceEdgeRouterPolicy(new ServiceEdgeRouterPolicyCreate().name(mark)
        .semantic(Semantic.ANY_OF).serviceRoles(List.of("@" + service)).edgeRouterRoles(List.of("@" + router))).getData().getId();
    System.out.println("made a network");

    // 4. Read and list. A posture check comes back as the kind that it is.
    var byId = PostureChecksApi.APIDetailPostureCheckRequest.newBuilder().id(check).build();
    var read = (PostureCheckMacAddressDetail) checks.detailPostureCheck(byId).getData();
    System.out.println("the posture check wants " + read.getMacAddresses().get(0));
    var byMark = PostureChecksApi.APIListPostureChecksRequest.newBuilder().filter("name = \"" + mark + "\"").build();
    var found = checks.listPostureChecks(byMark).getData();
    System.out.println("found by a filter: " + found.size() + " " + found.get(0).getTypeId());
    // The same session opens the fabric API, which says what carries the traffic.
    var carriers = new RouterApi(fabric(Certificates.tls(null, ca), opened.getData().getToken()));
    var carrying = RouterApi.APIListRoutersRequest.newBuilder().filter("name = \"" + mark + "\"").build();
    System.out.println("routers of the fabric: " + carriers.listRouters(carrying).getData().size());

    // 5. A refusal has a code for programs and, where one is to blame, the field.
    try {
      services.createService(newService);
    } catch (edge.management.ApiException refusal) {
      var error = admin.getObjectMapper().readValue(refusal.getResponseBody(), ApiErrorEnvelope.class).getError();
      System.out.println("refused a second one: " + refusal.getCode() + " " + error.getCode() + " " + error.getCause().getField());
    }

    // 6. Enroll: the client makes a key, and the one-time token gets a certificate for it.
    var enrollments = IdentityApi.APIGetIdentityEnrollmentsRequest.newBuilder().id(identity).build();
    var token = identities.getIdentityEnrollments(enrollments).getData().get(0).getToken();
    var generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    var key = generator.generateKeyPair();
    var enrolled = new EnrollApi(client(Certificates.tls(null, ca), "")).enrollOtt(null, new OttEnrollmentRequest().token(token).clientCsr(Certificates.request(key))).getData();
    System.out.println("enrolled");

    // 7. Log in by the certificate, which the TLS connection shows.
    var shown = Certificates.tls(Certificates.keys(key.getPrivate(), enrolled.getCert()), ca);
    var own = new edge.client.api.AuthenticationApi(client(shown, "")).authenticate("cert", null, new edge.client.model.Authenticate());
    var client = client(shown, own.getData().getToken());
    System.out.println("logged in as a client");

    // 8. Services and a session. The posture check wants a report first.
    var page = edge.client.api.ServiceApi.APIListServicesRequest.newBuilder().limit(100L).build();
    var mine = new edge.client.api.ServiceApi(client).listServices(page).getData();
    System.out.println("services of the client: " + mine.size() + " " + mine.get(0).getPermissions().get(0));
    var sessions = new edge.client.api.SessionApi(client);
    var dial = new SessionCreate().serviceId(service).type(edge.client.model.DialBind.DIAL);
    try {
      sessions.createSession(dial);
    } catch (edge.client.ApiException refusal) {
      var error = client.getObjectMapper().readValue(refusal.getResponseBody(), edge.client.model.ApiErrorEnvelope.class).getError();
      System.out.println("refused without a report: " + refusal.getCode() + " " + error.getCode());
    }
    var report = new PostureResponseMacAddressCreate().macAddresses(List.of("02-FC-00-AA-12-34")).id(check);
    new edge.client.api.PostureChecksApi(client).createPostureResponse(report);
    System.out.println("a session to " + sessions.createSession(dial).getData().getType());

    // 9. Clean up.
    new edge.client.api.CurrentApiSessionApi(client).deleteCurrentApiSession();
    new ServicePolicyApi(admin).deleteServicePolicy(ServicePolicyApi.APIDeleteServicePolicyRequest.newBuilder().id(policy).build());
    new EdgeRouterPolicyApi(admin).deleteEdgeRouterPolicy(EdgeRouterPolicyApi.APIDeleteEdgeRouterPolicyRequest.newBuilder().id(routerPolicy).build());
    new ServiceEdgeRouterPolicyApi(admin).deleteServiceEdgeRouterPolicy(ServiceEdgeRouterPolicyApi.APIDeleteServiceEdgeRouterPolicyRequest.newBuilder().id(serviceRouterPolicy).build());
    new EdgeRouterApi(admin).deleteEdgeRouter(EdgeRouterApi.APIDeleteEdgeRouterRequest.newBuilder().id(router).build());
    checks.deletePostureCheck(PostureChecksApi.APIDeletePostureCheckRequest.newBuilder().id(check).build());
    identities.deleteIdentity(IdentityApi.APIDeleteIdentityRequest.newBuilder().id(identity).build());
    services.deleteService(ServiceApi.APIDeleteServiceRequest.newBuilder().id(service).build());
    configs.deleteConfig(ConfigApi.APIDeleteConfigRequest.newBuilder().id(config).build());
    System.out.println("cleaned up");
  }

  /** The library knows no API keys, so the token is added to each request. */
  static edge.client.ApiClient client(SSLContext tls, String token) {
    var mapper = edge.client.ApiClient.createDefaultObjectMapper();
    return new edge.client.ApiClient(HttpClient.newBuilder().sslContext(tls), mapper, URL + "/edge/client/v1")
        .setRequestInterceptor(request -> request.header("zt-session", token));
  }

  static edge.fabric.ApiClient fabric(SSLContext tls, String token) {
    var mapper = edge.fabric.ApiClient.createDefaultObjectMapper();
    return new edge.fabric.ApiClient(HttpClient.newBuilder().sslContext(tls), mapper, URL + "/fabric/v1")
        .setRequestInterceptor(request -> request.header("zt-session", token));
  }

  static edge.management.ApiClient management(SSLContext tls, String token) {
    var mapper = edge.management.ApiClient.createDefaultObjectMapper();
    return new edge.management.ApiClient(HttpClient.newBuilder().sslContext(tls), mapper, URL + "/edge/management/v1")
        .setRequestInterceptor(request -> request.header("zt-session", token));
  }
}
