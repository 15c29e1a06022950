import { createHash } from 'node:crypto';
import * as z from 'zod';
import { documents } from '../../api/documents.js';
import { notifications } from '../../api/notifications.js';
import { webhookSubscriptions } from '../../api/webhook-subscriptions.js';
import type { Answered, Call } from '../http/call.js';
import { commandReply, messageOnly, notFound, Refusal, type Reply } from '../http/replies.js';
import { isoTime } from '../times.js';
import type { Subscription } from '../webhooks/delivery.js';
import { subscribable } from '../webhooks/webhooks.js';
import type { World } from '../world.js';
import { command, once } from './engine.js';
import { type Data, type Rec, unfit } from './records.js';

const { create: subscribeOperation } = webhookSubscriptions.operations;

/** Evidence, acknowledgments of messages, and webhook subscriptions. */
export const documentCommands: readonly Answered[] = [
  command({
    op: documents.operations.upload,
    check: ({ body: { filename } }) => mustBeFileName(filename),
    makes: 'document',
    to: 'awaiting_scan',
    data: ({ body: { content_base64, filename } }) => {
      const content = Buffer.from(content_base64, 'base64');
      const digest = createHash('sha256').update(content).digest('hex');
      return { mime: mediaTypeOf(content, filename), bytes: content.length, digest };
    },
    links: ({ body }) => ({ content: Buffer.from(body.content_base64, 'base64') }),
    effect: ({ world }, document) => scan(world, document),
  }),
  command({
    op: notifications.operations.acknowledge,
    // An inbox is one reader's own: the bank does not read its partners', nor the other way round.
    target: ({ world, party, params }) => {
      const found = world.flow.find(party, 'notification', params.get('notification') ?? '');
      if (found.owner.partnerId !== party.partnerId) throw new Refusal(notFound());
      return found;
    },
    check: ({ body: { status } }) => {
      if (status !== 'read' && status !== 'delivered') {
        throw unfit('status', 'The status is read or delivered.');
      }
    },
    makes: 'notification_ack',
    // A later acknowledgment replaces an earlier one.
    effect: ({ on, call }, { data }) => {
      on.data['acknowledgment'] = { ...data, acknowledged_at: isoTime(call.now()) };
    },
  }),
  [subscribeOperation, subscribe],
];

/** What a receiver may save the file as: a name, never a path. */
function mustBeFileName(name: string): void {
  if (/[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..') {
    throw unfit('filename', 'The filename is a name without a path and without control characters.');
  }
  if ([...name].length > longestName) {
    throw unfit('filename', `The filename has at most ${longestName} characters.`);
  }
}

function scan({ scanner, flow }: World, document: Rec): void {
  const { id, sale, data, content = new Uint8Array() } = document;
  const file = {
    documentId: id,
    saleId: sale?.id ?? '',
    purpose: String(data['purpose']),
    filename: String(data['filename']),
    mime: String(data['mime']),
    content,
  };
  scanner.scan(file, (result) => {
    document.state = result === 'clean' ? 'ready' : 'rejected';
    flow.touch(document);
  });
}

/** The media type of an uploaded file: known by its first bytes, else by the ending of its name. */
function mediaTypeOf(content: Uint8Array, filename: string): string {
  const known = beginnings.find(([bytes]) => bytes.every((byte, at) => content[at] === byte));
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return known?.[1] ?? endings.get(ending) ?? 'application/octet-stream';
}

/** A13, where webhooks are switched on. The secret is shown to the subscriber once, and not kept under the key. */
function subscribe(call: Call): Reply {
  const { settings, webhooks } = call.world;
  if (settings.variants['webhook-operative'] === 'off') return messageOnly(404, switchedOff);
  let made: Subscription | undefined;
  const schema = settings.webhooks.allowPrivate ? anyUrlBody : subscribeOperation.body;
  const reply = once(call, schema, (body) => {
    const problem = webhooks.urlProblem(body.url);
    if (problem !== undefined) throw unfit('url', problem);
    const unknown = body.events.find((type) => !subscribable.has(type));
    if (unknown !== undefined) throw unfit('events', `No event type ${JSON.stringify(unknown)} is known.`);
    made = webhooks.add(call.party, body);
    const entry = {
      kind: 'webhook_subscription',
      operation: call.operation.id,
      recordId: made.shown.id,
      idempotencyKey: call.idempotencyKey ?? '',
      clientId: call.party.clientId,
      at: call.world.clock.now(),
    };
    return { data: subscriptionView(made, {}), entry };
  });
  return made === undefined
    ? reply
    : commandReply(call, subscriptionView(made, { secret: made.secret }), false);
}

function subscriptionView(subscription: Subscription, secret: { readonly secret?: string }): Data {
  const { id, state, name, url, events } = subscription.shown;
  const createdAt = isoTime(subscription.createdAt);
  return {
    id,
    kind: 'webhook_subscription',
    state,
    resource_version: 1,
    data: { name, url, events, ...secret },
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** For receivers without TLS, where the sandbox was asked to allow them. */
const anyUrlBody = subscribeOperation.body.extend({ url: z.url({ protocol: /^https?$/ }) });

const switchedOff =
  "A13 is listed as not callable. startSandbox({ variants: { 'webhook-operative': 'on' } }) makes it callable; " +
  'sandbox.webhooks.subscribe() works without.';

const longestName = 255;
const beginnings: readonly (readonly [readonly number[], string])[] = [
  [[0x25, 0x50, 0x44, 0x46, 0x2d], 'application/pdf'],
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
  [[0xff, 0xd8, 0xff], 'image/jpeg'],
];
const endings: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
]);
