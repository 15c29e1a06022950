/** How to call the service, for readers who have the document and nothing else. */
export const about = `## Signing

Every request carries the six headers of the security schemes. The signature covers six lines, joined by line feeds, with none behind the last one:

1. the method in upper case; of a tunnelled operation (below) the effective one, \`PATCH\` or \`PUT\`;
2. the path from \`/api/v1\` on, exactly as it is sent; a segment that a deployment has before \`/api/v1\` is sent and not signed;
3. the query: parameters sorted by name, names and values percent-encoded as in RFC 3986 (a space is \`%20\`; how parameters of one name are ordered is not shown); without parameters the line is there and empty;
4. the time in Unix seconds, the same as in \`X-Timestamp\`, no more than 300 seconds away from server time;
5. the nonce, the same as in \`X-Nonce\`: 16 to 128 letters, digits, \`_\` or \`-\`;
6. the SHA-256 of the body in lower-case hex, the same as in \`X-Content-SHA256\`; a GET has no body, so it is that of no bytes.

\`X-Signature\` is the HMAC-SHA256 of these lines in lower-case hex, keyed with the signing secret as the string that it is. Serialise a body once, then digest and send those very bytes. Every attempt, a retry too, takes a fresh timestamp, nonce and signature; a nonce that was used before is refused.

## Idempotency

A bid or command carries one UUID twice: as \`idempotency_key\` in its body and in the \`Idempotency-Key\` header. A retry sends the same bytes under the same UUID; whatever differs in content takes another one.

## PATCH and PUT

The host blocks both. Such an operation stands here under \`post\`, names its method in \`x-effective-method\`, and carries it as \`_method\` in its body.

## Values

Money is a decimal string in INR, except where a field says paise. Replies are open: expect fields and values that are not listed, and an empty array where an object has nothing in it.

## Extensions

\`x-status\` is \`callable\`, \`documented\` (described, yet listed as not callable) or \`planned\` (not callable). \`x-scope\` is the scope that a call needs. \`x-actors\` says who may call; where it is missing, that is not stated. \`x-effect\` is what a call changes: nothing (\`read\`), a bid, or a record (\`command\`). \`x-id\` is the id of the API text, or a name where that has none.`;
