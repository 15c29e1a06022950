// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller, MutationOptions } from '../core/caller.js';
import type {
  Notification,
  NotificationAckRecord,
  NotificationsAcknowledgeBody,
  NotificationsListQuery,
} from '../models/notifications.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { notifications } from '../routes/notifications.js';

/** The durable inbox of workflow messages, and acknowledging them. */
export class Notifications {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the inbox: decisions, reminders of what is due, release messages; 25 a page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * The same events go out by mail, and duplicates can come by either way: recognise them by `id`.
   *
   * API: A74, `GET /notifications`, scope `notifications:read`; "Documents and notifications".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: NotificationsListQuery = {}, options?: CallOptions): Pager<Notification> {
    return pagerOf<Notification>(this.#call, notifications.list, { query }, options);
  }
}

/** The durable inbox of workflow messages, and acknowledging them. As a partner calls it. */
export class PartnerNotifications extends Notifications {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Records that a notification was delivered or read, and nothing more.
   *
   * It approves no sale, credits no payment and authorises no release.
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
