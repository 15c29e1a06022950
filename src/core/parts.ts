import type { Clock } from '../ports/clock.js';
import type { Quota } from '../ports/quota.js';
import type { Randomness } from '../ports/randomness.js';
import type { ServerClock } from '../ports/server-clock.js';
import type { Digests } from '../signing/digest-port.js';
import type { Keys } from './keys.js';
import type { CallLimits } from './limits.js';
import type { Log, Seldom } from './log.js';
import type { CallDefaults } from './prepare.js';
import type { Leaks } from './redact.js';
import type { RetryBudget } from './retry-budget.js';
import type { Transport } from './transport.js';

/** Everything that a call needs, injected. */
export interface CallParts {
  readonly transport: Transport;
  readonly keys: Keys;
  readonly quota: Quota;
  readonly serverClock: ServerClock;
  readonly retryBudget: RetryBudget;
  readonly userAgent: string;
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxReplyBytes: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly digests: Digests;
  readonly defaults: CallDefaults;
  readonly limits: CallLimits;
  readonly log: Log;
  /** Keeps the line about the quota from coming for every call. */
  readonly queueNotice: Seldom;
  /** Tells whether a text shows a signing secret. */
  readonly leaks: Leaks;
}
