import * as sdk from 'vehicle-auction-sdk';
import * as sandbox from 'vehicle-auction-sdk/sandbox';
import * as sqlite from 'vehicle-auction-sdk/sqlite';
import { live } from './live.cjs';

await live({ sdk, sandbox, sqlite });
