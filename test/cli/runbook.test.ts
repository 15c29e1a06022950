import { describe, expect, it } from 'vitest';
import type { UnsentReason } from '../../src/bids/types.js';
import type { IntentEvent, LookupEvent, ResultEvent } from '../../src/intents/content.js';
import type { IntentState } from '../../src/store/intents.js';
import type { WebhookState } from '../../src/store/tables.js';
import { bids } from './runbook/bids.js';
import { commands } from './runbook/commands.js';
import { Duty } from './runbook/duty.js';
import { endsAsDocumented } from './runbook/follow.js';
import { inDoubt } from './runbook/place.js';
import { endsByCommands, received } from './runbook/receive.js';
import { broken, endsByAbandoning, endsByRestore } from './runbook/stores.js';
import { placedAgain, unsent } from './runbook/unsent.js';

/**
 * Every stuck or doubtful state, built with a real store and client against the sandbox, and brought to an end by commands
 * alone: those that docs/runbook.md and `intents explain` name. What is on record in the end agrees with the service.
 */

/** Everything that the stores have shown. */
const seen = new Set<string>();
const note = (what: ReadonlySet<string>) => {
  for (const one of what) seen.add(one);
};

describe('by following what `intents explain` names, a bid ends that is', () => {
  it.each(Object.entries(bids))('%s', async (_, scenario) => note(await endsAsDocumented(scenario)));
});

describe('by following what `intents explain` names, a command ends that is', () => {
  it.each(Object.entries(commands))('%s', async (_, scenario) => note(await endsAsDocumented(scenario)));
});

describe('the same bid under its key is sent once, although it was not sent before', () => {
  const reasons = Object.entries(unsent).flatMap(([reason, how]) => (how ? [[reason, how] as const] : []));
  it.each(reasons)('because of: %s', async (_, how) => note(await placedAgain(how)));
});

describe('commands end a webhook event that is', () => {
  const states = Object.entries(received).flatMap(([state, how]) => (how ? [[state, how] as const] : []));
  it.each(states)('%s', async (_, how) => note(await endsByCommands(how)));
});

describe('a backup takes the place of a store that has', () => {
  it.each(Object.entries(broken))('%s', (_, how) => endsByRestore(how));
});

it.each(['{', '{}'])('abandon ends a damaged record of which there is no backup: %s', (content) =>
  endsByAbandoning(content),
);

it('recover ends with 130 when it is interrupted, and goes on when it runs again', async () => {
  await using duty = await Duty.begin();
  await inDoubt(duty, 'drop_before_commit');
  duty.sandbox.clock.advance(301_000);
  // It waits a minute for its second look.
  duty.clock.after(30_000, () => duty.interrupt());
  const { code, json } = await duty.types('dealer', 'recover');
  expect([code, json]).toEqual([130, [expect.objectContaining({ status: 'unknown' })]]);
  duty.sandbox.clock.advance(31_000);
  expect((await duty.types('dealer', 'recover')).code).toBe(1);
  expect((await duty.types('dealer', 'intents', 'list')).json).toEqual([]);
});

type ReadEvent = Extract<IntentEvent, { readonly type: 'bid_read' }>;
type Recorded =
  | `bid ${IntentState}`
  | 'bid refused provisional'
  | `command ${IntentState}`
  | 'command refused provisional'
  | `event ${IntentEvent['type']}`
  | `effect ${ResultEvent['effect']}`
  | `lookup ${LookupEvent['found']}`
  | `bid_read ${ReadEvent['found']}`
  | `unsent ${UnsentReason}`
  | `webhook ${WebhookState}`;

/** Whether the stores above have shown it, or why no state that needs a person has it. */
const recorded: Readonly<Record<Recorded, true | string>> = {
  'bid ready': true,
  'bid sent': true,
  'bid stuck': true,
  'bid accepted': true,
  'bid rejected': true,
  'bid refused': true,
  'bid refused provisional': true,
  'bid not_sent': true,
  'bid abandoned': true,
  'bid done': 'only a command is done',
  'command ready': true,
  'command sent': true,
  'command stuck': true,
  'command done': true,
  'command refused': true,
  'command refused provisional': true,
  'command not_sent': true,
  'command abandoned': true,
  'command accepted': 'only a bid is accepted',
  'command rejected': 'only a bid is rejected',
  'event placed': true,
  'event attempt': true,
  'event result': true,
  'event lookup': true,
  'event confirm': true,
  'event voided': true,
  'event bid_read': true,
  'event target_read': true,
  'event unsent': true,
  'event stuck': true,
  'event abandoned': true,
  'event expired': true,
  'event restored': true,
  'event clock_corrected': 'moves the times of a bid while its call runs',
  'event lot_read': 'stops the resending of a bid that is in doubt already',
  'event cancellation': 'says that another command was made',
  'effect done': true,
  'effect rejected': true,
  'effect refused': 'settles it at once',
  'effect uncoded': true,
  'effect not_sent': true,
  'effect unknown': true,
  'lookup accepted': true,
  'lookup rejected': true,
  'lookup processing': true,
  'lookup absent': true,
  'lookup failed': true,
  'bid_read accepted': true,
  'bid_read rejected': 'as accepted',
  'bid_read differs': true,
  'bid_read failed': true,
  'unsent network': true,
  'unsent deadline': true,
  'unsent closed': 'derived when the outcome is read',
  'unsent aborted': true,
  'unsent halted': true,
  'unsent risk_limit': true,
  'unsent interrupted': true,
  'unsent failure': true,
  'webhook pending': true,
  'webhook handled': true,
  'webhook failed_permanently': true,
  'webhook malformed': true,
};

it('the states above are all that the types of the package have', () => {
  const expected = Object.entries(recorded).filter(([, how]) => how === true);
  const missing = expected.map(([what]) => what).filter((what) => !seen.has(what));
  expect(missing).toEqual([]);
});
