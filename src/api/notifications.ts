import * as z from 'zod';
import { anyObject, filledText, idempotencyKey, openChoice, openEnum, page, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { workflowRecord } from './records.js';

export const Notification = z
  .object({
    id: z.string().describe('Notification event id. Use it to deduplicate messages, including emails.'),
    type: optional.text('Type of the event that caused it; the set of values is undocumented.'),
    subject: optional.of(
      z.union([z.string(), anyObject]),
      'Subject; whether a headline or a reference is undocumented.',
    ),
    resource_version: z.int().describe('Version of the described resource, which may have changed since.'),
    created_at: optional.text('Creation, ISO 8601.'),
    acknowledgment: nullable.of(
      z.union([z.string(), anyObject]),
      'The acknowledgment, or null; its form is undocumented.',
    ),
  })
  .meta({ title: 'A message in the inbox.', section: 'Non-record read shapes' });

export const NotificationAckData = z
  .object({
    status: optional.of(openEnum('read'), 'The acknowledged event: delivery or reading.'),
    external_reference: nullable.text("The caller's own reference."),
  })
  .meta({ title: 'An acknowledged notification.', section: 'Workflow record' });

// Its states are undocumented (unknowns: `notification-ack-values`).
export const NotificationAckRecord = workflowRecord({
  kind: 'notification_ack',
  data: NotificationAckData,
  what: 'an acknowledgment of a notification',
});

export const notifications = resource(
  'notifications',
  'The durable inbox of workflow messages: list, acknowledge.',
  {
    list: read({
      id: 'A74',
      path: '/notifications',
      scope: 'notifications:read',
      actors: ['bank', 'partner'],
      summary: 'Lists the inbox: decisions, payment reminders, release messages; 25 per page.',
      notes: ['The same events are also sent by email. Deduplicate messages from both by `id`.'],
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
      summary: 'Records that a notification was delivered or read.',
      notes: [
        'This only acknowledges the message. It approves no sale, credits no payment and authorises no release.',
      ],
      section: 'Documents and notifications',
      params: { notification: pathId.describe('Notification id.') },
      body: z.strictObject({
        status: openChoice('read').describe(
          'The acknowledged event: `read`. The value for a delivery is undocumented.',
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
