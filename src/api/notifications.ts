import * as z from 'zod';
import { anyObject, filledText, idempotencyKey, openChoice, openEnum, page, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { workflowRecord } from './records.js';

export const Notification = z
  .object({
    id: z.string().describe('Notification event id: what to recognise a duplicate by, also of its mail.'),
    type: optional.text('Type of the event that caused it; the set of values is undocumented.'),
    subject: optional.of(
      z.union([z.string(), anyObject]),
      'What it is about; whether a headline or a reference is undocumented.',
    ),
    resource_version: z
      .int()
      .describe('Version of the resource that it describes; the resource may have moved on since.'),
    created_at: optional.text('Creation, ISO 8601.'),
    acknowledgment: nullable.of(
      z.union([z.string(), anyObject]),
      'The acknowledgment, or null; its form is undocumented.',
    ),
  })
  .meta({ title: 'A message in the inbox.', section: 'Non-record read shapes' });

export const NotificationAckData = z
  .object({
    status: optional.of(openEnum('read'), 'What was acknowledged: delivery or reading.'),
    external_reference: nullable.text("The caller's own reference."),
  })
  .meta({ title: 'An acknowledged notification.', section: 'Workflow record' });

// The text shows no state of it (unknowns: `notification-ack-values`).
export const NotificationAckRecord = workflowRecord({
  kind: 'notification_ack',
  data: NotificationAckData,
  what: 'an acknowledgment of a notification',
});

export const notifications = resource(
  'notifications',
  'The durable inbox of workflow messages, and acknowledging them.',
  {
    list: read({
      id: 'A74',
      path: '/notifications',
      scope: 'notifications:read',
      actors: ['bank', 'partner'],
      summary: 'Lists the inbox: decisions, reminders of what is due, release messages; 25 a page.',
      notes: [
        'The same events go out by mail, and duplicates can come by either way: recognise them by `id`.',
      ],
      section: 'Documents and notifications',
      query: z.strictObject({ page: page.optional() }),
      envelope: 'page',
      reply: Notification,
    }),
    acknowledge: command({
      id: 'A75',
      path: '/notifications/{notification}/acknowledgments',
      scope: 'notifications:acknowledge',
      actors: ['partner'],
      summary: 'Records that a notification was delivered or read, and nothing more.',
      notes: ['It approves no sale, credits no payment and authorises no release.'],
      section: 'Documents and notifications',
      params: { notification: pathId.describe('Notification id.') },
      body: z.strictObject({
        status: openChoice('read').describe(
          'What is acknowledged: `read`. Delivery can be acknowledged too, but the value for it is undocumented.',
        ),
        external_reference: optional.of(
          filledText,
          'Your own reference of the acknowledgment, such as a ticket number.',
        ),
        idempotency_key: idempotencyKey,
      }),
      reply: NotificationAckRecord,
    }),
  },
);
