// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller, MutationOptions } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';

/**
 * A message in the inbox.
 *
 * API text: Non-record read shapes.
 */
export interface Notification {
  /**
   * Notification event id. Use it to deduplicate messages, including emails. (API: Non-record read shapes)
   */
  readonly id: string;
  /** Type of the event that caused it; the set of values is undocumented. (API: Non-record read shapes) */
  readonly type?: string;
  /** Subject; whether a headline or a reference is undocumented. (API: Non-record read shapes) */
  readonly subject?: string | { readonly [key: string]: unknown };
  /** Version of the described resource, which may have changed since. (API: Non-record read shapes) */
  readonly resource_version: number;
  /** Creation, ISO 8601. (API: Non-record read shapes) */
  readonly created_at?: string;
  /** The acknowledgment, or null; its form is undocumented. (API: Non-record read shapes) */
  readonly acknowledgment?: string | { readonly [key: string]: unknown } | null;
}

/**
 * An acknowledged notification.
 *
 * API text: Workflow record.
 */
export interface NotificationAckData {
  /** The acknowledged event: delivery or reading. (API: Workflow record) */
  readonly status?: 'read' | (string & {});
  /** The caller's own reference. (API: Workflow record) */
  readonly external_reference?: string | null;
}

/**
 * An acknowledgment of a notification, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface NotificationAckRecord {
  /** Id of an acknowledgment of a notification. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'notification_ack' | (string & {});
  /** State of the record; the values are undocumented. (API: Workflow record) */
  readonly state: string;
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: NotificationAckData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Query of `notifications.list`.
 *
 * API text: Documents and notifications.
 */
export interface NotificationsListQuery {
  /** Page number, from 1. (API: Documents and notifications) */
  readonly page?: number | undefined;
}

/**
 * Body of `notifications.acknowledge`.
 *
 * API text: Documents and notifications.
 */
export interface NotificationsAcknowledgeBody {
  /**
   * The acknowledged event: `read`. The value for a delivery is undocumented. (API: Documents and
   * notifications)
   */
  readonly status: 'read' | (string & {});
  /** Your own reference of the acknowledgment, such as a ticket number. (API: Documents and notifications) */
  readonly external_reference?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Documents and notifications)
   */
  readonly idempotency_key?: string | undefined;
}

export const notificationSchema: ObjectSchema = {
  fields: {
    id: 'string',
    type: { optional: 'string' },
    subject: { optional: { either: ['string', { map: 'unknown' }] } },
    resource_version: 'int',
    created_at: { optional: 'string' },
    acknowledgment: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
  },
};

export const notificationAckDataSchema: ObjectSchema = {
  fields: { status: { optional: 'string' }, external_reference: { optional: { nullable: 'string' } } },
};

export const notificationAckRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: notificationAckDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const notifications = {
  list: {
    name: 'notifications.list',
    id: 'A74',
    method: 'GET',
    path: '/notifications',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: notificationSchema },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  acknowledge: {
    name: 'notifications.acknowledge',
    id: 'A75',
    method: 'POST',
    path: '/notifications/{notification}/acknowledgments',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { notification: 'pathId' },
    body: {
      fields: { status: 'filled', external_reference: { optional: 'filled' }, idempotency_key: 'uuid' },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: notificationAckRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * The durable inbox of workflow messages: list, acknowledge.
 *
 * To look up an id, such as A74: `npx vehicle-auction-sdk docs A74`.
 */
export class Notifications {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the inbox: decisions, payment reminders, release messages; 25 per page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * The same events are also sent by email. Deduplicate messages from both by `id`.
   *
   * API: A74, `GET /notifications`, scope `notifications:read`; "Documents and notifications".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: NotificationsListQuery = {}, options?: CallOptions): Pager<Notification> {
    return this.#call.pager<Notification>(notifications.list, { query }, options);
  }
}

/**
 * The durable inbox of workflow messages: list, acknowledge. As a partner calls it.
 *
 * To look up an id, such as A75: `npx vehicle-auction-sdk docs A75`.
 */
export class PartnerNotifications extends Notifications {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Records that a notification was delivered or read.
   *
   * This only acknowledges the message. It approves no sale, credits no payment and authorises no release.
   *
   * API: A75, `POST /notifications/{notification}/acknowledgments`, scope `notifications:acknowledge`;
   * "Documents and notifications".
   * @param notification Notification id.
   * @param body What to send: `status`, `external_reference`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  acknowledge(
    notification: string,
    body: NotificationsAcknowledgeBody,
    options?: MutationOptions,
  ): Promise<NotificationAckRecord> {
    return this.#call<NotificationAckRecord>(
      notifications.acknowledge,
      { path: { notification }, body },
      options,
    );
  }
}
