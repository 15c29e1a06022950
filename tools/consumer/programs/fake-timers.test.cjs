/* Run by Jest. */
const sdk = require('vehicle-auction-sdk');
const sandbox = require('vehicle-auction-sdk/sandbox');

afterEach(() => jest.useRealTimers());

test('A bid is placed while Jest holds all timers and the clock', async () => {
  // Connections need these two, which Jest fakes unless they are named here.
  jest.useFakeTimers({ now: Date.UTC(2020, 0), doNotFake: ['nextTick', 'queueMicrotask'] });
  expect(await require('./one-bid.cjs')({ sdk, sandbox })).toBe('accepted');
}, 60_000);
