import { describeCodes } from './codes-suite.js';
import { mswDriver } from './msw-driver.js';

// What the fetch transport and msw add is the same for every method.
describeCodes('through msw and fetch', mswDriver, {
  whole: ['bids.submit', 'saleCases.decide', 'events.get'],
  oneIn: 24,
});
