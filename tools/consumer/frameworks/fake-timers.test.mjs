import * as sdk from 'vehicle-auction-sdk';
import * as sandbox from 'vehicle-auction-sdk/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import placeOneBid from './one-bid.cjs';

afterEach(() => vi.useRealTimers());

test('A bid is placed while Vitest holds all timers and the clock', async () => {
  vi.useFakeTimers({ now: Date.UTC(2020, 0) });
  expect(await placeOneBid({ sdk, sandbox })).toBe('accepted');
});
