import type { Journal } from '../../../src/intents/journal.js';
import type { SimulatedProcess } from './process.js';

/** Where the intents of a run are kept, seen from outside. */
export interface Storage {
  /** A journal over it, for a process that begins. */
  connect(process: SimulatedProcess): Journal;
  /** Leases outlive the processes that hold them. */
  readonly keepsLeases: boolean;
  /** Whether an attempt with this nonce is durable under the key, and so its intent. */
  holds(key: string, nonce: string): boolean;
  /** Everything in it, as text. */
  content(): string;
  /** The machine loses power: what wasn't made durable may be gone. */
  powerCut(): void;
}
