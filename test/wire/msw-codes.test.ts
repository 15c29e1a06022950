import { isThorough, thoroughly } from '../support/thorough.js';
import { describeCodes } from './codes-suite.js';
import { mswDriver } from './msw-driver.js';

// What the fetch transport and msw add is the same for every method.
describeCodes('through msw and fetch', mswDriver, {
  whole: isThorough ? ['bids.submit', 'saleCases.decide', 'events.get'] : [],
  oneIn: thoroughly(48, 24),
});
