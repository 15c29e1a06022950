import type { Clock } from '../../ports/clock.js';
import type { Disk } from './disk.js';

/** What a journal stands on: the machine, or a simulation of one. */
export interface Surroundings {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly pid: number;
  /** Where the file really lies. @throws JournalError `unsafe_place` where a journal must not lie there. */
  locate(path: string): Promise<string>;
  /** Takes the journal for this process alone; what it resolves to gives it back. @throws JournalError `owned` */
  lock(path: string): Promise<() => Promise<void>>;
  /** Bytes under which a file isn't compacted; 1 MiB by default. */
  readonly compactFrom?: number;
}
