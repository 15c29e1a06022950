// Generated from src/api by `npm run generate`; edits are lost.

/**
 * A message in the inbox.
 *
 * API text: Non-record read shapes.
 */
export interface Notification {
  /**
   * Notification event id: what to recognise a duplicate by, also of its mail. (API: Non-record read shapes)
   */
  readonly id: string;
  /** Type of the event that caused it; the set of values is undocumented. (API: Non-record read shapes) */
  readonly type?: string;
  /** What it is about; whether a headline or a reference is undocumented. (API: Non-record read shapes) */
  readonly subject?: string | { readonly [key: string]: unknown };
  /**
   * Version of the resource that it describes; the resource may have moved on since. (API: Non-record read
   * shapes)
   */
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
  /** What was acknowledged: delivery or reading. (API: Workflow record) */
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
  /** What is recorded. (API: Workflow record) */
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
   * What is acknowledged: `read`. Delivery can be acknowledged too, but the value for it is undocumented.
   * (API: Documents and notifications)
   */
  readonly status: 'read' | (string & {});
  /** Your own reference of the acknowledgment, such as a ticket number. (API: Documents and notifications) */
  readonly external_reference?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Documents and notifications)
   */
  readonly idempotency_key?: string | undefined;
}
