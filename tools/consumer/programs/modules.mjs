export * as sdk from 'vehicle-auction-sdk';
export * as csv from 'vehicle-auction-sdk/csv';
export * as postgres from 'vehicle-auction-sdk/postgres';
export * as sandbox from 'vehicle-auction-sdk/sandbox';
export * as sqlite from 'vehicle-auction-sdk/sqlite';
export * as store from 'vehicle-auction-sdk/store';
export * as testing from 'vehicle-auction-sdk/testing';
export * as webhooks from 'vehicle-auction-sdk/webhooks';
