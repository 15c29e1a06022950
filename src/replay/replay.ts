import { setImmediate } from 'node:timers/promises';
import type { Schema } from '../api/check.js';
import { keyAsSent } from '../api/formats.js';
import { flightRecorder, type RecordedCall } from '../core/recorder/flight-recorder.js';
import type { OutcomeEvent } from '../core/telemetry.js';
import { routes } from '../generated/routes.js';
import type { Sandbox } from '../sandbox/index.js';
import { recordedReplies } from './recorded-replies.js';
import { casesIn, type End, isSmooth, type RecordedCase, type Recording } from './recording.js';

/** Which cases of a recording are played. */
export interface ReplayOptions {
  /** Only this method, such as `bids.place`, or this idempotency key. Defaults to all that did not end as they should. */
  readonly only?: string | undefined;
}

/** A recorded call or bid, and how it ends now. */
export interface ReplayedCase {
  /** Name of the method, such as `bids.place`. */
  readonly call: string;
  /** Local time when it was recorded, ISO 8601. */
  readonly at: string;
  readonly idempotencyKey?: string;
  readonly recorded: End;
  /** Requests that were recorded. */
  readonly recordedRequests: number;
  /** How it ends now; absent if it could not be played. */
  readonly replayed?: End;
  /** Requests that it sends now. */
  readonly requests?: number;
  /** Why it could not be played. */
  readonly problem?: string;
}

/**
 * Plays recorded calls and bids again, each with a new client that gets the recorded replies, in virtual time. The sandbox answers
 * requests that were not recorded, such as the profile. It uses no network.
 */
export async function replayRecording(
  recording: Recording,
  { only }: ReplayOptions = {},
): Promise<readonly ReplayedCase[]> {
  const chosen = casesIn(recording).filter((one) =>
    only === undefined ? !isSmooth(one) : one.call === only || one.idempotencyKey === keyAsSent(only),
  );
  const replayed: ReplayedCase[] = [];
  for (const one of chosen) replayed.push(await replayCase(recording, one));
  return replayed;
}

/** Whether a case ends as it was recorded. */
export function isReproduced({ recorded, replayed }: ReplayedCase): boolean {
  return replayed !== undefined && shownEnd(recorded) === shownEnd(replayed);
}

/** An end in words, such as `unknown, in_doubt`. */
export function shownEnd(end: End): string {
  const error = 'error' in end ? end.error : undefined;
  return [end.outcome, error, end.reason].filter((word) => word !== undefined).join(', ');
}

