import { setImmediate as turn } from 'node:timers/promises';
import { type Intent, isOpen, namespaceOf, subjectOf } from '../../src/intents/intent.js';
import type { IntentTable } from '../../src/intents/intent-table.js';
import type {
  Change,
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  Journal,
  LeaseRequest,
  StoredIntent,
} from '../../src/intents/journal.js';
import { TableJournal } from './table-journal.js';

/** A journal that breaks one sentence of the port, and the case that must say so. */
export interface BrokenJournal {
  readonly flaw: string;
  readonly caughtBy: string;
  readonly journal: new (table: IntentTable) => Journal;
}

type Create = Parameters<Journal['create']>;

class Altering extends TableJournal {
  protected stored(stored: StoredIntent): StoredIntent {
    return stored;
  }

  override async read(id: IntentId) {
    const stored = await super.read(id);
    return stored && this.stored(stored);
  }

  override async find(key: string) {
    return (await super.find(key)).map((stored) => this.stored(stored));
  }

  override async *list(filter: IntentFilter) {
    for await (const stored of super.list(filter)) yield this.stored(stored);
  }
}

/** One whose texts don't come back as they were. */
function spelling(alter: (json: string) => string): new (table: IntentTable) => Journal {
  return class extends Altering {
    protected override stored(stored: StoredIntent): StoredIntent {
      return JSON.parse(alter(JSON.stringify(stored))) as StoredIntent;
    }
  };
}

/** One that keeps another intent than it was given. */
function keeping(alter: (intent: Intent) => Intent): new (table: IntentTable) => Journal {
  return class extends TableJournal {
    override create(...[intent, ...rest]: Create) {
      return super.create(alter(intent), ...rest);
    }
  };
}

function copiedByAssignment(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copiedByAssignment);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = copiedByAssignment(member);
  return copy;
}

/** What is in a table's memory, for those that keep something of it themselves. */
const buffers = new WeakMap<IntentTable, Map<string, Change>>();

/** The last create of each lot, for those that let them wait for each other. */
const creates = new WeakMap<IntentTable, Map<string, Promise<unknown>>>();

const late = 'fence: whoever was taken over is refused, and nothing is written';
const raceForKey = 'create: of many that race for a key, one wins and the others see it';
const raceForSubject =
  'create: of many exclusive ones that race for a subject, one wins and stands against the others';
const leftOut = 'claimOpen: leaves out what is held, what is settled, and other namespaces';
const filters = 'list: keeps to its filters, each and all together';

