import { firstWords } from '../errors/text.js';
import { asList, at, type Exchange, isRecord, itemsOf, textAt } from './exchange.js';
import type { Inquiry } from './inquiry.js';
import type { By, LearnedSettings } from './profile.js';

/** An answer to one question, with the request and reply that show it. */
export interface Observation {
  readonly question: string;
  /** The answer in a word or two; equal answers are equal texts. */
  readonly finding: string;
  readonly request: string;
  readonly reply: string;
  /** Settings of a client that follow, if this is the only answer. */
  readonly settings?: LearnedSettings;
}

/** How one row is observed. */
export interface Probe {
  /** Row of `docs/unknowns.json`. */
  readonly id: string;
  readonly by: By;
  /** The actor that can observe it; both if left out. */
  readonly actor?: 'partner' | 'bank';
  /** True if it reads results of an earlier run's writes, so it runs without `allowWrites` too. */
  readonly isLater?: boolean;
  /** Each question, with the findings that the SDK works on meanwhile. */
  readonly assumes: Readonly<Record<string, readonly string[]>>;
  observe(ask: Inquiry): AsyncIterable<Observation>;
}

/** An observation. `part` is what the reply shows, if that is less than the whole. */
export function seen(question: string, finding: string, exchange: Exchange, part?: unknown): Observation {
  const { request, status, codes, message, fields } = exchange;
  const shown = part === undefined ? [...codes, ...fields, message ?? ''] : [JSON.stringify(part)];
  const reply = firstWords([String(status), ...shown.filter((text) => text !== '')].join(' '), 200);
  return { question, finding, request, reply };
}

/** The path of an operation of A01 or A02, after `/api/v1`. */
export function pathOf(operation: Readonly<Record<string, unknown>>): string {
  return String(operation['path'] ?? '').replace(/^\/api\/v1/, '');
}

/** How numbers are sorted; undefined if fewer than four differ, because chance could sort those. */
export function orderOf(values: readonly number[]): string | undefined {
  if (values.some(Number.isNaN) || new Set(values).size < 4) return undefined;
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? value));
  if (steps.every((step) => step >= 0)) return 'ascending';
  return steps.every((step) => step <= 0) ? 'descending' : 'another order';
}

/** The operations that A01 lists, with the reply. */
export async function operationsOf(ask: Inquiry) {
  const reply = await ask.get('/integration/profile');
  const operations = asList(at(reply?.body, 'data.operations'));
  if (reply === undefined || operations === undefined) return [];
  return operations.filter(isRecord).map((operation) => ({ operation, reply }));
}

/** Whether A01 lists an operation, so that a 404 is not that of a missing route. `{}` stands for any parameter. */
export async function isPermitted(ask: Inquiry, method: string, path: string): Promise<boolean> {
  const operations = await operationsOf(ask);
  return operations.some(
    ({ operation }) =>
      operation['method'] === method && pathOf(operation).replaceAll(/\{[^}]*\}/g, '{}') === path,
  );
}

export function isOk({ status }: Exchange): boolean {
  return status === 200;
}

/** A03 and A11 need a buyer of a platform. */
export function buyerOf({ kind }: Inquiry): Readonly<Record<string, string>> {
  return kind === 'platform' || kind === 'aggregator' ? { bidder_reference: 'buyer-1' } : {};
}

/** Sends an A11, which is a read. */
export function batchOf(
  ask: Inquiry,
  lot_ids: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<Exchange | undefined> {
  const body = { lot_ids, ...buyerOf(ask), ...more };
  return ask.send({ method: 'POST', path: '/lots/status-batch', body });
}

/** A lot that the caller can see. */
export async function someLot(ask: Inquiry): Promise<string | undefined> {
  return textAt(itemsOf(await ask.get('/lots'))[0], 'id');
}

/** The ids of a list as one text, to compare selections. */
export function idsOf(reply: Exchange | undefined): string {
  return itemsOf(reply)
    .map(({ id }) => String(id))
    .sort()
    .join();
}
