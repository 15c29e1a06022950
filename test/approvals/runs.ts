import type { ApprovalOutcome, AuditEntry, Policy, PolicyAnswer } from '../../src/index.js';
import { BankClient, fetchTransport, memoryStore } from '../../src/index.js';
import { ActorRefusedError, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import type { Store } from '../../src/store/store.js';
import { SeededChoices } from '../simulation/world/choices.js';
import { never } from '../support/failing-callbacks.js';
import { MortalClock } from '../support/mortal-clock.js';
import { processes } from '../support/processes.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

/** What a run did, and which of the promises it broke. */
export interface PlayedRun {
  readonly violations: readonly string[];
  readonly crashes: number;
  /** Commands of ours that the service refused because the sale had moved. */
  readonly conflicts: number;
  readonly decisions: number;
  readonly statuses: readonly string[];
}

/** A command as it arrived. */
interface Arrival {
  readonly key: string;
  readonly sha256: string;
  readonly expected: unknown;
  readonly reason: unknown;
}

const START = '2026-03-02T06:00:00Z';
const LIVES = 4;
const FOREVER_MS = 1e9;
const LONGEST_WAIT_MS = 60_000;
/** Work that neither ends nor waits for so many rounds never will. */
const IDLE_ROUNDS = 50;
const MINUTE = 60_000;

/** One process of a bank. It dies when its steps are used up: then nothing that it waits for comes any more. */
class Process {
  readonly clock: MortalClock;
  readonly died: Promise<'died'>;
  isDead = false;
  #steps: number;
  #die: (value: 'died') => void = () => undefined;

  constructor(clock: VirtualClock, steps: number) {
    this.clock = new MortalClock(clock);
    this.#steps = steps;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Between two of these anything can be cut off. */
  async step(): Promise<void> {
    this.#steps -= 1;
    if (this.#steps <= 0 && !this.isDead) {
      this.isDead = true;
      this.clock.die();
      this.#die('died');
    }
    if (this.isDead) await new Promise(() => undefined);
  }
}

/**
 * A bank decides one sale, in several processes after each other and by two approvers, while somebody else moves the sale's
 * version and the network loses requests and replies. The seed decides all of it.
 */
export async function playApprovals(seed: number): Promise<PlayedRun> {
  const choices = new SeededChoices(seed);
  const needsTwo = choices.choose('two approvers', 100) < 25;
  const sandbox = await startSandbox({
    listen: false,
    clock: 'manual',
    startAt: START,
    rateLimit: false,
    inspector: false,
    seed: { random: seed, auctions: [auction] },
    variants: { 'second-approver-reply': needsTwo ? 'two-approvers' : 'one-approver' },
  });
  try {
    return await play(sandbox, choices, needsTwo, seed);
  } finally {
    await sandbox.close();
  }
}

const auction = {
  label: 'sold',
  name: 'Sold',
  bid_type: 'closed',
  increment: '5000',
  opens: -60,
  closes: -1,
  lots: [{ starting_price: '400000.00', bids: [{ by: 'dealer', amount: '400000.00' }] }],
} as const;

async function play(
  sandbox: Sandbox,
  choices: SeededChoices,
  needsTwo: boolean,
  seed: number,
): Promise<PlayedRun> {
  const happens = (label: string, percent: number) => choices.choose(label, 100) < percent;
  const clock = new VirtualClock(sandbox.clock.now());
  const fleet = processes(memoryStore());
  const arrivals: Arrival[] = [];
  const seen = new Set<string>();
  const violations: string[] = [];
  const statuses: string[] = [];
  let crashes = 0;
  let isCalm = false;
  let names = 0;
  const saleNow = () => sandbox.records('sale')[0];
  const sale = saleNow()?.id ?? '';

  /** Somebody else makes or answers an offer, or approves. */
  const meddle = () => {
    const { bank, buyer } = sandbox.actors;
    const move = choices.choose('move', 4);
    try {
      if (move === 0) bank.offer(sale, { amount: '450000.00', validFor: 5 * MINUTE });
      else if (move < 3) buyer.respond(sale, move === 1 ? 'accepted' : 'declined');
      else if (happens('approves', 10)) bank.approve(sale);
    } catch (error) {
      // There is no offer to answer, or the sale is decided.
      if (!(error instanceof ActorRefusedError) && !(error instanceof RangeError)) throw error;
    }
  };

  const clientOf = (life: Process, name: string, isChecker: boolean) => {
    const { bank, bankChecker } = sandbox.credentials;
    const credentials = isChecker ? bankChecker : bank;
    const send: typeof fetch = async (input, init) => {
      await life.step();
      if (!isCalm && happens('meddle', init?.method === 'GET' ? 20 : 50)) meddle();
      const behind = clock.now() - sandbox.clock.now();
      if (behind > 0) sandbox.clock.advance(behind);
      if (!isCalm && happens('lost request', 5)) throw new TypeError('the request is lost');
      const version = saleNow()?.['resource_version'];
      const before = sandbox.ledger().length;
      const response = await sandbox.fetch(input, init);
      const entry = sandbox.attempts().at(-1);
      if (entry?.idempotencyKey) {
        const { expected_version: expected, reason }: Record<string, unknown> = Object(entry.request);
        const { idempotencyKey: key, bodySha256: sha256 } = entry;
        arrivals.push({ key, sha256: sha256 ?? '', expected, reason });
        if (sandbox.ledger().length > before && expected !== version) {
          violations.push(`a decision on version ${expected} took effect on version ${version}`);
        }
      }
      if (!isCalm && happens('meddle afterwards', 10)) meddle();
      await life.step();
      if (!isCalm && happens('lost reply', 8)) throw new TypeError('the reply is lost');
      return response;
    };
    const inner = fleet.as(name);
    const store: Store = {
      ...inner,
      async transaction(account, work) {
        await life.step();
        const result = await inner.transaction(account, work);
        await life.step();
        return result;
      },
    };
    let count = 0;
    return new BankClient({
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      credentials,
      account: 'bank',
      store,
      clock: life.clock,
      randomness: {
        fraction: () => 0.5,
        nonce: () => `nonce-of-${name}-${String(count++).padStart(6, '0')}`,
      },
      transport: fetchTransport(send),
      quota: { limit: Number.POSITIVE_INFINITY },
      timeout: FOREVER_MS,
      deadline: FOREVER_MS,
      logLevel: 'off',
    });
  };

  const policyOf = (approver: string): Policy => {
    return ({ sale: read, offer, now }) => {
      const version = read.resource_version;
      const about = { reason: `${approver} saw version ${version}` };
      const later = new Date(now + 30 * MINUTE).toISOString();
      const answerTo = (): PolicyAnswer => {
        if (offer === 'unreadable') return { action: 'hold', ...about };
        if (offer?.state === 'open') return { action: 'wait', ...about };
        const approve = {
          action: 'approve',
          ...about,
          dueAt: '2026-04-01T00:00:00Z',
          payeeInstructions: 'NEFT to account 0042',
          ...(offer === undefined && { termsVersion: 'T3' }),
        } as const;
        if (offer?.state === 'accepted') return approve;
        // The same answer to the same version, in every process.
        const kind = new SeededChoices(seed * 1_000 + version).choose('answer', 10);
        if (kind < 4) return approve;
        if (kind < 8) {
          return { action: 'offer', ...about, amount: '460000.00', termsVersion: 'T9', validUntil: later };
        }
        return { action: kind === 8 ? 'hold' : 'wait', ...about };
      };
      if (!isCalm && happens('policy hangs', 4)) return never;
      seen.add(about.reason);
      return answerTo();
    };
  };

  /** Decides in a process of its own until it dies, or a few times. @returns the last outcome, unless it died */
  const live = async (steps: number, times: number, isChecker: boolean) => {
    const life = new Process(clock, steps);
    names += 1;
    const name = `process-${names}`;
    const client = clientOf(life, name, isChecker);
    const policy = policyOf(isChecker ? 'checker' : 'bank');
    let outcome: ApprovalOutcome | undefined;
    for (let time = 0; time < times; time += 1) {
      const deciding = Promise.race([life.died, client.approvals.decide(sale, policy).catch(errorOf)]);
      const ended = await timed(clock, deciding);
      if (ended === 'hangs') {
        violations.push('a call never ends: no wait of it is left');
        fleet.end(name);
        return undefined;
      }
      if (ended === 'died') {
        crashes += 1;
        fleet.end(name);
        return undefined;
      }
      if (ended instanceof Error) {
        // The sale could not be read: nothing was decided.
        if (isCalm) violations.push(`decide threw ${ended.message}`);
        continue;
      }
      outcome = ended;
      statuses.push(ended.reason === undefined ? ended.status : `${ended.status} ${ended.reason}`);
      if (!isCalm && happens('meddle between', 40)) meddle();
      // Offers lapse.
      if (!isCalm && happens('pause', 30)) await clock.advance(3 * MINUTE);
    }
    await timed(clock, client.close());
    fleet.end(name);
    return outcome;
  };

  const audited = () =>
    auditBy(clientOf(new Process(clock, Number.POSITIVE_INFINITY), 'auditor', false), clock);

  for (let life = 1; life < LIVES; life += 1) {
    const steps = happens('dies', 80) ? 1 + choices.choose('steps', 60) : Number.POSITIVE_INFINITY;
    await live(steps, 1 + choices.choose('times', 3), needsTwo && happens('checker', 40));
  }
  isCalm = true;
  const approvers = needsTwo ? [false, true] : [false];
  for (const isChecker of approvers) {
    // What is in doubt is settled once no copy of it can arrive any more.
    await clock.advance(7 * MINUTE);
    const last = await live(Number.POSITIVE_INFINITY, 3, isChecker);
    const sent = arrivals.length;
    const audit = await audited();
    const again = await live(Number.POSITIVE_INFINITY, 1, isChecker);
    if (again?.status !== last?.status) violations.push(`a restart made ${again?.status} of ${last?.status}`);
    if (arrivals.length !== sent) violations.push('a restart sent something');
    const after = await audited();
    if (after.length !== audit.length) violations.push('a restart changed the audit');
    if (last === undefined || ['unknown', 'conflict', 'refused'].includes(last.status)) {
      violations.push(`it ended with ${last?.status} ${last?.reason}`);
    }
  }
  const audit = await audited();
  violations.push(...judge({ sandbox, arrivals, seen, audit, needsTwo }));
  const committed = new Set(sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey));
  const keys = new Set(arrivals.map(({ key }) => key));
  return {
    violations,
    crashes,
    conflicts: [...keys].filter((key) => !committed.has(key)).length,
    decisions: [...keys].filter((key) => committed.has(key)).length,
    statuses,
  };
}

/** Settles a call. Waits between attempts pass once nothing else is left to do; limits of time never do. */
async function timed<T>(clock: VirtualClock, call: Promise<T>): Promise<T | 'hangs'> {
  let isOver = false;
  let idle = 0;
  const end = () => {
    isOver = true;
  };
  call.then(end, end);
  for (;;) {
    await settle();
    await settle();
    if (isOver) return call;
    const waits = clock.pending.filter((ms) => ms <= LONGEST_WAIT_MS);
    if (waits.length > 0) await clock.advance(Math.min(...waits));
    idle = waits.length > 0 ? 0 : idle + 1;
    if (idle > IDLE_ROUNDS) return 'hangs';
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function auditBy(client: BankClient, clock: VirtualClock): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const reading = (async () => {
    for await (const entry of client.approvals.audit()) entries.push(entry);
    await client.close();
  })();
  await timed(clock, reading);
  return entries;
}

interface Judged {
  readonly sandbox: Sandbox;
  readonly needsTwo: boolean;
  readonly arrivals: readonly Arrival[];
  /** What the policy answered, by its reason, which names the version. */
  readonly seen: ReadonlySet<string>;
  readonly audit: readonly AuditEntry[];
}

/** Every decision on the version that the policy saw, none twice, and every one audited before and after. */
function judge({ sandbox, arrivals, seen, audit, needsTwo }: Judged): string[] {
  const violations: string[] = [];
  const demand = (holds: boolean, what: string) => {
    if (!holds) violations.push(what);
  };
  const ours = new Map(arrivals.map((arrival) => [arrival.key, arrival]));
  const commits = sandbox.ledger().filter(({ idempotencyKey }) => ours.has(idempotencyKey));
  for (const { key, expected, reason, sha256 } of arrivals) {
    demand(seen.has(String(reason)), `${key} was sent for a reason that the policy did not give`);
    const isSeen = String(reason).endsWith(` saw version ${expected}`);
    demand(isSeen, `${key} went out on version ${expected}: ${reason}`);
    demand(ours.get(key)?.sha256 === sha256, `${key} was sent with different bytes`);
    const before = audit.filter((entry) => entry.phase === 'before' && entry.idempotencyKey === key);
    const { version, command, answer } = before[0]?.content ?? {};
    demand(before.length === 1 && version === expected, `${key} has ${before.length} entries before it`);
    demand(Object(command).sha256 === sha256, `${key} was audited with other bytes`);
    demand(Object(answer).reason === reason, `${key} was audited with another answer`);
  }
  const once = new Set(commits.map(({ idempotencyKey }) => `${ours.get(idempotencyKey)?.reason}`));
  demand(once.size === commits.length, 'a decision took effect twice');
  const approvals = commits.filter(({ operation }) => operation === 'A22');
  demand(needsTwo || approvals.length <= 1, 'a sale was approved twice');
  for (const { idempotencyKey: key = '', phase, sequence } of audit) {
    if (phase !== 'before') continue;
    const after = audit.filter((entry) => entry.phase === 'after' && entry.idempotencyKey === key);
    const isAfter = after.length === 1 && (after[0]?.sequence ?? 0) > sequence;
    demand(isAfter, `${key} has ${after.length} entries after it`);
    const isDone = after[0]?.content['outcome'] === 'done';
    const isCommitted = commits.some(({ idempotencyKey }) => idempotencyKey === key);
    demand(isDone === isCommitted, `${key} was audited as ${after[0]?.content['outcome']}`);
  }
  return violations;
}
