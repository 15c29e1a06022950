import { mswDriver } from './msw-driver.js';
import { describeOperations } from './operations-suite.js';

describeOperations('through msw and fetch', mswDriver);
