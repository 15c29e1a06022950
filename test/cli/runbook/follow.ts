import { expect } from 'vitest';
import type { Who } from '../../../src/cli/sandbox/flags.js';
import type { ReplyContext } from '../../../src/sandbox/index.js';
import { Duty } from './duty.js';

/** A state that `intents list` shows, and how it ends. */
export interface Scenario {
  readonly who?: Who;
  /** The client that recorded it, if that is another one. */
  readonly as?: Who;
  /** Changes replies of the service. */
  readonly reply?: (call: ReplyContext, json: unknown, memory: Map<string, unknown>) => unknown;
  readonly build: (duty: Duty) => Promise<unknown>;
  /** The service contradicts itself, so its ledger proves nothing. */
  readonly lies?: true;
  /** The states of all intents in the end, in the order of inserts. */
  readonly ends: readonly string[];
}

/** A call of the library, which nobody can type. */
const CALL = /\w\(/;

/** Follows `intents list`, `intents explain` and the commands that it names until nothing is unresolved. */
async function follow(duty: Duty, who: Who, as = who): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const { code, json } = await duty.types(who, 'intents', 'list');
    expect(code).toBe(0);
    const [first] = json;
    if (first === undefined) return;
    const key = String(first['idempotencyKey']);
    const explained = await duty.types(who, 'intents', 'explain', key);
    expect(explained.code).toBe(0);
    const [{ commands, recoverFrom, nextStep: advice } = {}] = explained.json;
    expect(advice).not.toMatch(CALL);
    if (typeof recoverFrom === 'number')
      duty.sandbox.clock.advance(Math.max(0, recoverFrom + 1 - duty.sandbox.clock.now()));
    expect(commands, key).toEqual(expect.arrayContaining([expect.any(String)]));
    for (const command of commands as readonly string[]) {
      const words = command.replace(/ --(reason "…"|profile …)$/, '').split(' ');
      const reason = command.endsWith('--reason "…"') ? ['--reason', 'The bank was asked'] : [];
      const isOthers = command.endsWith(' --profile …');
      const typed = await duty.types(
        isOthers ? as : who,
        ...words,
        ...reason,
        ...(/^(recover|intents abandon)/.test(command) ? ['--yes'] : []),
      );
      const isUnknown = typed.json.some(({ status }) => status === 'unknown');
      const isRefused = typed.json.some(({ status }) =>
        ['refused', 'rejected', 'not_sent'].includes(String(status)),
      );
      expect([command, typed.code, typed.err]).toEqual([
        command,
        isUnknown ? 3 : isRefused ? 1 : 0,
        expect.any(String),
      ]);
      for (const { nextStep } of typed.json) expect(String(nextStep)).not.toMatch(CALL);
      if (typed.json.some(({ idempotencyKey, status }) => idempotencyKey === key && status !== 'unknown'))
        break;
    }
  }
  throw new Error(`It does not end:\n${duty.typed.map((one) => one.join(' → ')).join('\n')}`);
}

/** What is on record says what the service has. */
async function agree(duty: Duty, who: Who, lies = false): Promise<readonly string[]> {
  const { json } = await duty.types(who, 'intents', 'list', '--all');
  for (const { idempotencyKey, state } of json) {
    const effects = duty.sandbox.ledger().filter((entry) => entry.idempotencyKey === idempotencyKey).length;
    const isDone = state === 'accepted' || state === 'done';
    if (state === 'abandoned') expect(effects).toBeLessThan(2);
    else if (!lies) expect([idempotencyKey, state, effects]).toEqual([idempotencyKey, state, isDone ? 1 : 0]);
  }
  return json.map(({ state }) => String(state));
}

/** The key of the one intent on record. */
export async function onlyKey(duty: Duty): Promise<string> {
  const { json } = await duty.types('dealer', 'intents', 'list', '--all');
  expect(json).toHaveLength(1);
  return String(json[0]?.['idempotencyKey']);
}

/** Builds a state, and follows the runbook to its end. @returns what the store has shown meanwhile */
export async function endsAsDocumented({
  who = 'dealer',
  as,
  reply,
  build,
  lies,
  ends,
}: Scenario): Promise<ReadonlySet<string>> {
  const memory = new Map<string, unknown>();
  await using duty = await Duty.begin(reply && { reply: (call, json) => reply(call, json, memory) });
  await build(duty);
  expect((await duty.types(who, 'intents', 'list')).json).not.toEqual([]);
  await follow(duty, who, as);
  expect(await agree(duty, who, lies)).toEqual(ends);
  return duty.seen;
}
