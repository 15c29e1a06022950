import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { routes } from '../../../src/generated/routes.js';
import type { FaultPlan } from '../../../src/sandbox/index.js';
import { type ActName, acts } from '../../sandbox/commands.js';
import { type Story, storyOf } from '../../sandbox/story.js';
import { SpyStore } from '../../support/spy-store.js';
import { type Duty, Program } from './duty.js';
import type { Scenario } from './follow.js';
import { MINUTE } from './place.js';

/** A command that a person types, whose process ends before it is known what became of it. */
interface Sent {
  readonly act: ActName;
  /** What has to be done before it. */
  readonly after?: readonly ActName[];
  readonly fault: FaultPlan;
  /** Time until the one on duty comes, ms. */
  readonly later?: number;
}

const lost = { fault: 'drop_before_commit', times: Infinity } as const;
const unheard = { fault: 'drop_after_commit', times: Infinity } as const;
const turnedAway = { fault: 'refuse', status: 409, times: Infinity } as const;

/** Sends it, and returns the story that it belongs to. */
async function send(duty: Duty, { act, after = [], fault, later = 0 }: Sent): Promise<Story> {
  const story = await storyOf(duty.sandbox, {}, ...after);
  const path = `/${await story.path(act)}`;
  const found = routes.find(
    (route) => route.method === 'POST' && patternOf(route.path).test(path) && route.name !== 'raw',
  );
  if (found === undefined) throw new Error(`No method sends ${path}`);
  const ids = patternOf(found.path).exec(path)?.slice(1) ?? [];
  const body = JSON.stringify(story.body(act));
  const withdraw = duty.sandbox.inject({ ...fault, operation: found.name });
  const who = acts[act].by === 'bank' ? 'bank' : 'dealer';
  const { code } = await duty.types(who, 'call', found.name, ...ids, '--body', body, '--yes');
  // A refusal without a code is provisional where the version of its record was read.
  expect([1, 3]).toContain(code);
  withdraw();
  duty.sandbox.clock.advance(later);
  return story;
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`);

const command = (ends: string, sent: Sent): Scenario => ({
  who: acts[sent.act].by === 'bank' ? 'bank' : 'dealer',
  build: (duty) => send(duty, sent),
  ends: [ends],
});

const HOUR = 60 * MINUTE;
const approved = ['approve'] as const;
const paid = ['approve', 'acknowledge', 'import'] as const;

export const commands: Readonly<Record<string, Scenario>> = {
  'an acknowledgment in doubt that was not carried out': command('refused', {
    act: 'acknowledge',
    after: approved,
    fault: lost,
  }),
  'an acknowledgment in doubt that was carried out': command('done', {
    act: 'acknowledge',
    after: approved,
    fault: unheard,
  }),
  'an acknowledgment that was turned away without a code': command('refused', {
    act: 'acknowledge',
    after: approved,
    fault: turnedAway,
  }),
  'an acknowledgment that was turned away, and that the service has': command('abandoned', {
    act: 'acknowledge',
    after: approved,
    fault: { ...turnedAway, commit: true },
    later: HOUR,
  }),
  'a decision of a bank in doubt that was carried out': command('done', { act: 'approve', fault: unheard }),
  'an allocation in doubt that was carried out': command('done', {
    act: 'allocate',
    after: paid,
    fault: unheard,
  }),
  'a release in doubt that was not carried out': command('done', {
    act: 'release',
    after: [...paid, 'allocate'],
    fault: lost,
  }),
  'a payment report in doubt that was carried out': command('done', {
    act: 'report',
    after: ['approve', 'acknowledge'],
    fault: unheard,
  }),
  'a payment report in doubt that is found too late to send it again': command('abandoned', {
    act: 'report',
    after: ['approve', 'acknowledge'],
    fault: lost,
    later: HOUR,
  }),
  'a message in doubt that was turned away without a code': command('done', {
    act: 'read',
    after: approved,
    fault: { fault: 'refuse', status: 403, times: Infinity },
  }),
  'a bid cancellation in doubt': command('done', { act: 'cancelBid', fault: lost }),
  'a command in doubt in a restored backup': {
    build: async (duty) => {
      await send(duty, { act: 'read', after: approved, fault: lost });
      const backup = join(duty.folder, 'backup.db');
      expect((await duty.types('dealer', 'store', 'backup', backup)).code).toBe(0);
      await duty.closeStores();
      expect((await duty.types('dealer', 'store', 'restore', backup, '--yes')).code).toBe(3);
    },
    ends: ['abandoned'],
  },
  'a document in doubt whose file is gone': {
    build: async (duty) => {
      const { sold } = await storyOf(duty.sandbox, {}, 'approve', 'acknowledge');
      const slip = join(duty.folder, 'slip.txt');
      writeFileSync(slip, 'Transfer of INR 200000.00');
      const withdraw = duty.sandbox.inject({ ...lost, operation: 'documents.upload' });
      const upload = ['documents', 'upload', slip, '--sale', sold.saleId, '--purpose', 'payment_evidence'];
      expect((await duty.types('dealer', ...upload, '--yes')).code).toBe(3);
      withdraw();
      rmSync(slip);
    },
    ends: ['abandoned'],
  },
  'a runOnce whose process died before its call': {
    build: async (duty) => {
      const program = new Program();
      const store = new SpyStore([], duty.store(program.process));
      const client = duty.dealer({ store });
      await duty.during(client.integration.profile());
      const begun = client.runOnce(['export', '2026-11-26'], async () => {
        store.troubles.push(...Array<'fails'>(9).fill('fails'));
      });
      await duty.during(begun.catch(() => undefined));
      await duty.look();
      await duty.during(client.close());
      await program.end();
    },
    ends: ['not_sent'],
  },
};