export const brokenJournals: readonly BrokenJournal[] = [
  {
    flaw: 'looks for the key, and writes a moment later',
    caughtBy: raceForKey,
    journal: class extends TableJournal {
      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        const id = { namespace: namespaceOf(intent.account), key: intent.key };
        const stored = await this.read(id);
        if (stored !== undefined) return { kind: 'exists', stored };
        await turn();
        this.table.remove(id);
        return super.create(intent, change, lease, rules);
      }
    },
  },
  {
    flaw: 'looks for the subject, and writes a moment later',
    caughtBy: raceForSubject,
    journal: class extends TableJournal {
      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        const subject = subjectOf(intent);
        const namespace = namespaceOf(intent.account);
        const by = [...this.table.list({ namespace, subject, open: true })];
        if (rules.exclusive && subject !== undefined && by.length > 0) return { kind: 'blocked', by };
        await turn();
        return super.create(intent, change, lease, { exclusive: false });
      }
    },
  },
  {
    flaw: 'lets creates of one lot wait for each other, and nobody who opens an intent again',
    caughtBy: 'append: of what opens an intent again and an exclusive create for its lot, one sees the other',
    journal: class extends TableJournal {
      override create(...[intent, change, lease, rules]: Create): Promise<Created> {
        const queues = creates.get(this.table) ?? new Map<string, Promise<unknown>>();
        creates.set(this.table, queues);
        const subject = subjectOf(intent);
        const writes = async () => {
          const obstacle = this.table.obstacleTo(intent, rules);
          if (subject !== undefined && rules.exclusive) await turn();
          return obstacle ?? this.table.make(intent, change, lease);
        };
        const queue = `${namespaceOf(intent.account)} ${subject ?? intent.key}`;
        const created = (queues.get(queue) ?? Promise.resolve()).then(writes);
        queues.set(queue, created);
        return created;
      }
    },
  },
  {
    flaw: 'puts a new intent in the place of the old one',
    caughtBy: 'create: answers with what is there where the key is taken, and writes nothing',
    journal: class extends TableJournal {
      override async create(...[intent, ...rest]: Create): Promise<Created> {
        this.table.remove({ namespace: namespaceOf(intent.account), key: intent.key });
        return super.create(intent, ...rest);
      }
    },
  },
  {
    flaw: 'tells of a subject before it looks for the key',
    caughtBy: 'create: an exclusive one that is tried again exists; it does not stand against itself',
    journal: class extends TableJournal {
      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        const by = [...this.table.list({ subject: subjectOf(intent), open: true })];
        if (rules.exclusive && by.length > 0) return { kind: 'blocked', by };
        return super.create(intent, change, lease, rules);
      }
    },
  },
  ...(['prepared', 'unknown', 'quarantined'] as const).map(
    (state): BrokenJournal => ({
      flaw: `takes ${state} ones for settled`,
      caughtBy: `create: refuses an exclusive one while one of its subject is ${state}, and writes nothing`,
      journal: class extends TableJournal {
        override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
          const created = await super.create(intent, change, lease, rules);
          if (created.kind !== 'blocked' || created.by.some((other) => other.state !== state)) return created;
          return super.create(intent, change, lease, { exclusive: false });
        }
      },
    }),
  ),
  {
    flaw: 'takes every create for an exclusive one',
    caughtBy: 'create: one that is not exclusive stands beside open ones of its subject',
    journal: class extends TableJournal {
      override create(...[intent, change, lease]: Create): Promise<Created> {
        return super.create(intent, change, lease, { exclusive: true });
      }
    },
  },
  {
    flaw: 'has no patience with two at once',
    caughtBy: 'create: many that have nothing to do with each other succeed at once',
    journal: class extends TableJournal {
      #isBusy = false;
      override async create(...args: Create): Promise<Created> {
        if (this.#isBusy) throw new Error('deadlock detected');
        this.#isBusy = true;
        await turn();
        this.#isBusy = false;
        return super.create(...args);
      }
    },
  },
  {
    flaw: 'names one of many that stand against an intent',
    caughtBy: 'create: names every open intent that stands against an exclusive one',
    journal: class extends TableJournal {
      override async create(...args: Create): Promise<Created> {
        const created = await super.create(...args);
        return created.kind === 'blocked' ? { ...created, by: created.by.slice(0, 1) } : created;
      }
    },
  },
  {
    flaw: 'knows subjects without their namespace',
    caughtBy: 'create: an exclusive one stands beside settled ones, other subjects and other namespaces',
    journal: class extends TableJournal {
      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        const by = [...this.table.list({ subject: subjectOf(intent) ?? '', open: true })];
        if (rules.exclusive && by.length > 0) return { kind: 'blocked', by };
        return super.create(intent, change, lease, rules);
      }
    },
  },
  {
    flaw: 'knows keys without their namespace',
    caughtBy: 'create: one key is another intent in another namespace, and the same one for another dealer',
    journal: class extends TableJournal {
      override async create(...[intent, ...rest]: Create): Promise<Created> {
        const [stored] = await this.find(intent.key);
        return stored === undefined ? super.create(intent, ...rest) : { kind: 'exists', stored };
      }
    },
  },
  {
    flaw: 'forgets settled intents at once',
    caughtBy: 'create: the key of a settled intent stays taken',
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        await super.append(id, fence, change);
        if (!isOpen(change.state)) this.table.remove(id);
      }
    },
  },
  {
    flaw: 'gives a new intent no lease',
    caughtBy: 'create: writes the intent, its entries and its state, and leases it to its maker',
    journal: class extends TableJournal {
      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        return super.create(intent, change, { ...lease, ttlMs: 0 }, rules);
      }
    },
  },
  {
    flaw: 'takes no notice of the fence',
    caughtBy: late,
    journal: class extends TableJournal {
      override async append(...[id, , change]: Parameters<Journal['append']>) {
        await super.append(id, this.table.fenceOf(id), change);
      }
    },
  },
  {
    flaw: 'writes before it looks at the fence',
    caughtBy: late,
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        this.table.append(id, this.table.fenceOf(id), change);
        await super.append(id, fence, change);
      }
    },
  },
  {
    flaw: 'refuses whose lease has run out, though nobody took over',
    caughtBy: 'fence: a lease that has run out counts as long as nobody took over',
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        const isHeld = this.table.read(id)?.lease !== undefined;
        await super.append(id, isHeld ? fence : -1, change);
      }
    },
  },
  {
    flaw: 'looks at the fence, and writes a moment later',
    caughtBy: 'fence: an append that races with a take-over is written whole before it, or refused',
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        const isMine = this.table.fenceOf(id) === fence;
        await turn();
        await super.append(id, isMine ? this.table.fenceOf(id) : fence, change);
      }
    },
  },
  {
    flaw: 'says nothing of an append that nobody holds the lease for',
    caughtBy: 'append: is refused for an intent that is not there, and makes none',
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        if (this.table.read(id) !== undefined) await super.append(id, fence, change);
      }
    },
  },
  {
    flaw: 'puts the newest entries first',
    caughtBy: 'append: keeps entries in the order they were added, and the last state',
    journal: class extends Altering {
      protected override stored(stored: StoredIntent): StoredIntent {
        return { ...stored, entries: [...stored.entries].reverse() };
      }
    },
  },
  {
    flaw: 'writes entries one by one',
    caughtBy: 'append: many at once all arrive, the entries of each together',
    journal: class extends TableJournal {
      override async append(...[id, fence, { entries, state }]: Parameters<Journal['append']>) {
        for (const entry of entries) {
          await turn();
          await super.append(id, fence, { entries: [entry], state });
        }
      }
    },
  },
  {
    flaw: 'drops the body of whatever has settled',
    caughtBy: 'append: the bytes of the body stay as long as it may be sent again',
    journal: class extends Altering {
      protected override stored({ intent, ...rest }: StoredIntent): StoredIntent {
        const { text: _, ...body } = intent.body;
        return { ...rest, intent: isOpen(rest.state) ? intent : { ...intent, body } };
      }
    },
  },
  {
    flaw: 'never opens again what had settled',
    caughtBy: 'append: a settled intent can be open again, and then is so for everybody',
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        const before = this.table.read(id)?.state ?? 'prepared';
        await super.append(id, fence, isOpen(before) ? change : { ...change, state: before });
      }
    },
  },
  {
    flaw: 'writes what nobody waits for a moment later',
    caughtBy: 'unwaited: whoever asks for the intent next sees the change',
    journal: class extends TableJournal {
      override async append(...[id, fence, change, unwaited]: Parameters<Journal['append']>) {
        if (unwaited === undefined) return super.append(id, fence, change);
        turn().then(() => super.append(id, fence, change), unwaited.onLost);
      }
    },
  },
  {
    flaw: 'shows what nobody waits for, but holds its lot against others until it is written',
    caughtBy: 'unwaited: an intent that it settles is open to nobody from then on',
    journal: class extends TableJournal {
      readonly #unwritten: Intent[] = [];

      override async append(...[id, fence, change, unwaited]: Parameters<Journal['append']>) {
        await super.append(id, fence, change);
        const stored = this.table.read(id);
        if (unwaited !== undefined && stored !== undefined) this.#unwritten.push(stored.intent);
      }

      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        const by = this.#unwritten.filter((other) => subjectOf(other) === subjectOf(intent));
        if (!rules.exclusive || by.length === 0) return super.create(intent, change, lease, rules);
        return { kind: 'blocked', by: by.map((other) => ({ intent: other, entries: [], state: 'unknown' })) };
      }
    },
  },
  {
    flaw: 'tells of a lost lease only who waits for it',
    caughtBy: 'unwaited: it is refused at once where somebody took over',
    journal: class extends TableJournal {
      override async append(...[id, fence, change, unwaited]: Parameters<Journal['append']>) {
        await super.append(id, fence, change).catch((error: unknown) => {
          if (unwaited === undefined) throw error;
          unwaited.onLost(error);
        });
      }
    },
  },
  {
    flaw: 'forgets at its end what nobody waits for',
    caughtBy: 'unwaited: what comes after it comes after it, and closing writes both',
    journal: class extends TableJournal {
      #last: IntentId | undefined;

      override async append(...[id, fence, change, unwaited]: Parameters<Journal['append']>) {
        await super.append(id, fence, change);
        this.#last = unwaited && id;
      }

      override async close() {
        if (this.#last !== undefined) this.table.remove(this.#last);
      }
    },
  },
  {
    flaw: 'gives out the same fence again',
    caughtBy: 'claim: takes what nobody holds, shows all of it, and gives a higher fence',
    journal: class extends TableJournal {
      override async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
        const fence = this.table.fenceOf(id);
        const claimed = await super.claim(id, lease);
        if (claimed.kind !== 'claimed') return claimed;
        return { kind: 'claimed', held: { stored: claimed.held.stored, fence } };
      }
    },
  },
  {
    flaw: 'lets anybody take what is held',
    caughtBy: 'claim: leaves alone what somebody else holds',
    journal: class extends TableJournal {
      override async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
        this.table.release(id, this.table.fenceOf(id));
        return super.claim(id, lease);
      }
    },
  },
  {
    flaw: 'keeps what is held from its own holder',
    caughtBy: 'claim: gives its owner anew what it holds, with a higher fence and for as long as it asks now',
    journal: class extends TableJournal {
      override async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
        const stored = this.table.read(id);
        return stored?.lease === undefined ? super.claim(id, lease) : { kind: 'held', stored };
      }
    },
  },
  {
    flaw: 'finds an error in what is not there',
    caughtBy: 'claim: says so where there is no such intent',
    journal: class extends TableJournal {
      override async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
        if (this.table.read(id) === undefined) throw new Error('no such row');
        return super.claim(id, lease);
      }
    },
  },
  {
    flaw: 'takes seconds for milliseconds',
    caughtBy: 'claim: a lease lasts as long as was asked for, and no longer',
    journal: class extends TableJournal {
      override async create(...[intent, change, lease, rules]: Create): Promise<Created> {
        return super.create(intent, change, { ...lease, ttlMs: lease.ttlMs * 1000 }, rules);
      }
    },
  },
  {
    flaw: 'looks whether an intent is free, and takes it a moment later',
    caughtBy: 'claim: of many that race for a free intent, one wins',
    journal: class extends TableJournal {
      override async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
        const isFree = this.table.read(id)?.lease === undefined;
        await turn();
        if (isFree) this.table.release(id, this.table.fenceOf(id));
        return super.claim(id, lease);
      }
    },
  },
  {
    flaw: 'does not release',
    caughtBy: 'release: gives the lease back, and says nothing when asked again',
    journal: class extends TableJournal {
      override async release() {}
    },
  },
  {
    flaw: 'lets anybody release',
    caughtBy: 'fence: a late release leaves the next holder alone, and says nothing',
    journal: class extends TableJournal {
      override async release(...[id]: Parameters<Journal['release']>) {
        await super.release(id, this.table.fenceOf(id));
      }
    },
  },
  {
    flaw: 'complains of a late release',
    caughtBy: 'fence: a late release leaves the next holder alone, and says nothing',
    journal: class extends TableJournal {
      override async release(...[id, fence]: Parameters<Journal['release']>) {
        if (this.table.fenceOf(id) !== fence) throw new Error('not yours');
        await super.release(id, fence);
      }
    },
  },
  {
    flaw: 'claims the youngest first',
    caughtBy: 'claimOpen: takes the oldest, up to the limit, and the next ones when asked again',
    journal: class extends TableJournal {
      override async claimOpen(
        ...[namespace, lease, limit]: Parameters<Journal['claimOpen']>
      ): Promise<readonly HeldIntent[]> {
        const free = [...this.table.list({ namespace, open: true })].filter((stored) => !stored.lease);
        return free
          .reverse()
          .slice(0, limit)
          .flatMap(({ intent }) => {
            const claimed = this.table.claim({ namespace, key: intent.key }, lease);
            return claimed.kind === 'claimed' ? [claimed.held] : [];
          });
      }
    },
  },
  {
    flaw: 'claims all there are, whatever the limit',
    caughtBy: 'claimOpen: takes the oldest, up to the limit, and the next ones when asked again',
    journal: class extends TableJournal {
      override claimOpen(...[namespace, lease]: Parameters<Journal['claimOpen']>) {
        return super.claimOpen(namespace, lease, Number.POSITIVE_INFINITY);
      }
    },
  },
  ...(['held', 'settled', 'elsewhere'] as const).map(
    (kind): BrokenJournal => ({
      flaw: `claims what is ${kind}`,
      caughtBy: leftOut,
      journal: class extends TableJournal {
        override async claimOpen(
          ...[namespace, lease, limit]: Parameters<Journal['claimOpen']>
        ): Promise<readonly HeldIntent[]> {
          const filter = {
            ...(kind !== 'elsewhere' && { namespace }),
            ...(kind !== 'settled' && { open: true }),
          };
          const ids = [...this.table.list(filter)].map(({ intent }) => ({
            namespace: namespaceOf(intent.account),
            key: intent.key,
          }));
          if (kind === 'held') for (const id of ids) this.table.release(id, this.table.fenceOf(id));
          return ids.slice(0, limit).flatMap((id) => {
            const claimed = this.table.claim(id, lease);
            return claimed.kind === 'claimed' ? [claimed.held] : [];
          });
        }
      },
    }),
  ),
  {
    flaw: 'looks which are free, and takes them a moment later',
    caughtBy: 'claimOpen: many claimers at once take every intent, and none of them twice',
    journal: class extends TableJournal {
      override async claimOpen(
        ...[namespace, lease, limit]: Parameters<Journal['claimOpen']>
      ): Promise<readonly HeldIntent[]> {
        const free = [...this.table.list({ namespace, open: true })].filter((stored) => !stored.lease);
        await turn();
        return free.slice(0, limit).flatMap(({ intent }) => {
          const id = { namespace, key: intent.key };
          this.table.release(id, this.table.fenceOf(id));
          const claimed = this.table.claim(id, lease);
          return claimed.kind === 'claimed' ? [claimed.held] : [];
        });
      }
    },
  },
  {
    flaw: 'passes over what was claimed by somebody at the same time, and never comes back to it',
    caughtBy: 'claimOpen: many claimers at once take every intent, and none of them twice',
    journal: class extends TableJournal {
      override async claimOpen(...[namespace, lease, limit]: Parameters<Journal['claimOpen']>) {
        const held = await super.claimOpen(namespace, lease, limit + 1);
        return held.slice(0, limit);
      }
    },
  },
  {
    flaw: 'finds keys in one namespace',
    caughtBy: 'find: gives every intent with a key, in whichever namespace',
    journal: class extends TableJournal {
      override async find(key: string) {
        return (await super.find(key)).slice(0, 1);
      }
    },
  },
  {
    flaw: 'finds what begins like a key',
    caughtBy: 'find: gives every intent with a key, in whichever namespace',
    journal: class extends TableJournal {
      override async find(key: string) {
        return [...this.table.list({})].filter(({ intent }) => intent.key.startsWith(key));
      }
    },
  },
  {
    flaw: 'shows what is there now to those who read before',
    caughtBy: 'read: what was read before stays as it was',
    journal: class extends TableJournal {
      override async read(id: IntentId) {
        const { table } = this;
        const stored = await super.read(id);
        return (
          stored && {
            ...stored,
            get entries() {
              return table.read(id)?.entries ?? [];
            },
          }
        );
      }
    },
  },
  {
    flaw: 'keeps the list that it was handed',
    caughtBy: 'read: what was handed over can be used for something else afterwards',
    journal: class extends Altering {
      readonly #handed = new Map<string, Change[]>();
      override async create(...[intent, change, lease, rules]: Create) {
        this.#handed.set(intent.key, [change]);
        return super.create(intent, change, lease, rules);
      }
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        this.#handed.get(id.key)?.push(change);
        await super.append(id, fence, change);
      }
      protected override stored(stored: StoredIntent): StoredIntent {
        return {
          ...stored,
          entries: (this.#handed.get(stored.intent.key) ?? []).flatMap((each) => each.entries),
        };
      }
    },
  },
  {
    flaw: 'lists by key',
    caughtBy: 'list: gives the oldest first, as read gives them',
    journal: class extends TableJournal {
      override async *list(filter: IntentFilter) {
        yield* [...this.table.list(filter)].sort((a, b) => (a.intent.key < b.intent.key ? -1 : 1));
      }
    },
  },
  {
    flaw: 'lists by pages that are counted, so that they move when something settles',
    caughtBy: 'list: can be worked through, each one settled as it comes, without missing any',
    journal: class extends TableJournal {
      override async *list(filter: IntentFilter) {
        for (let from = 0; ; from += 50) {
          const page = [...this.table.list(filter)].slice(from, from + 50);
          if (page.length === 0) return;
          yield* page;
        }
      }
    },
  },
  {
    flaw: 'lists the first hundred',
    caughtBy: 'list: is whole, however many there are',
    journal: class extends TableJournal {
      override async *list(filter: IntentFilter) {
        yield* [...this.table.list(filter)].slice(0, 100);
      }
    },
  },
  {
    flaw: 'gives a connection to each list, and has twenty',
    caughtBy: 'list: can be left early, again and again',
    journal: class extends TableJournal {
      #free = 20;
      override async *list(filter: IntentFilter) {
        if (this.#free === 0) throw new Error('no connection is free');
        this.#free -= 1;
        yield* [...this.table.list(filter)];
        this.#free += 1;
      }
    },
  },
  ...(['namespace', 'open', 'subject'] as const).map(
    (name): BrokenJournal => ({
      flaw: `takes no notice of the filter '${name}'`,
      caughtBy: filters,
      journal: class extends TableJournal {
        override list(filter: IntentFilter) {
          return super.list({ ...filter, [name]: undefined });
        }
      },
    }),
  ),
  {
    flaw: 'normalises text',
    caughtBy: 'exact: text of any script and any character',
    journal: spelling((json) => json.normalize()),
  },
  {
    flaw: 'drops characters that it can not keep',
    caughtBy: 'exact: text of any script and any character',
    journal: spelling((json) => json.replaceAll('\\u2029', '').replaceAll('\u2029', '')),
  },
  {
    flaw: 'keeps characters of two bytes at the most',
    caughtBy: 'exact: text in what intents are found by',
    journal: spelling((json) => json.replace(/[\u{10000}-\u{10ffff}]/gu, '?')),
  },
  {
    flaw: 'copies by assignment, which __proto__ does not survive',
    caughtBy: 'exact: members that have names of their own meaning elsewhere',
    journal: class extends Altering {
      protected override stored(stored: StoredIntent): StoredIntent {
        return copiedByAssignment(stored) as StoredIntent;
      }
    },
  },
  {
    flaw: 'keeps numbers in single precision',
    caughtBy: 'exact: numbers, truth values, null, and nothing at all',
    journal: spelling((json) =>
      json.replace(/(?<=[[:,])-?\d+\.\d+(?=[\],}])/g, (number) => `${Math.fround(Number(number))}`),
    ),
  },
  {
    flaw: 'cuts long bodies',
    caughtBy: 'exact: a body of a megabyte, to the last byte',
    journal: keeping((intent) => ({
      ...intent,
      body: { ...intent.body, ...(intent.body.text && { text: intent.body.text.slice(0, 65_535) }) },
    })),
  },
  {
    flaw: 'trims bodies',
    caughtBy: 'exact: a body of a megabyte, to the last byte',
    journal: keeping((intent) => ({
      ...intent,
      body: { ...intent.body, ...(intent.body.text && { text: intent.body.text.trim() }) },
    })),
  },
  {
    flaw: 'takes what is empty for what is not there',
    caughtBy: 'exact: what is empty, and what is not there',
    journal: spelling((json) => json.replace(/,"(?:text|reason)":""/g, '')),
  },
  {
    flaw: 'fills in null for what is not there',
    caughtBy: 'exact: a body with a file in it, by where the file lies',
    journal: spelling((json) => json.replace('"file":', '"text":null,"file":')),
  },
  {
    flaw: 'knows three of the four kinds of entry',
    caughtBy: 'exact: a bid in a bulk, and entries of every kind with all they can have',
    journal: class extends Altering {
      protected override stored(stored: StoredIntent): StoredIntent {
        return { ...stored, entries: stored.entries.filter(({ type }) => type !== 'word') };
      }
    },
  },
  {
    flaw: 'takes keys alike that differ by case',
    caughtBy: 'exact: keys are told apart by case, by spaces, and by their last character',
    journal: class extends TableJournal {
      override async find(key: string) {
        const alike = [...this.table.list({})].filter(
          ({ intent }) => intent.key.toLowerCase() === key.toLowerCase(),
        );
        return alike;
      }
    },
  },
  {
    flaw: 'can be closed once',
    caughtBy:
      'close: can be asked for again, also while it is under way, and of a journal that was never used',
    journal: class extends TableJournal {
      #isClosed = false;
      override async close() {
        if (this.#isClosed) throw new Error('called twice');
        this.#isClosed = true;
        await super.close();
      }
    },
  },
  {
    flaw: 'can not be used once it was closed',
    caughtBy: 'close: the next use takes everything up again',
    journal: class extends TableJournal {
      #isClosed = false;
      override async read(id: IntentId) {
        if (this.#isClosed) throw new Error('the pool has ended');
        return super.read(id);
      }
      override async close() {
        this.#isClosed = true;
      }
    },
  },
  {
    flaw: 'forgets who was taken over when it closes',
    caughtBy: 'close: the next use takes everything up again',
    journal: class extends TableJournal {
      override async close() {
        for (const { lease: _, ...stored } of [...this.table.list({})]) {
          const id = { namespace: namespaceOf(stored.intent.account), key: stored.intent.key };
          this.table.remove(id);
          this.table.load(stored, 1);
        }
      }
    },
  },
  {
    flaw: 'lets go of every lease when it closes',
    caughtBy: 'close: takes no lease from who holds one, for clients that share a journal may each close it',
    journal: class extends TableJournal {
      override async close() {
        for (const { intent } of this.table.list({})) {
          const id = { namespace: namespaceOf(intent.account), key: intent.key };
          this.table.release(id, this.table.fenceOf(id));
        }
      }
    },
  },
  {
    flaw: 'can not be used while it closes',
    caughtBy: 'close: what is asked for while it is under way is done all the same',
    journal: class extends TableJournal {
      #isClosing = false;
      override async create(...args: Create) {
        if (this.#isClosing) throw new Error('the pool is ending');
        return super.create(...args);
      }
      override async close() {
        this.#isClosing = true;
        await turn();
        this.#isClosing = false;
      }
    },
  },
  {
    flaw: 'drops what is under way when it closes',
    caughtBy: 'close: writes what is under way',
    journal: class extends TableJournal {
      #closed = 0;
      override async create(...args: Create) {
        const before = this.#closed;
        await turn();
        if (this.#closed > before) throw new Error('the pool has ended');
        return super.create(...args);
      }
      override async close() {
        this.#closed += 1;
      }
    },
  },
  {
    flaw: 'says that it has written, and does so a moment later',
    caughtBy: 'restart, killed: everything that was written is there',
    journal: class extends TableJournal {
      override async append(...[id, fence, change]: Parameters<Journal['append']>) {
        const buffer = buffers.get(this.table) ?? new Map<string, Change>();
        buffers.set(this.table, buffer);
        this.#flush(buffer);
        if (this.table.fenceOf(id) !== fence) return super.append(id, fence, change);
        buffer.set(JSON.stringify([id, fence]), change);
      }
      override async close() {
        this.#flush(buffers.get(this.table));
        await super.close();
      }
      #flush(buffer: Map<string, Change> | undefined) {
        for (const [text, change] of buffer ?? []) {
          const [id, fence] = JSON.parse(text) as [IntentId, number];
          this.table.append(id, fence, change);
        }
        buffer?.clear();
      }
    },
  },
  {
    flaw: 'begins with the first fence after a restart',
    caughtBy: 'restart, closed: fences go on growing, and old ones stay lost',
    journal: class extends TableJournal {
      constructor(table: IntentTable) {
        super(table);
        for (const { lease: _, ...stored } of [...table.list({})]) {
          table.remove({ namespace: namespaceOf(stored.intent.account), key: stored.intent.key });
          table.load(stored, 0);
        }
      }
    },
  },
  {
    flaw: 'reads its last entry twice after a restart',
    caughtBy: 'restart, closed: everything that was written is there',
    journal: class extends TableJournal {
      constructor(table: IntentTable) {
        super(table);
        for (const { intent, entries, state } of [...table.list({})]) {
          const id = { namespace: namespaceOf(intent.account), key: intent.key };
          const fence = table.fenceOf(id);
          table.remove(id);
          table.load({ intent, entries: [...entries, ...entries.slice(-1)], state }, fence);
        }
      }
    },
  },
  {
    flaw: 'forgets after a restart what had settled',
    caughtBy: 'restart, closed: a key stays taken, and an open subject stays so',
    journal: class extends TableJournal {
      constructor(table: IntentTable) {
        super(table);
        for (const { intent } of [...table.list({ open: false })]) {
          table.remove({ namespace: namespaceOf(intent.account), key: intent.key });
        }
      }
    },
  },
  {
    flaw: 'keeps what is prepared from those who look for open ones',
    caughtBy: 'claimOpen: takes what was held once its lease has run out, in its turn',
    journal: class extends TableJournal {
      override async claimOpen(...[namespace, lease, limit]: [string, LeaseRequest, number]) {
        const held = await super.claimOpen(namespace, lease, limit);
        return held.filter(({ stored }) => stored.state !== 'prepared');
      }
    },
  },
];
