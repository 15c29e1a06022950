import type { Logger } from '../../ports/logger.js';

export interface FileJournalOptions {
  /** How long settled intents are kept, in ms: 30 days by default. Open ones are kept for ever. */
  readonly retentionMs?: number | undefined;
  /**
   * The host whose lock is to be broken. Only where that host, or its container, is gone for good: two processes that
   * write the same journal end in damage.
   */
  readonly takeOverFrom?: string | undefined;
  /** Names of file systems to be trusted that are refused otherwise, as the refusal spells them: `fuse`, `nfs`. */
  readonly allowFileSystems?: readonly string[] | undefined;
  /** Told what was found at opening, and of compactions that fail. */
  readonly logger?: Logger | undefined;
}
