import type { Clock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';
import type { Digests } from '../signing/digest-port.js';
import type { Signer } from '../signing/signer.js';
import type { CallLimits } from './limits.js';
import type { Log } from './log.js';
import type { CallDefaults } from './prepare.js';
import type { Leaks } from './redact.js';
import type { Transport } from './transport.js';

/** Everything that a call needs, injected. */
export interface CallParts {
  readonly transport: Transport;
  readonly signer: Signer;
  readonly userAgent: string;
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxReplyBytes: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly digests: Digests;
  readonly defaults: CallDefaults;
  readonly limits: CallLimits;
  readonly log: Log;
  /** Tells whether a text shows the signing secret. */
  readonly leaks: Leaks;
}
