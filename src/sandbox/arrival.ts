import { bounded, boundedText } from './bounded.js';
import { queryPairs, sha256Hex } from './canonical.js';
import type { Noted } from './records.js';
import type { Reply } from './replies.js';
import { singleHeader, type WireRequest } from './wire.js';
import type { World } from './world.js';

/** A request that has arrived, and what is noted of it. */
export interface Arrived extends Noted {
  /** Server time of arrival, Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
}

/** Notes that a request arrived: nothing of it is believed yet. */
export function arrive({ clock, ids, records }: World, wire: WireRequest): Arrived {
  const at = clock.now();
  const noted = records.arrive({
    operation: null,
    call: null,
    method: wire.method,
    path: wire.target,
    query: decodedQuery(wire.target),
    status: 'pending',
    code: null,
    clientId: singleHeader(wire, 'x-client-id') ?? null,
    idempotencyKey: singleHeader(wire, 'idempotency-key') ?? null,
    nonce: singleHeader(wire, 'x-nonce') ?? null,
    bodySha256: wire.body === 'too_large' ? null : sha256Hex(wire.body),
    signature: 'unchecked',
    hint: null,
    canonical: null,
    fault: null,
    request: null,
    reply: null,
    at,
  });
  return { at, requestId: ids.next('req'), ...noted };
}

/** Notes what became of it. */
export function conclude({ learn }: Arrived, reply: Reply | 'drop'): void {
  if (reply === 'drop') learn({ status: 'dropped' });
  else {
    const { status, code = null } = reply;
    learn({ status, code, reply: 'json' in reply ? bounded(reply.json) : null });
  }
}

function decodedQuery(target: string): Readonly<Record<string, string | readonly string[]>> {
  const mark = target.indexOf('?');
  if (mark < 0) return nothing;
  const values = new Map<string, string[]>();
  for (const pair of queryPairs(target.slice(mark + 1)).slice(0, mostParameters)) {
    const name = boundedText(pair.name.toString('utf8'));
    values.set(name, [...(values.get(name) ?? []), boundedText(pair.value.toString('utf8'))]);
  }
  return Object.fromEntries(
    [...values].map(([name, given]) => [name, given.length === 1 ? (given[0] ?? '') : given]),
  );
}

const nothing = Object.freeze({});
const mostParameters = 50;
