import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carryOut } from '../../src/cli/sandbox/console.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', listen: false, startAt: '2026-03-02T09:00:00Z' });
});

afterEach(() => sandbox.close());

/** What is said to a line. */
function typed(line: string): string {
  const said: string[] = [];
  expect(carryOut(sandbox, line, (text) => said.push(text))).toBeUndefined();
  return said.join('\n');
}

const lot = 'lot_6a66744122c5';

describe('lines that are typed', () => {
  it.each([
    ['advance 10m', 'it is 2026-03-02T09:10:00.000Z'],
    ['  advance   1h30m ', 'it is 2026-03-02T10:30:00.000Z'],
    ['advance 1.5s', 'it is 2026-03-02T09:00:01.500Z'],
    ['close live-open', 'live-open is over: from 2026-03-02T07:00:00.000Z to 2026-03-02T09:00:00.000Z'],
    ['open upcoming', 'upcoming is live: from 2026-03-02T09:00:00.000Z to 2026-03-03T15:00:00.000Z'],
    ['extend live-open 15m', 'live-open is live: from 2026-03-02T07:00:00.000Z to 2026-03-02T13:15:00.000Z'],
    [
      'shorten auc_40897166e732 1h',
      'live-open is live: from 2026-03-02T07:00:00.000Z to 2026-03-02T12:00:00.000Z',
    ],
    ['lots live-open 1', `${lot} from 102500.00\n1 of 40 lots`],
    ['fault drop-after-commit', 'drop_after_commit affects the next request'],
    ['fault delay bids.submit ms=5s', 'delay affects the next request of bids.submit'],
  ])('%s', (line, said) => {
    expect(typed(line)).toBe(said);
  });

  it('has the rival bid', () => {
    expect(typed(`rival ${lot} 107500`)).toMatch(new RegExp(`^the rival bid 107500\\.00 on ${lot}: bid_`));
    expect(typed(`rival ${lot}`)).toMatch(/^the rival bid 112500\.00 /);
    expect(sandbox.ledger().map(({ amount }) => amount)).toEqual(['107500.00', '112500.00']);
  });

  it('takes a sale from its approval to the collection, by the id of its lot', () => {
    typed(`rival ${lot}`);
    expect(typed(`approve ${lot}`)).toContain('Close the auction first.');
    typed('close live-open');
    const { id } = sandbox.records('sale')[0] ?? {};
    expect(typed(`reject ${lot}`)).toContain('decision-values=rejected-too');
    expect(typed(`approve ${lot}`)).toBe(`${lot} is approved`);
    expect(typed(`acknowledge ${id}`)).toBe(`${id} is acknowledged`);
    expect(typed(`settle ${lot}`)).toBe(`${lot} is paid`);
    expect(typed(`release ${lot}`)).toBe(`${lot} is released`);
    expect(typed(`collect ${lot}`)).toBe(`${lot} is collected`);
    expect(sandbox.records('release')).toMatchObject([{ state: 'used' }]);
    expect(typed('collect')).toBe('error: usage: collect <sale-or-lot>');
  });

  it('rejects a sale where the sandbox takes rejections', async () => {
    await sandbox.close();
    const variants = { 'decision-values': 'rejected-too' } as const;
    sandbox = await startSandbox({ clock: 'manual', listen: false, variants });
    typed(`rival ${lot}`);
    typed('close live-open');
    expect(typed(`reject ${lot}`)).toBe(`${lot} is rejected`);
    expect(sandbox.records('sale')).toMatchObject([{ state: 'rejected' }]);
  });

  it('lists auctions and commands, and what a party signs with', () => {
    expect(typed('auctions').split('\n')).toHaveLength(10);
    const words = typed('help')
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(words).toEqual([
      ...'advance auctions lots open close extend shorten rival'.split(' '),
      ...'approve reject acknowledge settle release collect fault credentials help stop'.split(' '),
    ]);
    expect(typed('credentials bank')).toContain('VEHICLE_AUCTION_CLIENT_ID=client_sbx_bank\n');
    expect(typed('credentials')).toContain('VEHICLE_AUCTION_DEALER_ID=D-204');
  });

  it('arms a fault with its fields', async () => {
    typed('fault refuse code=KYB_REQUIRED times=2');
    for (const code of ['KYB_REQUIRED', 'KYB_REQUIRED']) {
      const reply = await sandbox.fetch(`${sandbox.baseUrl}/events`);
      expect(await reply.json()).toMatchObject({ code });
    }
  });

  it.each([
    ['advance', 'error: usage: advance <duration>'],
    ['advance 10', 'error: "10" is not a duration such as 500ms, 90s, 10m or 1h30m'],
    ['advance -5m', 'error: "-5m" is not a duration such as 500ms, 90s, 10m or 1h30m'],
    ['close', 'error: usage: close <auction>'],
    ['close live-open now', 'error: usage: close <auction>'],
    ['close nothing', 'error: No auction has the id or label "nothing". Labels: live-open, '],
    ['rival', 'error: usage: rival <lot> [amount]'],
    ['rival lot_0 5', 'error: No lot has the id "lot_0"'],
    [`rival ${lot} 5`, "error: The rival's bid was not accepted: BID_OFF_OPENING_GRID"],
    ['lots live-open all', 'error: the count must be a whole number, not "all"'],
    ['fault', 'error: usage: fault <name> [operation] [field=value…]'],
    ['fault nonsense', 'error: plan.fault must be "drop_before'],
    ['fault delay nothing ms=1s', 'error: plan.operation must name an operation'],
    ['fault delay A20 A21 ms=1s', 'error: a fault affects one operation: '],
    ['credentials nobody', 'error: "nobody" is not a party; use one of dealer, platform, '],
    ['dance', 'error: "dance" is not a command. Type "help"'],
    ['constructor', 'error: "constructor" is not a command. Type "help"'],
  ])('says of %j what it should have been', (line, said) => {
    expect(typed(line)).toContain(said);
  });

  it('is silent about an empty line, and stops when told', () => {
    expect(typed('')).toBe('');
    expect(carryOut(sandbox, 'stop', () => undefined)).toBe('stop');
  });
});
