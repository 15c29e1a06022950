import * as z from 'zod';
import { anyObject, filledText, idempotencyKey, openChoice, openEnum, page, pathId } from './common.js';
import type { Resource } from './operation.js';
import { workflowRecord } from './records.js';

export const Notification = z
  .object({
    id: z.string().describe('Notification event id: what to recognise a duplicate by, also of its mail.'),
    type: z.string().optional().describe('Type of the event behind it; the set of values is undocumented.'),
    subject: z
      .union([z.string(), anyObject])
      .optional()
      .describe('What it is about; whether a headline or a reference is undocumented.'),
    resource_version: z
      .int()
      .describe('Version of the resource that it tells of; the resource may have moved on since.'),
    created_at: z.string().optional().describe('Creation, ISO 8601.'),
    acknowledgment: z
      .union([z.string(), anyObject])
      .nullable()
      .optional()
      .describe('The acknowledgment, null while there is none; its form is undocumented.'),
  })
  .meta({ title: 'A message in the inbox.', section: 'Non-record read shapes' });

export const NotificationAckData = z
  .object({
    status: openEnum('read').optional().describe('What was acknowledged: delivery or reading.'),
    external_reference: z.string().nullable().optional().describe("The caller's own reference."),
  })
  .meta({ title: 'An acknowledged notification.', section: 'Workflow record' });

// The text shows no state of it (unknowns: `notification-ack-values`).
export const NotificationAckRecord = workflowRecord({
  kind: 'notification_ack',
  data: NotificationAckData,
  what: 'an acknowledgment of a notification',
});

export const notifications = {
  name: 'notifications',
  summary: 'The durable inbox of workflow messages, and acknowledging them.',
  operations: {
    list: {
      id: 'A74',
      method: 'GET',
      path: '/notifications',
      scope: 'notifications:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Lists the inbox: decisions, reminders of what is due, release messages; 25 a page.',
      notes: [
        'The same events go out by mail, and duplicates can come by either way: recognise them by `id`.',
      ],
      section: 'Documents and notifications',
      query: z.strictObject({ page: page.optional() }),
      success: [200],
      envelope: 'page',
      reply: Notification,
      refusals: [],
    },
    acknowledge: {
      id: 'A75',
      method: 'POST',
      path: '/notifications/{notification}/acknowledgments',
      scope: 'notifications:acknowledge',
      actors: ['partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Records that a notification was delivered or read, and nothing more.',
      notes: ['It approves no sale, credits no payment and authorises no release.'],
      section: 'Documents and notifications',
      params: { notification: pathId.describe('Notification id.') },
      body: z.strictObject({
        status: openChoice('read').describe(
          'What is acknowledged: `read`. Delivery can be acknowledged too, but the value for it is undocumented.',
        ),
        external_reference: filledText
          .optional()
          .describe('Your own reference of the acknowledgment, such as a ticket number.'),
        idempotency_key: idempotencyKey,
      }),
      success: [200],
      envelope: 'command',
      reply: NotificationAckRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
