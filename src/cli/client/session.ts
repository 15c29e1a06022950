import type { Command } from 'commander';
import type { BankClient } from '../../client/bank-client.js';
import type { PartnerClient } from '../../client/partner-client.js';
import { ConfigurationError } from '../../errors/local.js';
import { type Store, transact } from '../../store/store.js';
import { Exit, exitCodes, exits } from '../exit.js';
import { given } from '../given.js';
import { withExamples } from '../help.js';
import { Output } from '../output.js';
import { interruptible, type Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { type ConnectionFlags, noStore, noStoreAt, type Settings, settingsOf, storeOf } from './settings.js';

/** The client, the output and the questions of a command that uses the service. */
export interface Session {
  readonly client: PartnerClient | BankClient;
  /** @throws ConfigurationError for the credentials of a bank */
  partner(): PartnerClient;
  /** @throws ConfigurationError for the credentials of a partner */
  bank(): BankClient;
  readonly out: Output;
  readonly flags: ConnectionFlags;
  /** Fires when the person ends the program. */
  readonly signal: AbortSignal;
  /**
   * Refuses to go on without a durable store.
   *
   * @param mayBeNew the command records something, so a new file is created
   * @throws ConfigurationError
   */
  needStore(mayBeNew?: boolean): void;
  /** True if the store outlives the command. */
  readonly hasStore: boolean;
  /**
   * Shows a change and asks for consent, if the store can be opened.
   *
   * @throws UsageError without a terminal, Exit for a no, StoreError
   */
  confirm(what: string): Promise<void>;
}

/** Adds the options of every command that uses the service or a store. */
export function connected(command: Command, examples: string): Command {
  command
    .option('--env <file>', 'file of variables, such as that of "sandbox --write-env"')
    .option('--profile <name>', 'profile of the profile file')
    .option('--profiles <file>', 'profile file (default: ~/.vehicle-auction/profiles.json)')
    .option('--store <place>', 'SQLite file, or postgres://… (default: VEHICLE_AUCTION_STORE)')
    .option('--json', 'print one line of JSON for each item');
  return withExamples(command, examples, exitCodes);
}

/** The same for a command that asks before it changes something. */
export function changing(command: Command, examples: string): Command {
  return connected(command, examples).option('--yes', 'change things without asking first');
}

/** Opens a client, runs a command with it, and closes it. `known` avoids that a prompt for the secret is repeated. */
export async function withSession(
  flags: ConnectionFlags,
  terminal: Terminal,
  run: (session: Session) => Promise<void>,
  known?: Settings,
): Promise<void> {
  const settings = known ?? (await settingsOf(flags, terminal));
  const client = await clientOf(settings, terminal);
  const out = new Output(terminal, flags.json === true);
  const only = (actor: Settings['actor']) =>
    new ConfigurationError('actor', `is "${settings.actor}", and this command is for a ${actor}`);
  try {
    await interruptible(terminal, (signal) =>
      run({
        client,
        partner: () => {
          if (settings.actor === 'partner') return client as PartnerClient;
          throw only('partner');
        },
        bank: () => {
          if (settings.actor === 'bank') return client as BankClient;
          throw only('bank');
        },
        out,
        flags,
        signal,
        hasStore: settings.storePlace !== undefined,
        needStore: (mayBeNew = false) => {
          if (settings.newStore !== undefined && !mayBeNew) throw noStoreAt(settings.newStore);
          if (settings.storePlace === undefined) throw noStore();
        },
        confirm: async (what) => {
          // A store that can't be opened is reported before the question. The work is empty.
          const { store } = settings.options;
          if (store !== undefined) await transact(store, '', async () => undefined);
          await confirmed(what, out, flags, terminal);
        },
      }),
    );
  } finally {
    await client.close();
  }
}

/** The store of a command that needs neither credentials nor the service. */
export interface StoreSession extends Pick<Session, 'out' | 'confirm'> {
  readonly store: Store;
}

/** Opens the store of the flags, runs a command with it, and closes it. */
export async function withStore(
  flags: ConnectionFlags,
  terminal: Terminal,
  run: (session: StoreSession) => Promise<void>,
): Promise<void> {
  const store = await storeOf(flags, terminal.env ?? process.env);
  const out = new Output(terminal, flags.json === true);
  try {
    await run({ store, out, confirm: (what) => confirmed(what, out, flags, terminal) });
  } finally {
    await store.close();
  }
}

/** Shows a change and asks for consent. @throws UsageError without a terminal, Exit for a no */
export async function confirmed(
  what: string,
  out: Output,
  { yes }: Pick<ConnectionFlags, 'yes'>,
  { ask }: Terminal,
): Promise<void> {
  out.say(what);
  if (yes === true) return;
  if (ask === undefined) throw new UsageError('There is no terminal to confirm on. Add --yes to continue.');
  if (!/^y(es)?$/i.test((await ask('Go on? [y/N] ')).trim())) throw new Exit(exits.stopped);
}

/** Makes the client of the settings. @throws ConfigurationError for settings that can't work */
export async function clientOf(settings: Settings, terminal: Terminal): Promise<PartnerClient | BankClient> {
  const { actor, partnerType, dealerId, options } = settings;
  // Results go to standard output, and what is logged must not mix with them.
  const log = logTo(terminal);
  const quiet = () => undefined;
  const logged = {
    logger: { error: log, warn: log, info: quiet, debug: quiet },
    ...options,
    ...terminal.client,
  };
  // Loaded when a command needs it: the help does not.
  const { BankClient, PartnerClient } = await import('../../index.js');
  if (actor === 'bank') return new BankClient(logged);
  const kind = partnerTypes.find((known) => known === partnerType);
  if (kind === undefined) {
    const nextStep =
      'Set VEHICLE_AUCTION_PARTNER_TYPE, or VEHICLE_AUCTION_ACTOR=bank for a bank; in a profile, partnerType or actor.';
    throw new ConfigurationError('partnerType', `must be one of ${partnerTypes.join(', ')}`, {
      given: partnerType ?? 'none',
      nextStep,
    });
  }
  return new PartnerClient({ ...logged, partnerType: kind, ...given({ dealerId }) });
}

/** Prints a log line and its reason. A line that repeats the one before, such as of a bid that is tried for a minute, is left out. */
function logTo(terminal: Terminal) {
  let latest: string | undefined;
  return (message: string, fields?: Readonly<Record<string, unknown>>) => {
    const reason =
      fields?.['reason'] === undefined
        ? ''
        : ` (${[fields['call'], fields['reason']].filter((each) => each !== undefined).join(': ')})`;
    const { error } = Object(fields);
    const cause = typeof error === 'string' ? error : Object(error).message;
    const line = `${message}${reason}${typeof cause === 'string' ? `: ${cause}` : ''}\n`;
    if (line !== latest) terminal.err(line);
    latest = line;
  };
}

const partnerTypes = ['direct_dealer', 'platform', 'aggregator'] as const;
