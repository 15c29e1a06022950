import { describe, it } from 'vitest';
import { storeConformance } from '../../src/testing/index.js';
import { memoryStorage, postgresStorage, sqliteStorage } from './kit.js';

describe('the memory store', () => {
  for (const { name, run } of storeConformance(memoryStorage)) it(name, run);
});

describe('the SQLite store', () => {
  for (const { name, run } of storeConformance(sqliteStorage, { shared: true })) it(name, run);
});

describe('the Postgres store', () => {
  for (const { name, run } of storeConformance(postgresStorage, { shared: true })) it(name, run);
});
