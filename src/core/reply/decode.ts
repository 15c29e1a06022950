import { replyChecker } from '../../api/check.js';
import { codeFacts } from '../../api/codes.js';
import type { Route } from '../../api/operation.js';
import type { BinaryReply } from '../caller.js';
import { isObject, type Reply, type Unexpected } from './reply.js';

/** What a success carries. */
export interface Payload {
  readonly reply: Reply;
  readonly value: unknown;
  readonly requestId: string | undefined;
  readonly serverTime: string | undefined;
  readonly replayed: boolean;
  /** Paths of optional fields whose values have another type than documented; they pass unchanged. */
  readonly odd: readonly string[];
}

/**
 * Checks a 2xx reply against its operation. The payload is the service's own object, not a copy by the schema: unknown
 * fields survive, and so do the bank's labels, whatever their names.
 */
export function decode(route: Route, reply: Reply, binary: BinaryReply | undefined): Payload | Unexpected {
  if (!route.success.includes(reply.status)) {
    return { reason: 'status', why: `the operation answers ${route.success.join(' or ')}` };
  }
  if (binary !== undefined) return { ...nothingStated, reply, value: binary };
  const { json } = reply;
  const isOpen = route.envelope === 'raw' || route.envelope === 'whole';
  if (json === undefined && !(isOpen && reply.empty === true)) {
    return { reason: 'not_json', why: 'its body is not JSON' };
  }
  return isOpen ? openPayload(route, reply) : checkedPayload(route, reply);
}

const NONE: readonly string[] = [];

const nothingStated = { requestId: undefined, serverTime: undefined, replayed: false, odd: [] };

/** Any JSON, or an empty body: where no shape is documented, a reply is taken as it is. */
function openPayload({ envelope }: Route, reply: Reply): Payload | Unexpected {
  if (envelope === 'whole' && !isObject(reply.json)) {
    return { reason: 'shape', why: 'its body is not a JSON object' };
  }
  const body = isObject(reply.json) ? reply.json : {};
  return (
    contradictionIn(body) ?? {
      ...stated(reply, body),
      value: envelope === 'raw' && Object.hasOwn(body, 'data') ? body['data'] : reply.json,
      odd: [],
    }
  );
}

function checkedPayload(route: Route, reply: Reply): Payload | Unexpected {
  const { value: body, issues } = replyChecker(bodyOf(route))(reply.json);
  const fatal = issues.length === 0 ? undefined : issues.find(({ tolerable }) => !tolerable);
  if (fatal !== undefined) {
    return { reason: 'shape', why: `${dotted(fatal.path) || 'the body'}: ${fatal.problem}` };
  }
  if (!isObject(body)) return { reason: 'shape', why: 'the body: not an object' };
  const data = isObject(body['data']) ? body['data'] : {};
  if (route.effect === 'bid' && data['status'] !== 'accepted') {
    return { reason: 'contradiction', why: 'it is a success, but data.status is not "accepted"' };
  }
  const own = stated(reply, body);
  return (
    contradictionIn(body) ?? {
      ...own,
      // A page is handed on whole: its items and its position belong together.
      value: route.envelope.endsWith('page') ? body : body['data'],
      // In other records, request_id belongs to the request that made the record (A05).
      requestId: own.requestId ?? (route.effect === 'bid' ? textOf(data['request_id']) : undefined),
      replayed: own.replayed || data['replayed'] === true,
      odd: issues.length === 0 ? NONE : issues.map(({ path }) => dotted(path)),
    }
  );
}

/** What a body states beside its payload. */
function stated(reply: Reply, body: Readonly<Record<string, unknown>>) {
  return {
    reply,
    requestId: textOf(body['request_id']),
    serverTime: textOf(body['server_time']) ?? textOf(body['timestamp']),
    replayed: reply.headers['idempotent-replayed'] === 'true',
  };
}

/** What in a success says otherwise. */
function contradictionIn(body: Readonly<Record<string, unknown>>): Unexpected | undefined {
  const { success, code, errors } = body;
  const reason = 'contradiction';
  if (success === false) return { reason, why: 'it is a success, but `success` is false' };
  if (typeof code === 'string' && codeFacts(code) !== undefined) {
    return { reason, why: `it is a success, but its code is ${code}` };
  }
  const listed = Array.isArray(errors) ? errors : isObject(errors) ? Object.keys(errors) : [];
  return listed.length > 0 ? { reason, why: 'it is a success, but it lists errors' } : undefined;
}

/** The record in the reply of a rejected bid, checked like a success; undefined where it is none. */
export function decodeRejection(schema: NonNullable<Route['rejection']>, data: unknown): object | undefined {
  const { value, issues } = replyChecker(schema)(data);
  return isObject(value) && issues.every(({ tolerable }) => tolerable) ? value : undefined;
}

function bodyOf({ id, reply }: Route): NonNullable<Route['reply']> {
  if (reply === undefined) throw new Error(`${id} has no JSON reply`);
  return reply;
}

/** Keys of a reply can be as long as the service likes. */
const PATH_CAP = 200;

function dotted(path: readonly PropertyKey[]): string {
  const text = path.map(String).join('.');
  return text.length > PATH_CAP ? `${text.slice(0, PATH_CAP)}…` : text;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
