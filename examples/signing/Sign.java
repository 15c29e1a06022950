import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs one request and prints the six signed lines and the signature. Needs Java 17.
 *
 * <p>java Sign.java METHOD PATH TIMESTAMP NONCE [NAME VALUE]... &lt; body
 */
public class Sign {
    record Pair(String name, String value) {}

    /** Escapes as in RFC 3986, which differs from URLEncoder in these three characters. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
            .replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    /** Sorts by name, in the order of its bytes, and encodes. Send exactly this string. */
    static String canonicalQuery(List<Pair> pairs) {
        Comparator<Pair> byName = (a, b) ->
            Arrays.compareUnsigned(bytes(a.name()), bytes(b.name()));
        return pairs.stream().sorted(byName)
            .map(pair -> encode(pair.name()) + "=" + encode(pair.value()))
            .collect(Collectors.joining("&"));
    }

    static String canonicalRequest(
        String method, String path, List<Pair> pairs, String timestamp, String nonce, byte[] body
    ) throws GeneralSecurityException {
        String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        String verb = method.toUpperCase(Locale.ROOT);
        return String.join("\n", verb, path, canonicalQuery(pairs), timestamp, nonce, digest);
    }

    static String sign(String secret, String canonical) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(bytes(secret), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(bytes(canonical)));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        List<Pair> pairs = new ArrayList<>();
        for (int at = 4; at < args.length; at += 2) pairs.add(new Pair(args[at], args[at + 1]));
        byte[] body = System.in.readAllBytes();
        String canonical = canonicalRequest(args[0], args[1], pairs, args[2], args[3], body);
        String secret = System.getenv("VEHICLE_AUCTION_SIGNING_SECRET");
        System.out.println(canonical);
        System.out.println(sign(secret, canonical));
    }
}
