import { describeOperations } from './operations-suite.js';
import { socketDriver } from './socket-driver.js';

describeOperations('on a real socket', socketDriver);
