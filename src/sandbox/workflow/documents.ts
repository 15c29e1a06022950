import { createHash } from 'node:crypto';
import * as z from 'zod';
import { service } from '../../api/service.js';
import type { Call, OperationHandler } from '../http/call.js';
import { ensureFits, invalidField, messageOnly, notFound, Refusal, type Reply } from '../http/replies.js';
import { type Data, view } from '../records.js';
import { isoTime } from '../times.js';
import type { Subscription } from '../webhooks/webhooks.js';
import { command, once } from './engine.js';

const { documents, notifications, webhookSubscriptions } = service;

const { create: subscribeOperation } = webhookSubscriptions.operations;

/** Evidence uploads, notification acknowledgments and webhook subscriptions. */
export const documentCommands: readonly OperationHandler[] = [
  command({
    op: documents.operations.upload,
    // The filename must be a name, not a path, because receivers may save under it.
    check: ({ body: { filename } }) => {
      const isName = !/[/\\\p{Cc}]/u.test(filename) && filename !== '.' && filename !== '..';
      const why = 'The filename is invalid. Use a name without a path or control characters.';
      ensureFits(isName, 'filename', why);
      ensureFits(
        [...filename].length <= 255,
        'filename',
        'The filename is too long. Use at most 255 characters.',
      );
    },
    to: 'awaiting_scan',
    data: ({ body: { content_base64, filename } }) => {
      const content = Buffer.from(content_base64, 'base64');
      const digest = createHash('sha256').update(content).digest('hex');
      return { mime: mediaTypeOf(content, filename), bytes: content.length, digest };
    },
    links: ({ body }) => ({ content: Buffer.from(body.content_base64, 'base64') }),
    effect: ({ world, flow, sale, body: { purpose, filename } }, document) => {
      const { id, data, content = new Uint8Array() } = document;
      const mime = String(data['mime']);
      const file = { documentId: id, saleId: sale.id, purpose, filename, mime, content };
      world.scanner.scan(file, (result) => {
        document.state = result === 'clean' ? 'ready' : 'rejected';
        flow.touch(document);
      });
    },
  }),
  command({
    op: notifications.operations.acknowledge,
    // Bank and partners have separate inboxes.
    target: ({ world, party, params }) => {
      const found = world.flow.find(party, 'notification', params.get('notification') ?? '');
      if (found.owner.partnerId !== party.partnerId) throw new Refusal(notFound());
      return found;
    },
    check: ({ body: { status } }) =>
      ensureFits(
        ['read', 'delivered'].includes(status),
        'status',
        'The status is unknown. Use read or delivered.',
      ),
    // A later acknowledgment replaces an earlier one.
    effect: ({ on, call }, { data }) => {
      on.data['acknowledgment'] = { ...data, acknowledged_at: isoTime(call.now()) };
    },
  }),
  [subscribeOperation, subscribe],
];

/** Detects the media type by the first bytes, else by the file extension. */
function mediaTypeOf(content: Buffer, filename: string): string {
  const start = content.toString('hex', 0, 8);
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  const known =
    mediaTypes.find(({ starts = 'never' }) => start.startsWith(starts)) ??
    mediaTypes.find(({ endings }) => endings.includes(ending));
  return known?.mime ?? 'application/octet-stream';
}

/** `starts` is the first bytes in hexadecimal. */
const mediaTypes: readonly { mime: string; starts?: string; endings: readonly string[] }[] = [
  { mime: 'application/pdf', starts: '255044462d', endings: ['pdf'] },
  { mime: 'image/png', starts: '89504e470d0a1a0a', endings: ['png'] },
  { mime: 'image/jpeg', starts: 'ffd8ff', endings: ['jpg', 'jpeg'] },
  { mime: 'image/webp', endings: ['webp'] },
  { mime: 'text/plain', endings: ['txt'] },
  { mime: 'text/csv', endings: ['csv'] },
];

/** A13, if webhooks are enabled. The secret is returned once and not recorded under the idempotency key. */
function subscribe(call: Call): Reply {
  const { settings, webhooks } = call.world;
  if (settings.variants['webhook-operative'] === 'off') return messageOnly(404, switchedOff);
  const schema = settings.webhooks.allowPrivate ? anyUrlBody : subscribeOperation.body;
  return once(call, schema, (body) => {
    const problem = webhooks.problemWith(body.url, body.events);
    if (problem !== undefined) throw new Refusal(invalidField(problem.field, problem.message));
    const made = webhooks.add(call.party, body);
    const entry = { kind: 'webhook_subscription', recordId: made.shown.id };
    return { data: subscriptionView(made, {}), once: subscriptionView(made, { secret: made.secret }), entry };
  });
}

function subscriptionView({ shown, createdAt }: Subscription, secret: { readonly secret?: string }): Data {
  const { id, state, name, url, events } = shown;
  const times = { createdAt, updatedAt: createdAt };
  const data = { name, url, events, ...secret };
  return { ...view({ id, kind: 'webhook_subscription', state, version: 1, data, ...times }) };
}

/** Body schema that also allows http, for `allowPrivate`. */
const anyUrlBody = subscribeOperation.body.extend({ url: z.url({ protocol: /^https?$/ }) });

const switchedOff =
  "A13 is not callable by default. Enable it with startSandbox({ variants: { 'webhook-operative': 'on' } }), or use " +
  'sandbox.webhooks.subscribe().';
