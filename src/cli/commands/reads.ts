import type { Command } from 'commander';
import { connected, type Session, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { given, ifGiven } from '../given.js';
import type { Terminal } from '../terminal.js';
import { wholeNumber } from '../usage-error.js';

interface StandingsFlags extends ConnectionFlags {
  readonly buyers: string;
  readonly confirm?: boolean;
}

/** A list that a command prints. */
interface Listing {
  readonly name: string;
  readonly does: string;
  readonly columns: readonly string[];
  list(session: Session): AsyncIterable<object>;
}

const listings: readonly Listing[] = [
  {
    name: 'events',
    does: 'List the auction events.',
    columns: ['id', 'name', 'status', 'bid_type', 'bid_increment', 'starts_at', 'ends_at'],
    list: ({ client }) => client.events.list({ status: 'all' }),
  },
  {
    name: 'lots',
    does: 'List the live lots.',
    columns: ['id', 'title', 'auction_id', 'starting_price', 'ends_at'],
    list: ({ partner }) => partner().lots.list(),
  },
  {
    name: 'results',
    does: 'List the results of auctions that are over.',
    columns: ['id', 'title', 'auction_id', 'starting_price', 'ends_at'],
    list: ({ client }) => client.results.list(),
  },
  {
    name: 'winners',
    does: 'List the winner updates.',
    columns: ['id', 'sale_id', 'lot_id', 'amount', 'state'],
    list: ({ client }) => client.winnerUpdates.list(),
  },
  {
    name: 'inbox',
    does: 'List the messages of the inbox.',
    columns: ['id', 'type', 'subject', 'created_at'],
    list: ({ client }) => client.notifications.list(),
  },
  {
    name: 'sales',
    does: 'List the sales.',
    columns: ['id', 'state', 'resource_version', 'data.amount', 'updated_at'],
    list: ({ client }) => client.saleCases.list(),
  },
];

/** Commands that read. */
export function addReads(program: Command, terminal: Terminal): void {
  for (const { name, does, columns, list } of listings) {
    const command = program
      .command(name)
      .description(does)
      .option('--limit <count>', 'maximum number of items to print');
    connected(command, `${name}\n${name} --limit 10 --json`).action(
      (flags: ConnectionFlags & { readonly limit?: string }) =>
        withSession(flags, terminal, async (session) => {
          const limit = ifGiven(flags.limit, (text) => wholeNumber('--limit', text));
          await session.out.list(first(list(session), limit), columns);
        }),
    );
  }

  connected(
    program
      .command('lot')
      .argument('<lot>')
      .option('--buyer <reference>', 'show the standing of this buyer, for platforms and aggregators')
      .description('Show the status of a lot, and a standing as the service knows it.'),
    'lot lot_4f1c9a\nlot lot_4f1c9a --buyer buyer-9',
  ).action((lot: string, flags: ConnectionFlags & { readonly buyer?: string }) =>
    withSession(flags, terminal, async ({ partner, out }) => {
      const { lots } = partner();
      if (flags.buyer === undefined) return out.item(await lots.status(lot));
      const body = { lot_ids: [lot], bidder_reference: flags.buyer };
      for (const result of await lots.statusBatch(body)) out.item(result);
    }),
  );

  connected(
    program
      .command('standings')
      .argument('<lots...>')
      .requiredOption('--buyers <references>', 'buyers, separated by commas')
      .option('--confirm', 'ask the service for standings that the bids in the store leave uncertain')
      .description('Show the standing of each buyer on lots.'),
    'standings lot_1 lot_2 --buyers buyer-1,buyer-2 --store auction.db',
  ).action((lots: readonly string[], flags: StandingsFlags) =>
    withSession(flags, terminal, async ({ partner, out, needStore }) => {
      // Without the bids in the store, no buyer would seem to have one.
      needStore();
      const buyers = flags.buyers.split(',').map((buyer) => buyer.trim());
      const found = await partner().bids.standings(lots, { buyers, ...given({ confirm: flags.confirm }) });
      const columns = ['lot', 'bidderReference', 'standing', 'ownAmount', 'highestAmount', 'doubts'];
      await out.list(found, columns);
    }),
  );
}

async function* first(
  items: AsyncIterable<object>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<object> {
  let count = 0;
  if (limit === 0) return;
  for await (const item of items) {
    yield item;
    count += 1;
    // Check before the next item, which can cost a request.
    if (count >= limit) return;
  }
}
