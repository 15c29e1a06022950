import type { FaultPlan, Sandbox } from '../../sandbox/index.js';
import { durationExample, durationMs } from '../duration.js';
import { messageOf, UsageError } from '../usage-error.js';
import { envLinesOf } from './announcement.js';
import { type Who, whos } from './flags.js';

/** Runs a typed command and prints its result or error. */
export function carryOut(sandbox: Sandbox, line: string, say: (text: string) => void): 'stop' | undefined {
  const [name, ...words] = line.trim().split(/\s+/);
  if (name === undefined || name === '') return undefined;
  if (name === 'stop') return 'stop';
  const command = commands.find((each) => each.name === name);
  try {
    if (command === undefined) {
      throw new UsageError(`${JSON.stringify(name)} is not a command. Type "help" to list commands.`);
    }
    const least = command.takes.filter((word) => word.startsWith('<')).length;
    const most = command.takes.at(-1)?.endsWith('…]') ? Number.POSITIVE_INFINITY : command.takes.length;
    if (words.length < least || words.length > most) throw new UsageError(`usage: ${usage(command)}`);
    say(command.run(sandbox, words));
  } catch (error) {
    say(`error: ${messageOf(error)}`);
  }
  return undefined;
}

interface Spoken {
  readonly name: string;
  /** `<…>` is required, `[…]` optional. */
  readonly takes: readonly string[];
  readonly does: string;
  /** Returns the text to print. */
  run(sandbox: Sandbox, words: readonly string[]): string;
}

const commands: readonly Spoken[] = [
  {
    name: 'advance',
    takes: ['<duration>'],
    does: 'moves time forward',
    run: (sandbox, [duration = '']) => {
      sandbox.clock.advance(lasting(duration));
      return `it is ${isoTimeOf(sandbox.clock.now())}`;
    },
  },
  {
    name: 'auctions',
    takes: [],
    does: 'lists the auctions',
    run: ({ auctions }) =>
      auctions
        .list()
        .map(
          ({ label, id, status, closesAt, lots }) =>
            `${label.padEnd(18)} ${id} ${status.padEnd(8)} closes ${isoTimeOf(closesAt)}, ${lots.length} lots`,
        )
        .join('\n'),
  },
  {
    name: 'lots',
    takes: ['<auction>', '[count]'],
    does: 'lists the first lots of an auction, 10 by default',
    run: ({ auctions }, [auction = '', count = '10']) => {
      if (!/^\d{1,6}$/.test(count))
        throw new UsageError(`the count must be a whole number, not ${JSON.stringify(count)}`);
      const { lots } = auctions.get(auction);
      const shown = lots
        .slice(0, Number(count))
        .map(({ id, startingPrice }) => `${id} from ${startingPrice}`);
      return [...shown, `${shown.length} of ${lots.length} lots`].join('\n');
    },
  },
  moved('open', [], 'opens an auction now', (auctions, label) => auctions.open(label)),
  moved('close', [], 'closes an auction now', (auctions, label) => auctions.close(label)),
  moved('extend', ['<duration>'], 'moves the close of an auction later', (auctions, label, duration) =>
    auctions.extend(label, lasting(duration)),
  ),
  moved('shorten', ['<duration>'], 'moves the close of an auction earlier', (auctions, label, duration) =>
    auctions.shorten(label, lasting(duration)),
  ),
  {
    name: 'rival',
    takes: ['<lot>', '[amount]'],
    does: 'places a rival bid of this amount, or of the lowest valid one',
    run: ({ actors: { rival } }, [lot = '', amount]) => {
      const bid = amount === undefined ? rival.bidNext(lot) : rival.bid(lot, amount);
      return `the rival bid ${bid.amount} on ${lot}: ${bid.bidId}`;
    },
  },
  step('approve', 'approved', 'the bank approves a sale', ({ bank }, sale) => bank.approve(sale)),
  step('reject', 'rejected', 'the bank rejects a sale', ({ bank }, sale) => bank.reject(sale)),
  step('acknowledge', 'acknowledged', 'the buyer acknowledges an approved sale', ({ buyer }, sale) =>
    buyer.acknowledge(sale),
  ),
  step('settle', 'paid', 'the bank receives and allocates the dues', ({ bank }, sale) => bank.settle(sale)),
  step('release', 'released', 'the bank authorises the release', ({ bank }, sale) => bank.release(sale)),
  step('collect', 'collected', 'the bank confirms the collection', ({ bank }, sale) => bank.collect(sale)),
  {
    name: 'fault',
    takes: ['<name>', '[operation]', '[field=value…]'],
    does: 'injects a fault into the next request, such as: fault delay bids.submit ms=5s',
    run: (sandbox, [name = '', ...words]) => {
      const plan = planOf(name, words);
      sandbox.inject(plan);
      return `${plan.fault} affects the next request${plan.operation === undefined ? '' : ` of ${plan.operation}`}`;
    },
  },
  {
    name: 'credentials',
    takes: ['[who]'],
    does: 'prints the env lines of a party, by default of the dealer',
    run: (sandbox, [who = 'dealer']) => {
      if (!isWho(who))
        throw new UsageError(`${JSON.stringify(who)} is not a party; use one of ${whos.join(', ')}`);
      return envLinesOf(sandbox, who).join('\n');
    },
  },
  {
    name: 'help',
    takes: [],
    does: 'lists the commands',
    run: () =>
      [...commands.map((each) => [usage(each), each.does] as const), ['stop', 'stops the sandbox'] as const]
        .map(([how, does]) => `${how.padEnd(42)} ${does}`)
        .join('\n'),
  },
];

