import { describeCodes } from './codes-suite.js';
import { mswDriver } from './msw-driver.js';

describeCodes('through msw and fetch', mswDriver);
