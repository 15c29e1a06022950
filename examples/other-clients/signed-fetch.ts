import { type SigningCredentials, signedPathOf, signRequest } from 'vehicle-auction-sdk';

/** Creates a fetch that signs every request: its path, its query in canonical order, and the bytes of its body. */
export function signedFetch(credentials: SigningCredentials) {
  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    const { headers, canonicalQuery } = signRequest({
      ...credentials,
      method: effectiveMethod(body) ?? request.method,
      path: signedPathOf(url.pathname) ?? url.pathname,
      query: url.searchParams,
      body,
      timestamp: Math.floor(Date.now() / 1000),
      nonce: crypto.randomUUID(),
    });
    url.search = canonicalQuery;
    return fetch(url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), ...headers },
      body: body.length === 0 ? null : body,
      redirect: 'manual',
      signal: request.signal,
    });
  };
}

/** PATCH and PUT are sent as POST with `_method` in the body, and signed under that method. */
function effectiveMethod(body: Uint8Array): string | undefined {
  if (body.length === 0) return undefined;
  const content: { readonly _method?: string } = JSON.parse(new TextDecoder().decode(body));
  return content._method;
}
