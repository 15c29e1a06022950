import { type ToleranceName, tolerances } from '../../api/tolerance.js';
import type { Log } from '../log.js';
import type { Redact } from '../redact.js';
import type { Payload } from './reply.js';

/** A call whose reply differs from the API text. */
interface AnsweredCall {
  readonly parts: {
    readonly log: Log;
    /** Undocumented forms in replies; each is logged once. */
    readonly tolerated: Set<ToleranceName>;
  };
  /** The fields of a log line about the call. */
  readonly facts: object;
  readonly redact: Redact;
}

/** Logs how a reply that was read differs from the API text. */
export function logDeviations(state: AnsweredCall, { undocumented, tolerated, skipped }: Payload): void {
  const { parts } = state;
  for (const [name, path] of tolerated) {
    if (parts.tolerated.has(name)) continue;
    parts.tolerated.add(name);
    parts.log.warn(`The service writes ${tolerances[name].written}; it is read`, () => ({
      ...state.facts,
      tolerated: name,
      path: state.redact(path),
    }));
  }
  if (skipped !== undefined) {
    const [first] = skipped;
    parts.log.warn("Records that can't be read were left out of a list", () => ({
      ...state.facts,
      count: skipped.length,
      ...(first !== undefined && { id: first.id, path: state.redact(first.field), reason: first.problem }),
    }));
  }
  if (undocumented.length > 0) {
    parts.log.warn('Values of undocumented types passed through', () => ({
      ...state.facts,
      paths: undocumented.slice(0, 10).map(state.redact),
    }));
  }
}
