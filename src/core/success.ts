import { codeFacts } from '../api/codes.js';
import type { Route } from '../api/operation.js';
import type { AttemptEnd } from './attempt.js';
import { decode } from './decode.js';
import { isObject, type Reply } from './reply.js';

/** What a success carries. */
export interface Payload {
  readonly reply: Reply;
  readonly value: unknown;
  readonly requestId: string | undefined;
  readonly serverTime: string | undefined;
  readonly replayed: boolean;
  /** Paths of values that are not of their documented type, and passed as they came. */
  readonly odd: readonly string[];
}

export type Replied = Extract<AttemptEnd, { kind: 'reply' }>;

/** What a reply with a status of success carries; or why it can't be trusted. */
export function successOf(
  route: Route,
  { reply, binary, problem }: Replied,
): { payload: Payload } | { why: string } {
  if (problem !== undefined) return { why: problem };
  if (!route.success.includes(reply.status)) {
    return { why: `the operation answers ${route.success.join(' or ')}` };
  }
  if (binary !== undefined) {
    return {
      payload: {
        reply,
        value: binary,
        requestId: undefined,
        serverTime: undefined,
        replayed: false,
        odd: [],
      },
    };
  }
  if (route.envelope === 'raw' || route.envelope === 'whole') return rawSuccess(route, reply);
  if (reply.json === undefined) return { why: 'its body is not JSON' };
  const decoded = decode(route, reply.json);
  if (!decoded.ok) return { why: decoded.why };
  const { envelope } = decoded;
  const data = isObject(envelope['data']) ? envelope['data'] : {};
  if (route.effect === 'bid' && data['status'] !== 'accepted') {
    return { why: 'it is a success, yet data.status is not "accepted"' };
  }
  const contradiction = contradictionIn(envelope);
  if (contradiction !== undefined) return { why: contradiction };
  return {
    payload: {
      reply,
      // A page is handed on whole: its items and its position belong together.
      value: route.envelope.endsWith('page') ? envelope : envelope['data'],
      // What else has one names the request of that record, not of this call (A05).
      requestId:
        text(envelope['request_id']) ?? (route.effect === 'bid' ? text(data['request_id']) : undefined),
      serverTime: text(envelope['server_time']) ?? text(envelope['timestamp']),
      replayed: data['replayed'] === true || reply.headers['idempotent-replayed'] === 'true',
      odd: decoded.odd,
    },
  };
}

/** Any JSON, or nothing at all: where no form is shown, a reply is taken as it comes. */
function rawSuccess({ envelope }: Route, reply: Reply): { payload: Payload } | { why: string } {
  if (reply.json === undefined && reply.empty !== true) return { why: 'its body is not JSON' };
  if (envelope === 'whole' && !isObject(reply.json)) return { why: 'its body is no JSON object' };
  const body = isObject(reply.json) ? reply.json : {};
  const contradiction = contradictionIn(body);
  if (contradiction !== undefined) return { why: contradiction };
  return {
    payload: {
      reply,
      value: envelope === 'raw' && Object.hasOwn(body, 'data') ? body['data'] : reply.json,
      requestId: text(body['request_id']),
      serverTime: text(body['server_time']) ?? text(body['timestamp']),
      replayed: reply.headers['idempotent-replayed'] === 'true',
      odd: [],
    },
  };
}

/** What in a success says otherwise; undefined where nothing does. */
function contradictionIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const { success, code, errors } = body;
  if (success === false) return 'it is a success, yet `success` is false';
  if (typeof code === 'string' && codeFacts(code) !== undefined)
    return `it is a success, yet its code is ${code}`;
  const listed = Array.isArray(errors) ? errors : isObject(errors) ? Object.keys(errors) : [];
  return listed.length > 0 ? 'it is a success, yet it lists errors' : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
