import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statedTimeOf } from '../../src/clock/clock.js';

fc.configureGlobal({ seed: 20260303, numRuns: 300 });

const at = Date.UTC(2026, 2, 2, 6, 0, 5);
const date = 'Mon, 02 Mar 2026 06:00:05 GMT';

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
  ])('is the header %s', (header, ms) => {
    expect(statedTimeOf({ date: header })?.serverMs).toBe(ms);
  });

  it.each([
    ...['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'Sun, 6 Nov 1994 08:49:37 GMT'],
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
  ])('of %s is told with how coarse it is', (timestamp, resolutionMs) => {
    expect(statedTimeOf({ timestamp })?.resolutionMs).toBe(resolutionMs);
    expect(statedTimeOf({ date })?.resolutionMs).toBe(1_000);
  });

  it('is unknown where a reply states none', () => {
    expect(statedTimeOf({})).toBeUndefined();
    expect(statedTimeOf({ date: undefined })).toBeUndefined();
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
        const found = statedTimeOf({ timestamp, date: header });
        expect(found === undefined || Number.isFinite(found.serverMs)).toBe(true);
      }),
    );
  });
});
