import type { IntentContent } from '../../src/intents/content.js';
import { accepted, acknowledged, record, replayed } from '../intents/desk.js';
import { acceptance, html, LOT, messageOnly, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import type { Result } from './world.js';

/** Results of attempts, as real clients record them when they receive real replies. */

/** What a refusal without a code looks like. */
export const forms = {
  message: messageOnly,
  page: html,
  nothing: (status: number): Step => ({ status, text: '' }),
} as const;

export type Form = keyof typeof forms;

export const refusalStatuses = [
  400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 415, 419, 422, 423, 428,
] as const;

const bidReplies = {
  accepted: acceptance(),
  rejected: recordedRejection(),
  'replay of an acceptance': acceptance({ replayed: true }, 200),
  'replay of a rejection': recordedRejection(undefined, { replayed: true }),
  'refused with a code': refusal(403, 'IP_NOT_ALLOWED'),
  NONCE_REPLAYED: refusal(409, 'NONCE_REPLAYED'),
  TIMESTAMP_EXPIRED: refusal(401, 'TIMESTAMP_EXPIRED'),
  'no reply': { fail: 'maybe' },
  'no connection': { fail: 'no' },
} as const satisfies Record<string, Step>;

const commandReplies = {
  done: record(),
  'replay of its success': replayed(),
  'refused with a code': refusal(403, 'IP_NOT_ALLOWED'),
  NONCE_REPLAYED: refusal(409, 'NONCE_REPLAYED'),
  TIMESTAMP_EXPIRED: refusal(401, 'TIMESTAMP_EXPIRED'),
  'old version': { status: 409, json: { message: 'The version is outdated.' } },
  'no reply': { fail: 'maybe' },
  'no connection': { fail: 'no' },
} as const satisfies Record<string, Step>;

export type BidReply = keyof typeof bidReplies | 'bare';
export type CommandReply = keyof typeof commandReplies | 'bare';

/** What a bid records of each reply; `bare` is the refusal without a code that is looked at. */
export async function bidResults(bare: Step): Promise<Readonly<Record<BidReply, Result>>> {
  return resultsOf({ ...bidReplies, bare }, async (scene, step) => {
    const { client } = scene.dealer([step, ...silence]);
    const body = { amount: '465000', dealer_id: 'D-204', idempotency_key: KEY };
    await scene.during(client.bids.submit(LOT, body, { maxAttempts: 1 }).catch(() => undefined));
  });
}

/** The same for a command without a version (A75), or a decision whose record shows its version (A23). */
export async function commandResults(
  kind: 'command' | 'decision',
  bare: Step,
): Promise<Readonly<Record<CommandReply, Result>>> {
  return resultsOf({ ...commandReplies, bare }, async (scene, step) => {
    await (kind === 'command'
      ? acknowledged(scene, [step, ...silence])
      : accepted(scene, [step, ...silence]));
  });
}

const silence = Array<Step>(4).fill({ fail: 'maybe' });

async function resultsOf<Name extends string>(
  replies: Readonly<Record<Name, Step>>,
  send: (scene: Scene, step: Step) => Promise<void>,
): Promise<Readonly<Record<Name, Result>>> {
  const results: Partial<Record<Name, Result>> = {};
  for (const name in replies) {
    const scene = new Scene();
    await send(scene, replies[name]);
    const { content } = await scene.only();
    results[name] = resultIn(content);
  }
  return isWhole(results, replies) ? results : fail();
}

function resultIn({ log }: IntentContent): Result {
  const found = log.find((event) => event.type === 'result');
  if (found === undefined) return fail();
  const { type: _, n: __, at: ___, record: ____, ...result } = found;
  return result;
}

function isWhole<Name extends string>(
  results: Partial<Record<Name, Result>>,
  replies: Readonly<Record<Name, Step>>,
): results is Record<Name, Result> {
  return Object.keys(replies).every((name) => Object.hasOwn(results, name));
}

function fail(): never {
  throw new Error('a reply left no result');
}
