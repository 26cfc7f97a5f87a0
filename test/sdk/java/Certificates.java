import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.security.*;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.*;
import javax.net.ssl.*;

/** Trust, keys and a certificate request for Main, with the JDK alone. */
class Certificates {
  static SSLContext tls(KeyManager[] keys, TrustManager[] trust) throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(keys, trust, null);
    return context;
  }

  /** Trust in the certificates of a bundle, if one is the root that is expected. */
  static TrustManager[] authorities(File bundle) throws Exception {
    var der = Base64.getMimeDecoder().decode(Files.readString(bundle.toPath()));
    var found = new ArrayList<String>();
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (var one : CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(der))) {
      found.add(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(one.getEncoded())));
      store.setCertificateEntry(found.get(found.size() - 1), one);
    }
    if (!found.contains(System.getenv().getOrDefault("EDGE_CA_SHA256", found.get(0))))
      throw new SecurityException("this is not the network that was expected: " + found);
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  static KeyManager[] keys(PrivateKey key, String certificates) throws Exception {
    var chain = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(certificates.getBytes()));
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setKeyEntry("client", key, new char[0], chain.toArray(new Certificate[0]));
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  /** A certificate request (RFC 2986) without a subject, which the controller would not use: Java has no function for it. */
  static String request(KeyPair key) throws Exception {
    var content = der(0x30, new byte[] {2, 1, 0}, der(0x30), key.getPublic().getEncoded(), der(0xA0));
    var signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(key.getPrivate());
    signature.update(content);
    var ecdsaWithSha256 = HexFormat.of().parseHex("300a06082a8648ce3d040302");
    var request = der(0x30, content, ecdsaWithSha256, der(3, new byte[1], signature.sign()));
    return "-----BEGIN CERTIFICATE REQUEST-----\n" + Base64.getMimeEncoder().encodeToString(request) + "\n-----END CERTIFICATE REQUEST-----\n";
  }

  /** One value in DER: its tag, its length, its parts. */
  static byte[] der(int tag, byte[]... parts) throws IOException {
    var content = new ByteArrayOutputStream();
    for (var part : parts) content.write(part);
    var value = new ByteArrayOutputStream();
    value.write(tag);
    if (content.size() > 127) value.write(0x81); // none here is longer than 255
    value.write(content.size());
    content.writeTo(value);
    return value.toByteArray();
  }

  /** Trust in whoever answers: for the first request alone. */
  static TrustManager[] anyone() {
    return new TrustManager[] {
      new X509TrustManager() {
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        public X509Certificate[] getAcceptedIssuers() {
          return new X509Certificate[0];
        }
      }
    };
  }
}
