/** A request as it reaches the service. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** The service's application envelope, for bids and for access. */
export function envelope(
  status: number,
  serverMs: number,
  { code, data = null, errors = [code] }: { code: string; data?: unknown; errors?: readonly string[] },
): WireReply {
  return json(status, {
    success: status < 300,
    code,
    message: `It is ${code}.`,
    data,
    errors,
    request_id: `req_${serverMs}`,
    timestamp: iso(serverMs),
  });
}

export function message(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): WireReply {
  return json(status, { message: text }, headers);
}

/** What a gateway between here and there answers by itself. */
export function html(status: number): WireReply {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: `<html><body><h1>${status}</h1><hr>gateway</body></html>`,
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

export function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
