import type { Command } from 'commander';
import type { IntentOutcome } from '../../client/recovery.js';
import { StoreError } from '../../errors/store.js';
import { changing, connected, type Session, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { Exit, endWith, exits } from '../exit.js';
import { given, ifGiven } from '../given.js';
import { countsText } from '../output.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { inCommands, nextCommands } from './next-commands.js';

/** Commands for the person on duty: unresolved intents, their causes, and ways to end them. */
export function addOnDuty(program: Command, terminal: Terminal): void {
  const intents = program
    .command('intents')
    .description('Bids and commands of the store: list, explain, settle.');

  connected(
    intents
      .command('list')
      .description('List unresolved bids and commands.')
      .option('--all', 'list settled ones, too'),
    'intents list --store auction.db\nintents list --all --json',
  ).action((flags: ConnectionFlags & { readonly all?: boolean }) =>
    withSession(flags, terminal, async ({ client, out, needStore }) => {
      needStore();
      const found = client.intents.list({ which: flags.all ? 'all' : 'unresolved' });
      await out.list(intentRows(found), [
        'idempotencyKey',
        'state',
        'call',
        'lot',
        'amount',
        'bidderReference',
        'created',
      ]);
    }),
  );

  connected(
    intents
      .command('explain')
      .alias('show')
      .argument('<key>')
      .description('Explain one: its history and the next step.'),
    'intents explain 3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f',
  ).action((key: string, flags: ConnectionFlags) =>
    withSession(flags, terminal, async ({ client, out, needStore }) => {
      needStore();
      const explained = await client.intents.explain(key);
      const { timeline, ...facts } = { ...explained, nextStep: inCommands(explained.nextStep, key) };
      const commands = nextCommands(explained);
      if (flags.json) return out.json({ ...facts, commands, timeline });
      out.item(facts);
      await out.list(
        timeline.map(({ at, what }) => ({ at: new Date(at).toISOString(), what })),
        ['at', 'what'],
      );
      for (const command of commands) out.say(`Next: ${command}`);
    }),
  );

  connected(
    intents.command('reconcile').argument('<key>').description('Look one up at the service, and settle it.'),
    'intents reconcile 3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f',
  ).action((key: string, flags: ConnectionFlags) =>
    withSession(flags, terminal, async (session) => {
      session.needStore();
      await ended({ out: session.out, flags: session.flags }, [await session.client.intents.reconcile(key)]);
    }),
  );

  changing(
    intents
      .command('abandon')
      .argument('<key>')
      .requiredOption('--reason <text>', 'reason; it stays on record')
      .description('Abandon one that nothing settles: its outcome stays unknown, and its lot is free again.'),
    'intents abandon 3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f --reason "the bank confirmed by phone that it has no bid"',
  ).action((key: string, flags: ConnectionFlags & { readonly reason: string }) =>
    withSession(flags, terminal, async (session) => {
      session.needStore();
      const what = await inWords(key, session);
      await session.confirm(`${what}\nIf you abandon it, a later bid may be a second one.`);
      await session.client.intents.abandon(key, flags.reason);
      session.out.say('Abandoned.');
    }),
  );

  changing(
    program
      .command('recover')
      .description('Look up and settle all unresolved bids and commands.')
      .option('--within <seconds>', 'time limit; the rest is listed')
      .option('--resend', 'resend commands in doubt with the same bytes, if that is safe')
      .option(
        '--restored',
        'the store was restored from a backup: none of its bids and commands is sent again',
      ),
    'recover --store auction.db\nrecover --within 60 --json',
  ).action(
    (
      flags: ConnectionFlags & {
        readonly within?: string;
        readonly resend?: boolean;
        readonly restored?: boolean;
      },
    ) =>
      withSession(flags, terminal, async (session) => {
        session.needStore();
        if (flags.restored)
          await session.confirm(
            'All open bids and commands of this store count as possibly sent from now on.',
          );
        const within = ifGiven(flags.within, (text) => secondsOf('--within', text) * 1_000);
        const { resend, restored } = flags;
        const { client, signal } = session;
        await ended(session, await client.recover({ signal, ...given({ within, resend, restored }) }));
      }),
  );

  changing(
    program
      .command('halt')
      .argument('<reason>')
      .description('Stop all bidding on this store, in every process.'),
    'halt "prices look wrong"',
  ).action((reason: string, flags: ConnectionFlags) =>
    withSession(flags, terminal, async (session) => {
      session.needStore();
      await session.confirm(
        'No process on this store sends further bids until "resume". Bids on the wire continue.',
      );
      await session.partner().bids.halt(reason);
      session.out.say('Halted. "resume" allows bids again.');
    }),
  );

  changing(program.command('resume').description('Allow bids again after "halt".'), 'resume').action(
    (flags: ConnectionFlags) =>
      withSession(flags, terminal, async (session) => {
        session.needStore();
        await session.confirm(
          'Bids are allowed again. Those that were held back are not sent automatically.',
        );
        await session.partner().bids.resume();
        session.out.say('Resumed.');
      }),
  );

  connected(
    program.command('quota').description('Show how much of the request quota is used.'),
    'quota --json',
  ).action((flags: ConnectionFlags) =>
    withSession(flags, terminal, async ({ client, out }) => {
      // One read shows the requests of other processes on the store.
      await client.integration.profile();
      const { limit, used, reserve, available, waiting, shared, pausedUntil } = client.quota.state();
      const paused = pausedUntil === undefined ? undefined : new Date(pausedUntil).toISOString();
      out.item({ limit, used, reserve, available, waiting, shared, pausedUntil: paused });
    }),
  );

  connected(
    program
      .command('whoami')
      .description('Show the identity of the credentials, and contradictions with the settings.'),
    'whoami --env .env.sandbox\nwhoami --profile first-bank --json',
  ).action((flags: ConnectionFlags) =>
    withSession(flags, terminal, async ({ client, out }) => {
      const findings = await client.verify();
      const columns = ['level', 'what', 'expected', 'found', 'nextStep'];
      await out.list(findings, columns);
      if (findings.some(({ level }) => level === 'problem')) throw new Exit(exits.configuration);
    }),
  );
}

/** Describes an intent, even if its row is damaged. */
async function inWords(key: string, { client }: Pick<Session, 'client'>): Promise<string> {
  try {
    const { what, nextStep, call, amount, lot } = await client.intents.explain(key);
    const bid = amount === undefined ? call : `${call} of INR ${amount} on ${lot}`;
    return `${bid}: ${what} ${inCommands(nextStep, key)}`;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'corrupt') return error.message;
    throw error;
  }
}

