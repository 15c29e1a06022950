import type { Case, Hypothesis } from './hypothesis.js';

/** Mistakes in the third line: the query. */
export function* ofQuery({ request, parts }: Case): Generator<Hypothesis> {
  const sent = request.wireQuery;
  const { query } = parts;
  if (sent === '') return;
  if (sent !== query) yield { hint: hintForAsSent(sent, query), change: { query: sent } };
  yield { hint: plusSigned, change: { query: query.replaceAll('%20', '+') } };
  yield {
    hint: 'the query was signed with lower-case percent escapes: write them in upper case, such as %2F',
    change: { query: query.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()) },
  };
  yield {
    hint: 'the query was signed without percent-encoding: encode names and values per RFC 3986, then sign and send that',
    change: { query: decoded(query) },
  };
  yield {
    hint: 'the query was percent-encoded twice before it was signed: encode it once',
    change: { query: query.replaceAll('%', '%25') },
  };
  yield {
    hint: "the query was signed with ! ' ( ) * unescaped: RFC 3986 escapes them, encodeURIComponent() doesn't",
    change: { query: query.replace(/%(?:21|27|28|29|2A)/g, decoded) },
  };
  yield { hint: 'the query was left out of the signature: sign it as the third line', change: { query: '' } };
  yield {
    hint: 'the query was signed with its question mark: sign it without',
    change: { query: `?${query}` },
  };
  const pairs = query.split('&');
  if (pairs.length > mostPermuted) return;
  for (const order of permutations(pairs)) yield { hint: unsorted, change: { query: order.join('&') } };
}

function hintForAsSent(sent: string, canonical: string): string {
  if (inOrder(sent) === inOrder(canonical)) return unsorted;
  return sent.includes('+')
    ? plusSigned
    : 'the query was signed as sent: sort it by name and percent-encode it per RFC 3986, then sign and send that';
}

function inOrder(query: string): string {
  return query.split('&').sort().join('&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function* permutations(items: readonly string[]): Generator<string[]> {
  if (items.length <= 1) {
    yield [...items];
    return;
  }
  for (const [at, item] of items.entries()) {
    for (const rest of permutations([...items.slice(0, at), ...items.slice(at + 1)])) yield [item, ...rest];
  }
}

const plusSigned = '`+` was signed for a space: write it as %20';
const unsorted = 'an unsorted query was signed: sort the parameters by name';
const mostPermuted = 5;
