const sdk = require('vehicle-auction-sdk');
const sandbox = require('vehicle-auction-sdk/sandbox');
const sqlite = require('vehicle-auction-sdk/sqlite');
const { live } = require('./live.cjs');

live({ sdk, sandbox, sqlite });
