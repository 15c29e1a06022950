import { describe, expect, it } from 'vitest';
import { failureOf } from '../../src/postgres/failure.js';

/** How a failure of the database is told, without a database. */

const connecting = (code: string, more: object) =>
  Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect', ...more });
const refusedAt = (address: string) => connecting('ECONNREFUSED', { address, port: 5432 });

describe('a database that nobody could connect to', () => {
  it('is told with the address that was tried', () => {
    expect(failureOf(refusedAt('10.0.0.7')).message).toBe('Postgres failed: ECONNREFUSED at 10.0.0.7:5432.');
  });

  it('is told with each address of its name', () => {
    const both = Object.assign(new AggregateError([refusedAt('::1'), refusedAt('127.0.0.1')]), {
      code: 'ECONNREFUSED',
    });
    const failure = failureOf(both);
    expect(failure.message).toBe('Postgres failed: ECONNREFUSED at [::1]:5432 and 127.0.0.1:5432.');
    expect(failure.nextStep).toContain('nothing was written');
  });

  it.each([
    ['a name', refusedAt('pa55w0rd.internal')],
    ['a path', connecting('ENOENT', { address: '/pa55w0rd/.s.PGSQL.5432' })],
    ['what was looked up', connecting('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'pa55w0rd' })],
  ])('is told without %s, which can be a part of a password', (_, thrown) => {
    const failure = failureOf(thrown);
    expect(`${failure.message} ${failure.nextStep} ${String(failure.cause)}`).not.toContain('pa55w0rd');
  });

  it.each([
    refusedAt('10.0.0.7'),
    connecting('ENOTFOUND', { syscall: 'getaddrinfo' }),
    new Error('timeout exceeded when trying to connect'),
  ])('has nothing of what was to be written: %s', (thrown) => {
    expect(failureOf(thrown).nextStep).toBe(
      'See that the database runs and can be reached. There was no connection, so nothing was written.',
    );
  });
});

describe('a database that is lost on the way', () => {
  it.each([
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    new AggregateError([]),
  ])('may or may not have what was being written: %s', (thrown) => {
    expect(failureOf(thrown).nextStep).toContain('may or may not be there');
  });
});
