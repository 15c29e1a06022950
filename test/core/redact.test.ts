import { expect, it } from 'vitest';
import { leaksOf } from '../../src/core/redact.js';

it('a secret is found in a text, and in what it is usually turned into', () => {
  const leaks = leaksOf('s3cr/t');
  for (const text of ['is s3cr/t here', 'is czNjci90 here', 'is 733363722F74 here', 'is s3cr%2Ft here']) {
    expect([text, leaks(text)]).toEqual([text, true]);
  }
  expect(leaks('getaddrinfo ENOTFOUND test.bank.example')).toBe(false);
});

it('a placeholder of a few letters hides nothing of what went wrong', () => {
  expect(leaksOf('test')('getaddrinfo ENOTFOUND test.bank.example')).toBe(false);
  expect(leaksOf('x')('connect ECONNREFUSED, next')).toBe(false);
  expect(leaksOf('tests')('the tests')).toBe(true);
});
