import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { documents } from '../../src/api/documents.js';
import { resources } from '../../src/api/service.js';
import { Router } from '../../src/sandbox/http/router.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';

const router = new Router(resources);

/** Which reply the operation that is found has, and what is left of the query. */
function found(query: string, path = '/api/v1/documents/doc_1') {
  const match = router.match('GET', path, query);
  return match && [match.operation.id, match.operation.envelope, match.query];
}

describe('A73: one address, two operations', () => {
  test('without a query: the metadata', () => {
    expect(found('')).toEqual(['A73', 'read', '']);
    expect(router.match('GET', '/api/v1/documents/doc_1', '')?.params).toEqual(
      new Map([['document', 'doc_1']]),
    );
  });

  test.each([
    ['download=1', ''],
    ['%64ownload=%31', ''],
    ['a=2&download=1', 'a=2'],
    ['download=1&a=%20&a=', 'a=%20&a='],
    ['downloads=1&download=1', 'downloads=1'],
  ])('%s: the bytes, with "%s" left to check', (query, left) => {
    expect(found(query)).toEqual(['A73', 'binary', left]);
    expect(router.match('GET', '/api/v1/documents/doc_1', query)?.params.get('document')).toBe('doc_1');
  });

  test.each([
    'download=0',
    'download=',
    'download',
    'download=01',
    'download=1%20',
    'download=true',
    'Download=1',
    'download=1&download=1',
    'download=1&download=0',
    'download=0&download=1',
    'download%5B%5D=1',
  ])('%s: not the bytes, and the whole query left to check', (query) => {
    expect(found(query)).toEqual(['A73', 'read', query]);
  });

  test('elsewhere the query picks nothing and stays whole', () => {
    const path = '/api/v1/lots';
    expect(found('page=2&download=1', path)).toEqual(['lots.list', 'page', 'page=2&download=1']);
    expect(found('download=1', '/api/v1/documents')).toBeUndefined();
    expect(router.match('POST', '/api/v1/documents/doc_1', 'download=1')).toBeUndefined();
  });
});

test('of two fixed parameters each must be met, once; the operation with more of them wins', () => {
  const { get, download } = documents.operations;
  const both = { ...download, fixedQuery: { download: '1', inline: '1' } };
  const two = new Router([{ ...documents, operations: { get, download, both } }]);
  const picked = (query: string) => two.match('GET', '/api/v1/documents/doc_1', query);
  expect(picked('download=1&inline=1')).toMatchObject({ operation: both, query: '' });
  expect(picked('inline=1&x=2&download=1')).toMatchObject({ operation: both, query: 'x=2' });
  expect(picked('download=1')).toMatchObject({ operation: download, query: '' });
  expect(picked('download=1&inline=0')).toMatchObject({ operation: download, query: 'inline=0' });
  expect(picked('download=1&download=1')).toMatchObject({ operation: get });
  expect(picked('inline=1&inline=1')).toMatchObject({ operation: get });
});

describe('over the service', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  });
  afterEach(() => sandbox.close());

  test('a fixed parameter is signed like any other', async () => {
    const { dealer } = sandbox.credentials;
    const reply = await get(sandbox, dealer, '/api/v1/documents/doc_none', 'download=1');
    expect(reply.status).toBe(404);
    expect(sandbox.attempts().at(-1)).toMatchObject({ operation: 'A73', code: null });
  });
});
