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

/** What an operation may be answered beside what any call may. */
export interface OwnFailures {
  readonly refusals: readonly Code[];
  /** What is said of the operation; where that names a status, it stands with that reply too. */
  readonly notes: readonly string[];
  /** The schema of a reply that records a rejection, as 422. */
  readonly rejection: Json | undefined;
}

const REJECTED = 422;

/** Replies of failure by status: those of any call, and where an operation has some of its own, all in one. */
export function errorResponses({ refusals, notes, rejection }: OwnFailures): Readonly<Record<string, Json>> {
  const own = codesByStatus(
    refusals.flatMap((code) => codes[code].statuses.map((status) => [status, code] as const)),
  );
  const statuses = [...new Set([...everywhere.keys(), ...own.keys()])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const shared = everywhere.get(status) ?? [];
      const names = [...new Set([...shared, ...(own.get(status) ?? [])])];
      const said = notes.filter((note) => new RegExp(`\\b${status}\\b`).test(note));
      const recorded = status === REJECTED ? rejection : undefined;
      const isOwn = names.length > shared.length || said.length > 0 || recorded !== undefined;
      return [
        String(status),
        everywhere.has(status) && !isOwn
          ? { $ref: `#/components/responses/${nameOf(status)}` }
          : errorResponse(status, names, said, recorded),
      ];
    }),
  );
}

function nameOf(status: number): string {
  return `Status${status}`;
}

function errorResponse(
  status: number,
  names: readonly string[],
  said: readonly string[] = [],
  recorded?: Json,
): Json {
  const anyError = { $ref: '#/components/schemas/AnyError' };
  const codesText = names.length === 0 ? '' : `${[...names].sort(byText).join(', ')}.`;
  return {
    description: [codesText, plainStatuses[status], ...said].filter((text) => text).join(' '),
    ...(status === 429 && { headers: { 'Retry-After': retryAfter } }),
    content: {
      'application/json': { schema: recorded === undefined ? anyError : { anyOf: [recorded, anyError] } },
    },
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