async function* intentRows(found: AsyncIterable<{ readonly createdAt: number }>): AsyncGenerator<object> {
  for await (const intent of found) yield { ...intent, created: new Date(intent.createdAt).toISOString() };
}

/**
 * Prints outcomes, and ends with the code of the worst. @param session with `signal` if more records may be left after
 * Ctrl-C
 */
export async function ended(
  { out, flags, signal }: Pick<Session, 'out' | 'flags'> & Partial<Pick<Session, 'signal'>>,
  outcomes: readonly IntentOutcome[],
): Promise<void> {
  const [first] = outcomes;
  const named = outcomes.map((each) => ({
    ...each,
    nextStep: inCommands(each.nextStep, each.idempotencyKey),
  }));
  if (first === undefined) out.say('Nothing is unresolved.');
  else if (flags.json) for (const outcome of named) out.json(outcome);
  else if (outcomes.length === 1) for (const outcome of named) out.item(shownFields(outcome));
  else {
    await out.list(outcomes, [
      'status',
      'call',
      'lot',
      'amount',
      'bidderReference',
      'idempotencyKey',
      'what',
    ]);
    const counts: Record<string, number> = {};
    for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
    out.say(countsText(counts));
    const steps = outcomes.flatMap(({ status, nextStep }) => (status === 'unknown' ? [nextStep] : []));
    for (const nextStep of new Set(steps)) out.say(inCommands(nextStep));
  }
  const statuses = outcomes.map(({ status }) => status);
  const has = (...some: readonly string[]) => statuses.some((status) => some.includes(status));
  endWith({
    stopped: signal?.aborted === true,
    inDoubt: has('unknown', 'stuck'),
    refused: has('refused', 'rejected', 'not_sent'),
  });
}

/** The fields of an outcome for a person, the most important first. `--json` has every field. */
function shownFields(outcome: object): object {
  const names = ['status', 'reason', 'call', 'lot', 'amount', 'bidderReference', 'bidId', 'codes'];
  const last = ['what', 'nextStep', 'idempotencyKey', 'attempts'];
  return Object.fromEntries([...names, ...last].map((name) => [name, Reflect.get(outcome, name)]));
}

function secondsOf(flag: string, text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0 && Number.isFinite(seconds)))
    throw new UsageError(`${flag} must be a number of seconds above 0, not ${JSON.stringify(text)}.`);
  return seconds;
}
