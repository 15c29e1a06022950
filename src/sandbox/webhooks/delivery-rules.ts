import type { Variants } from '../variants.js';
import type { WebhookAttempt } from './delivery.js';

/** How deliveries are made and tried. All times are milliseconds of sandbox time. */
export interface DeliveryRules {
  readonly timestamp: Variants['webhook-timestamp-format'];
  readonly mostAttempts: number;
  /** The same, of challenges. */
  readonly mostChallenges: number;
  /** How long an attempt may take. */
  readonly timeoutMs: number;
  /** How long after the end of attempt n (from 1) the next one begins. */
  waitMs(attempts: number): number;
  /** Whether another attempt may help. */
  isTransient(attempt: WebhookAttempt): boolean;
}

export function deliveryRules(variants: Variants): DeliveryRules {
  const { timeoutMs, waits } = timings[variants['webhook-delivery-timing']];
  const always = variants['webhook-transient-failures'] === 'every-failure';
  return {
    timestamp: variants['webhook-timestamp-format'],
    mostAttempts,
    mostChallenges: variants['webhook-verification-attempts'] === 'once' ? 1 : mostAttempts,
    timeoutMs,
    waitMs: (attempts) => waits[attempts - 1] ?? 0,
    isTransient: (attempt) => always || isPassing(attempt),
  };
}

function isPassing({ outcome, status }: WebhookAttempt): boolean {
  if (outcome === 'unreachable' || outcome === 'timed_out') return true;
  if (outcome !== 'refused' || status === null) return false;
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

const mostAttempts = 8;

const timings = {
  minutes: {
    timeoutMs: 10_000,
    waits: [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000],
  },
  seconds: { timeoutMs: 3_000, waits: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000] },
} as const satisfies Record<Variants['webhook-delivery-timing'], unknown>;
