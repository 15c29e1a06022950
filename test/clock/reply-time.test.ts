import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheMark, statedTimeOf as read, type TimedReply } from '../../src/clock/reply-time.js';

fc.configureGlobal({ seed: 20260303, numRuns: 300 });

const at = Date.UTC(2026, 2, 2, 6, 0, 5);
const date = 'Mon, 02 Mar 2026 06:00:05 GMT';

function statedTimeOf({ date: sent, ...reply }: Partial<TimedReply> & { readonly date?: string }) {
  return read({ headers: sent === undefined ? {} : { date: sent }, ...reply }, at);
}

describe('server time in a reply', () => {
  it.each([
    ['2026-03-02T06:00:05Z', at],
    ['2026-03-02T06:00:05+00:00', at],
    ['2026-03-02T11:30:05+05:30', at],
    ['2026-03-02T11:30:05+0530', at],
    ['2026-03-01T22:00:05-08:00', at],
    ['2026-03-02T06:00:05.250Z', at + 250],
    ['2026-03-02T06:00:05.250999+00:00', at + 250],
    ['2026-03-02T06:00Z', at - 5_000],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('is the JSON time %s', (timestamp, ms) => {
    expect(statedTimeOf({ timestamp })?.serverMs).toBe(ms);
    expect(statedTimeOf({ timestamp, date: 'Sun, 06 Nov 1994 08:49:37 GMT' })?.serverMs).toBe(ms);
  });

  it.each([
    ['without a zone', '2026-03-02T06:00:05'],
    ['with a blank for the T', '2026-03-02 06:00:05Z'],
    ['a day alone', '2026-03-02'],
    ['the 30th of February', '2026-02-30T06:00:05Z'],
    ['the 29th of February of a common year', '2026-02-29T06:00:05Z'],
    ['the 13th month', '2026-13-01T06:00:05Z'],
    ['the 25th hour', '2026-03-02T25:00:05Z'],
    ['an impossible offset', '2026-03-02T06:00:05+25:00'],
    ['an impossible offset without a colon', '2026-03-02T06:00:05+2500'],
    ['words before it', 'at 2026-03-02T06:00:05Z'],
    ['a line after it', '2026-03-02T06:00:05Z\n'],
    ['an HTTP date', date],
    ['nothing', ''],
    ['Unix seconds', 1_772_431_205],
    ['digits', '1772431205'],
    ['null', null],
    ['undefined', undefined],
    ['an object', { toString: () => '2026-03-02T06:00:05Z' }],
    ['a list', ['2026-03-02T06:00:05Z']],
  ])('is not the JSON value: %s', (_, timestamp) => {
    expect(statedTimeOf({ timestamp })).toBeUndefined();
    expect(statedTimeOf({ timestamp, date })?.serverMs).toBe(at);
  });

  it.each([
    [date, at],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777_000],
    ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777_000],
    ['Sun Nov  6 08:49:37 1994', 784_111_777_000],
  ])('is the header %s', (header, ms) => {
    expect(statedTimeOf({ date: header })?.serverMs).toBe(ms);
  });

  it.each([
    'Sun, 6 Nov 1994 08:49:37 GMT',
    ...['Sun, 06 Nov 1994 08:49:37 UTC', 'Sun, 06 Nov 1994 08:49:37 +0000', 'Sun, 06 Nov 1994 08:49:37'],
    ...['sun, 06 nov 1994 08:49:37 gmt', 'Mon, 06 Nov 1994 08:49:37 GMT', 'Mon, 30 Feb 2026 08:49:37 GMT'],
    ...['Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 Nov 1994 08:49:60 GMT', ' Sun, 06 Nov 1994 08:49:37 GMT'],
    ...['1994-11-06T08:49:37Z', 'Invalid Date', '0', ''],
  ])('is not the header "%s"', (header) => {
    expect(statedTimeOf({ date: header })).toBeUndefined();
  });

  it.each([
    ['2026-03-02T06:00:05.250Z', 1],
    ['2026-03-02T06:00:05.2+00:00', 1],
    ['2026-03-02T06:00:05Z', 1_000],
    ['2026-03-02T06:00Z', 60_000],
  ])('of %s is told with how coarse it is', (timestamp, resolutionMs) => {
    expect(statedTimeOf({ timestamp })?.resolutionMs).toBe(resolutionMs);
    expect(statedTimeOf({ date })?.resolutionMs).toBe(1_000);
  });

  it('is unknown where a reply states none', () => {
    expect(statedTimeOf({})).toBeUndefined();
  });

  it('is read back from both forms, whatever the moment', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_799 }), (seconds) => {
        const moment = new Date(seconds * 1000);
        expect(statedTimeOf({ timestamp: moment.toISOString() })?.serverMs).toBe(seconds * 1000);
        expect(statedTimeOf({ date: moment.toUTCString() })?.serverMs).toBe(seconds * 1000);
      }),
    );
  });

  it('takes any value for what it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (timestamp, header) => {
        const found = read({ timestamp, headers: { date: header } }, at);
        expect(found === undefined || Number.isFinite(found.serverMs)).toBe(true);
      }),
    );
  });
});

