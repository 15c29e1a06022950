import { setupServer } from 'msw/node';
import * as sdk from 'vehicle-auction-sdk';
import * as sandbox from 'vehicle-auction-sdk/sandbox';
import { bidThroughMsw } from './suite.cjs';

await bidThroughMsw(sdk, sandbox, { setupServer });