async function replayCase(recording: Recording, one: RecordedCase): Promise<ReplayedCase> {
  const { call, at, idempotencyKey, end, calls } = one;
  const recordedRequests = calls.reduce((sum, { exchanges }) => sum + exchanges.length, 0);
  const facts = {
    ...{ call, at, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    ...{ recorded: end, recordedRequests },
  };
  const problem = whyUnplayable(one);
  if (problem !== undefined) return { ...facts, problem };
  try {
    return { ...facts, ...(await played(recording, one)) };
  } catch (error) {
    return { ...facts, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Why a case can't be played. */
function whyUnplayable({ calls, main }: RecordedCase): string | undefined {
  const exchanges = calls.flatMap((one) => one.exchanges);
  const omitted = exchanges.find(({ reply }) => reply?.omitted === 'too_large' || reply?.omitted === 'file');
  if (omitted !== undefined) return `A reply was not recorded: ${omitted.reply?.omitted}.`;
  const hasBody = exchanges.every(({ request: { method, body } }) => method === 'GET' || body !== undefined);
  if (!hasBody) return 'A request was not recorded: its body is too large, or was read from a file.';
  return inputOf(main) === undefined ? `There is no method ${main.call}.` : undefined;
}

/** Plays one case with a separate client. */
async function played(
  recording: Recording,
  one: RecordedCase,
): Promise<Pick<ReplayedCase, 'replayed' | 'requests'>> {
  const { startSandbox } = await import('../sandbox/index.js');
  const timestamp = Number(one.main.exchanges[0]?.request.timestamp);
  const startAt = timestamp > 0 ? timestamp * 1_000 : Date.parse(one.at);
  const sandbox = await startSandbox({ listen: false, clock: 'manual', startAt, rateLimit: false });
  const recorder = flightRecorder({ bytes: 64_000_000, entries: 1_000 });
  const outcomes: OutcomeEvent[] = [];
  const client = await clientOf(recording, one, sandbox, {
    flightRecorder: recorder,
    onOutcome: (event: OutcomeEvent) => outcomes.push(event),
  });
  try {
    const [result] = await during(sandbox, Promise.allSettled([started(client, one)]));
    const refusal = result.status === 'rejected' ? String(result.reason) : 'It sent nothing.';
    const calls = recorder.entries().filter((entry) => entry.kind === 'call');
    const own = calls.filter(({ call }) => call !== 'integration.profile' || call === one.call);
    const requests = own.reduce((sum, { exchanges }) => sum + exchanges.length, 0);
    if (one.call === 'bids.place') {
      const ended = outcomes.find(({ call }) => call === 'bids.place');
      if (ended === undefined) throw new Error(refusal);
      const { outcome, reason } = ended;
      return { replayed: { outcome, ...(reason !== undefined && { reason }) }, requests };
    }
    const ended = own.find(({ call }) => call === one.call);
    if (ended === undefined) throw new Error(refusal);
    const { outcome, error, reason } = ended;
    const end = { outcome, ...(error !== undefined && { error }), ...(reason !== undefined && { reason }) };
    return { replayed: end, requests };
  } finally {
    await during(sandbox, client.close());
    await sandbox.close();
  }
}

/** Virtual time of one step, ms, and of a whole case. */
const STEP_MS = 100;
const LONGEST_MS = 900_000;

/** Lets virtual time pass until work has ended. */
async function during<T>({ clock }: Sandbox, work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (let ms = 0; !isOver && ms < LONGEST_MS; ms += STEP_MS) {
    // Promises settle before time passes.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    if (!isOver) clock.advance(STEP_MS);
  }
  if (!isOver) throw new Error('It has not ended within 15 minutes of virtual time.');
  return work;
}

/** A deadline that is never shorter, so that a fix has time to take effect. */
const SHORTEST_DEADLINE_MS = 5_000;

async function clientOf(
  { actor, partnerType }: Recording,
  one: RecordedCase,
  sandbox: Sandbox,
  hooks: object,
) {
  const { BankClient, fetchTransport, memoryStore, PartnerClient } = await import('../index.js');
  const { calls } = one;
  const stopped = calls.flatMap(({ exchanges }) =>
    exchanges.flatMap(({ failure, ms }) =>
      failure?.stopped === true && ms !== undefined && ms > 0 ? [ms] : [],
    ),
  );
  const others = fetchTransport(sandbox.fetch, { retriesNothing: true });
  let made = 0;
  const uuid = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;
  const common = {
    environment: 'sandbox',
    baseUrl: sandbox.baseUrl,
    clock: sandbox.clock,
    randomness: { uuid, nonce: uuid, fraction: () => 0.5 },
    transport: recordedReplies(calls, sandbox.clock, others),
    store: memoryStore(),
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
    ...(stopped.length > 0 && { timeout: Math.max(...stopped) }),
    ...(one.openFor !== undefined && { deadline: Math.max(SHORTEST_DEADLINE_MS, one.openFor) }),
    ...hooks,
  } as const;
  if (actor === 'bank') return new BankClient({ ...common, credentials: sandbox.credentials.bank });
  const party = partnerType === undefined || partnerType === 'direct_dealer' ? 'dealer' : partnerType;
  const { dealerId, ...credentials } = sandbox.credentials[party];
  return new PartnerClient({ ...common, credentials, partnerType: partnerType ?? 'direct_dealer', dealerId });
}

/** Calls the method of a case on a client, as it was called when it was recorded. */
async function started(client: object, { call, main, idempotencyKey }: RecordedCase): Promise<unknown> {
  const { path, payload, extraQuery } = inputOf(main) ?? { path: [], payload: {}, extraQuery: undefined };
  const options = {
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(extraQuery !== undefined && { extraQuery }),
  };
  const [resource = '', verb = ''] = call.split('.');
  const holder: unknown = Reflect.get(client, resource);
  const method: unknown = Object(holder)[verb];
  if (typeof method !== 'function') throw new TypeError(`There is no method ${call}.`);
  if (call === 'bids.place') {
    const { amount, bidder_reference: bidderReference, dealer_id: dealerId } = payload;
    const bid = { lot: path[0], amount, dealerId, ...(bidderReference !== undefined && { bidderReference }) };
    return Reflect.apply(method, holder, [bid, options]);
  }
  const hasPayload = Object.keys(payload).length > 0 || takesPayload(main);
  const result: unknown = Reflect.apply(method, holder, [...path, ...(hasPayload ? [payload] : []), options]);
  const { firstPage } = Object(result);
  return typeof firstPage === 'function' ? Reflect.apply(firstPage, result, []) : result;
}

function takesPayload({ call }: RecordedCall): boolean {
  const route = routes.find(({ name }) => name === call);
  return route?.query !== undefined || route?.body !== undefined;
}

/** The arguments of a call, from its first request; undefined for a method that this version does not have. */
function inputOf({ call, exchanges: [first] }: RecordedCall) {
  const route = routes.find(({ name }) => name === call);
  if (route === undefined || first === undefined) return undefined;
  const pattern = route.path.replaceAll(/\{\w+\}/g, '([^/]+)');
  const [, ...path] = new RegExp(`${pattern}$`).exec(first.request.path) ?? [];
  const {
    idempotency_key: _,
    _method,
    ...body
  }: Readonly<Record<string, unknown>> = Object(first.request.body);
  const query: Record<string, string | number> = {};
  const extraQuery: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(first.request.query)) {
    const schema = route.query?.fields[name];
    if (schema !== undefined) query[name] = isNumeric(schema) ? Number(value) : value;
    else if (route.fixedQuery?.[name] === undefined) extraQuery[name] = value;
  }
  return {
    path: path.map(decodeURIComponent),
    payload: { ...query, ...body },
    extraQuery: Object.keys(extraQuery).length > 0 ? extraQuery : undefined,
  };
}

/** Whether a field of a query is a number, such as that of a page. */
function isNumeric(schema: Schema): boolean {
  if (typeof schema === 'object') return 'optional' in schema && isNumeric(schema.optional);
  return ['positive', 'int', 'number', 'perPage'].includes(schema);
}
