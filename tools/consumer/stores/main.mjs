import * as sdk from 'vehicle-auction-sdk';
import * as postgres from 'vehicle-auction-sdk/postgres';
import * as sandbox from 'vehicle-auction-sdk/sandbox';
import * as sqlite from 'vehicle-auction-sdk/sqlite';
import * as testing from 'vehicle-auction-sdk/testing';
import { bidOverStores } from './suite.cjs';

await bidOverStores({ sdk, postgres, sandbox, sqlite, testing });
