import { type Code, codes } from '../../src/api/codes.js';
import { byText } from './names.js';
import type { Json } from './openapi-fixed.js';

export const headers = {
  idempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: true,
    description: 'Equal to `idempotency_key` in the body.',
    schema: { type: 'string', format: 'uuid' },
  },
  replayed: {
    description: '`true` where the command had been recorded before and this is its record.',
    schema: { type: 'string', const: 'true' },
  },
} as const satisfies Readonly<Record<string, Json>>;

const retryAfter: Json = {
  description: 'How long to wait: seconds, or an HTTP date.',
  schema: { type: 'string' },
};

const plainStatuses: Readonly<Record<number, string>> = {
  422: 'A missing or invalid field.',
  429: 'Too many requests; `Retry-After` says for how long.',
  500: 'The service failed; the effect of a mutating call is unknown.',
};

const everywhere = codesByStatus(
  Object.entries(codes).flatMap(([code, facts]) =>
    'everywhere' in facts ? facts.statuses.map((status) => [status, code] as const) : [],
  ),
);

/** Replies of failure that any call can meet, for `components`. */
export const sharedResponses: Readonly<Record<string, Json>> = Object.fromEntries(
  [...everywhere].map(([status, names]) => [nameOf(status), errorResponse(status, names)]),
);

/** Replies of failure by status: those of any call, and where an operation has codes of its own, all in one. */
export function errorResponses(refusals: readonly Code[]): Readonly<Record<string, Json>> {
  const own = codesByStatus(
    refusals.flatMap((code) => codes[code].statuses.map((status) => [status, code] as const)),
  );
  const statuses = [...new Set([...everywhere.keys(), ...own.keys()])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const shared = everywhere.get(status) ?? [];
      const names = [...new Set([...shared, ...(own.get(status) ?? [])])];
      const isShared = everywhere.has(status) && names.length === shared.length;
      return [
        String(status),
        isShared ? { $ref: `#/components/responses/${nameOf(status)}` } : errorResponse(status, names),
      ];
    }),
  );
}

function nameOf(status: number): string {
  return `Status${status}`;
}

function errorResponse(status: number, names: readonly string[]): Json {
  const codesText = names.length === 0 ? '' : `${[...names].sort(byText).join(', ')}.`;
  return {
    description: [codesText, plainStatuses[status]].filter((text) => text).join(' '),
    ...(status === 429 && { headers: { 'Retry-After': retryAfter } }),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AnyError' } } },
  };
}

function codesByStatus(pairs: readonly (readonly [status: number, code: string])[]): Map<number, string[]> {
  const statuses = [...pairs.map(([status]) => status), ...Object.keys(plainStatuses).map(Number)];
  return new Map(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((status) => [status, pairs.filter(([at]) => at === status).map(([, code]) => code)]),
  );
}