describe('a reply of a cache', () => {
  it.each<[header: string, value: string | string[]]>([
    // Age: any but zero, and any that can not be read.
    ['age', '1'],
    ['age', '240'],
    ['age', '7200.0'],
    ['age', '-7200'],
    ['age', 'abc'],
    ['age', ''],
    ['age', '0, 7200'],
    ['age', ['0', '7200']],
    ['age', '7200;foo=111'],
    ['x-cache', 'HIT'],
    ['x-cache', 'Hit from cloudfront'],
    ['x-cache', 'RefreshHit from cloudfront'],
    ['x-cache', 'MISS, HIT'],
    ['x-cache', ['MISS from one.example', 'HIT from two.example']],
    ['x-cache', 'TCP_MEM_HIT from a1.example (AkamaiGHost)'],
    ['x-cache', 'TCP_REFRESH_FAIL_HIT'],
    ['x-cache-status', 'STALE'],
    ['x-cache-status', 'UPDATING'],
    ['x-proxy-cache', 'REVALIDATED'],
    ['cf-cache-status', 'HIT'],
    ['x-vercel-cache', 'STALE'],
    ['x-litespeed-cache', 'hit,private'],
    ['x-cache-hits', '0, 3'],
    ['x-varnish', '32770 3'],
    ['x-varnish', ['98312', '98313 32771']],
    ['x-rack-cache', 'fresh'],
    ['cache-status', 'ExampleCache; hit'],
    ['cache-status', '"a; cache"; hit=?1; ttl=30'],
    ['cache-status', 'Origin; fwd=miss, "CDN Company"; hit;ttl=1'],
    ['cache-status', 'Proxy; fwd=stale; fwd-status=304; stored'],
    ['warning', '110 anderson/1.3.37 "Response is stale"'],
    ['warning', '199 a "b", 112 - "Disconnected"'],
  ])('is known by %s: %s', (header, value) => {
    expect(cacheMark({ date, [header]: value })).toBe(`${header}: ${[value].flat().join(', ')}`);
  });

  it.each<[header: string, value: string | string[]]>([
    ['age', '0'],
    ['age', ' 00 '],
    ['age', ['0', '0']],
    ['x-cache', 'MISS from hit.example'],
    ['x-cache', 'Miss from cloudfront'],
    ['x-cache', 'Error from cloudfront'],
    ['x-cache', 'MISS from white-hits.example'],
    ['x-cache', 'TCP_REFRESH_MISS'],
    ['x-cache-lookup', 'HIT from proxy.example:3128'],
    ['x-cache-status', 'EXPIRED'],
    ['x-cache-key', '/hits/stale'],
    ['cf-cache-status', 'DYNAMIC'],
    ['cf-cache-status', 'BYPASS'],
    ['x-cache-hits', '0, 0'],
    ['x-varnish', '32770'],
    ['x-rack-cache', 'miss, store'],
    ['cache-status', 'hit; fwd=miss; stored'],
    ['cache-status', 'A; hit=?0'],
    ['cache-status', 'A; key="; hit"'],
    ['cache-control', 'stale-if-error=60, stale-while-revalidate=30'],
    ['cdn-cache-control', 'stale-if-error=60'],
    ['warning', '199 a "b"'],
    ['via', '1.1 cache.example'],
    ['etag', '"hit"'],
  ])('is not taken for one by %s: %s', (header, value) => {
    expect(cacheMark({ date, [header]: value })).toBeUndefined();
  });

  it('with an age of 0 may have been kept for just under a second', () => {
    expect(read({ timestamp: '2026-03-02T06:00:05.250Z', headers: { age: '0' } }, at)).toEqual({
      serverMs: at + 250,
      resolutionMs: 1_001,
      source: 'body',
    });
  });

  it('shows the beginning of a header that has no end', () => {
    expect(cacheMark({ age: '9'.repeat(10_000) })).toHaveLength('age: '.length + 100);
  });
});
