import { type Command, Option } from 'commander';
import type { Store } from '../../store/store.js';
import type { WebhookState } from '../../store/tables.js';
import {
  dismissEvent,
  endpointAccount,
  eventById,
  type KeptWebhookEvent,
  listEvents,
  retryEvent,
} from '../../webhooks/stored-events.js';
import { changing, connected, withStore } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { Exit, exits } from '../exit.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

interface EventFlags extends ConnectionFlags {
  readonly endpoint: string;
}

interface ListFlags extends EventFlags {
  readonly state?: WebhookState;
  readonly all?: boolean;
}

/** Events that are not handled, those that need a person first. */
const unhandled: readonly WebhookState[] = ['failed_permanently', 'malformed', 'pending'];

const PAGE = 100;

/** `webhook events` and `webhook retry`: the events that a webhook receiver stored. */
export function addStoredEvents(webhook: Command, terminal: Terminal): void {
  const events = webhook
    .command('events')
    .argument('[event]', 'event id, to show one with its body')
    .description('List stored events that are not handled, or show one.')
    .addOption(new Option('--state <state>', 'only events in this state').choices([...unhandled, 'handled']))
    .option('--all', 'list handled events, too');
  connected(
    ofEndpoint(events),
    'webhook events --store auction.db\nwebhook events --state failed_permanently --json\nwebhook events evt_1',
  ).action((id: string | undefined, flags: ListFlags) =>
    withStore(flags, terminal, async ({ store, out }) => {
      if (id !== undefined) {
        const { receivedAt, ...event } = await existing(store, flags, id);
        return out.item({ ...event, received: new Date(receivedAt).toISOString() });
      }
      if (flags.all && flags.state !== undefined)
        throw new UsageError('Use either --state or --all, not both.');
      const states = flags.state === undefined ? unhandled : [flags.state];
      const found = eventRows(store, flags, flags.all ? [...unhandled, 'handled'] : states);
      await out.list(found, ['id', 'state', 'type', 'attempts', 'received', 'error']);
    }),
  );

  changing(
    ofEndpoint(
      webhook
        .command('retry')
        .argument('<event>', 'event id')
        .description('Retry an event that failed permanently, from attempt 1.'),
    ),
    'webhook retry evt_1 --store auction.db',
  ).action((id: string, flags: EventFlags) =>
    changed(id, flags, ['failed_permanently'], {
      what: ({ attempts, error }) =>
        `failed ${attempts} times, last with: ${error ?? 'no error'}\nThe receiver runs its handler again.`,
      change: (store, account) => retryEvent(store, account, id, Date.now()),
      done: 'Due now. A running receiver of this endpoint handles it within half a minute.',
    }),
  );

  changing(
    ofEndpoint(
      webhook
        .command('dismiss')
        .argument('<event>', 'event id')
        .requiredOption('--reason <text>', 'reason; it stays on record')
        .description('Mark an event that failed permanently or is malformed as handled by you.'),
    ),
    'webhook dismiss sha256:9f86d081 --reason "the bank sent it again as evt_7"',
  ).action((id: string, flags: EventFlags & { readonly reason: string }) =>
    changed(id, flags, ['failed_permanently', 'malformed'], {
      what: ({ state, error }) =>
        `is ${state}: ${error ?? 'no error'}\nNo handler runs for it, now or later.`,
      change: (store, account) => dismissEvent(store, account, id, flags.reason),
      done: 'Dismissed.',
    }),
  );

  /** Changes an event in one of these states, after consent. */
  function changed(id: string, flags: EventFlags, states: readonly WebhookState[], how: EventChange) {
    return withStore(flags, terminal, async ({ store, out, confirm }) => {
      const event = await existing(store, flags, id);
      const refuse = (now: string) => {
        out.say(`${id} is ${now}. This command needs an event that is ${states.join(' or ')}.`);
        throw new Exit(exits.refused);
      };
      if (!states.includes(event.state)) return refuse(event.state);
      await confirm(`${event.type} ${id} ${how.what(event)}`);
      const account = endpointAccount(flags.endpoint);
      if (!(await how.change(store, account))) return refuse('no longer in that state');
      out.say(how.done);
    });
  }
}

interface EventChange {
  /** Completes the question that starts with the type and id of the event. */
  readonly what: (event: KeptWebhookEvent) => string;
  /** False if the event has changed meanwhile. */
  readonly change: (store: Store, account: string) => Promise<boolean>;
  readonly done: string;
}

function ofEndpoint(command: Command): Command {
  return command.option('--endpoint <name>', 'endpoint of the receiver', 'default');
}

async function existing(store: Store, { endpoint }: EventFlags, id: string): Promise<KeptWebhookEvent> {
  const event = await eventById(store, endpointAccount(endpoint), id);
  if (event === undefined)
    throw new UsageError(`The endpoint "${endpoint}" has no event ${JSON.stringify(id)}.`);
  return event;
}

/** Omits bodies: they can hold personal data, and a list is often pasted into a ticket. */
async function* eventRows(
  store: Store,
  { endpoint }: EventFlags,
  states: readonly WebhookState[],
): AsyncGenerator<object> {
  for (const state of states) {
    for (let after = 0; ; ) {
      const page = await listEvents(store, endpointAccount(endpoint), { state, after, limit: PAGE });
      for (const { body: _, receivedAt, position, ...event } of page) {
        after = position;
        yield { ...event, received: new Date(receivedAt).toISOString() };
      }
      if (page.length < PAGE) break;
    }
  }
}