function usage({ name, takes }: Spoken): string {
  return [name, ...takes].join(' ');
}

function isWho(text: string): text is Who {
  return whos.some((each) => each === text);
}

/** Parses a fault plan. The sandbox checks names and values. */
function planOf(name: string, words: readonly string[]): FaultPlan {
  const [operation, ...others] = words.filter((word) => !word.includes('='));
  const pairs = words
    .filter((word) => word.includes('='))
    .map((pair) => [pair.slice(0, pair.indexOf('=')), planValue(pair.slice(pair.indexOf('=') + 1))] as const);
  if (others.length > 0) {
    throw new UsageError('a fault affects one operation: fault <name> [operation] [field=value…]');
  }
  return {
    ...Object.fromEntries(pairs),
    fault: name.replaceAll('-', '_'),
    ...(operation !== undefined && { operation }),
  } as FaultPlan;
}

function planValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return durationMs(text) ?? text;
}

function lasting(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new UsageError(`${JSON.stringify(text)} is not ${durationExample}`);
  return ms;
}

/** A command that moves the schedule of an auction and prints the new one. */
function moved(
  name: string,
  more: readonly string[],
  does: string,
  move: (auctions: Sandbox['auctions'], label: string, duration: string) => unknown,
): Spoken {
  const run = ({ auctions }: Sandbox, [auction = '', duration = '']: readonly string[]) => {
    move(auctions, auction, duration);
    const { label, status, opensAt, closesAt } = auctions.get(auction);
    return `${label} is ${status}: from ${isoTimeOf(opensAt)} to ${isoTimeOf(closesAt)}`;
  };
  return { name, takes: ['<auction>', ...more], does, run };
}

/** A step of a sale, by the id of the sale or its lot. */
function step(
  name: string,
  result: string,
  does: string,
  act: (actors: Sandbox['actors'], sale: string) => unknown,
): Spoken {
  const run = ({ actors }: Sandbox, [sale = '']: readonly string[]) => {
    act(actors, sale);
    return `${sale} is ${result}`;
  };
  return { name, takes: ['<sale-or-lot>'], does, run };
}

function isoTimeOf(ms: number): string {
  return new Date(ms).toISOString();
}
