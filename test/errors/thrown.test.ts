import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isError, thrownCode, thrownMessage } from '../../src/errors/thrown.js';
import { faultOf as postgresFaultOf } from '../../src/postgres/faults.js';
import { faultOf as sqliteFaultOf } from '../../src/sqlite/faults.js';

const foreign: unknown = runInNewContext(
  "Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY', errcode: 5, severity: 'FATAL' })",
);

describe('An error of another realm, as Node throws it in a test of Jest', () => {
  it('is an error with its message and code', () => {
    expect(foreign instanceof Error).toBe(false);
    expect([isError(foreign), thrownMessage(foreign), thrownCode(foreign)]).toEqual([
      true,
      'database is locked',
      'SQLITE_BUSY',
    ]);
  });

  it('is understood by the drivers of both databases', () => {
    expect(sqliteFaultOf('the store', foreign)).toMatchObject({ reason: 'locked' });
    expect(String(postgresFaultOf(foreign, 'Postgres'))).toContain('failed: SQLITE_BUSY.');
  });
});

it('A value that is no error is shown as its text, and has no code', () => {
  expect(['x', 5, undefined].map((thrown) => thrownMessage(thrown))).toEqual(['x', '5', 'undefined']);
  expect([isError({ message: 'x' }), thrownCode({ code: 'x' })]).toEqual([false, undefined]);
});
