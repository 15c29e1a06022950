import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpDateMs, retryAfterMs, zonedTimeMs } from '../../src/clock/reply-time.js';

fc.configureGlobal({ seed: 20260305, numRuns: 1_000 });

const now = Date.UTC(2026, 2, 2, 6);

it('runs in the time zone of its project', () => {
  const offsets: Readonly<Record<string, number>> = { 'Asia/Kolkata': -330, 'America/New_York': 300 };
  const { TZ: zone = '' } = process.env;
  const offset = new Date(now).getTimezoneOffset();
  expect(offset).toBe(offsets[zone] ?? offset);
});

describe('an HTTP date', () => {
  it.each([
    ['Mon, 03 Jun 2019 11:30:12 GMT', Date.UTC(2019, 5, 3, 11, 30, 12)],
    ['Monday, 03-Jun-19 11:30:12 GMT', Date.UTC(2019, 5, 3, 11, 30, 12)],
    ['Mon Jun  3 11:30:12 2019', Date.UTC(2019, 5, 3, 11, 30, 12)],
    ['Thu Jun 13 11:30:12 2019', Date.UTC(2019, 5, 13, 11, 30, 12)],
    ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59)],
    ['Sat Jan  1 00:00:00 0000', -62_167_219_200_000],
    // The clocks of New York skip this hour.
    ['Sun Mar  8 02:30:00 2026', Date.UTC(2026, 2, 8, 2, 30)],
  ])('is read as UTC: %s', (text, ms) => {
    expect(httpDateMs(text, now)).toBe(ms);
  });

  it.each([
    // The first of March 2076 is a Sunday, and that of 1976 was a Monday.
    ['Sunday, 01-Mar-76 00:00:00 GMT', '2026-03-01', 2076],
    ['Sunday, 01-Mar-76 00:00:00 GMT', '2026-02-28', undefined],
    ['Monday, 01-Mar-76 00:00:00 GMT', '2026-03-01', undefined],
    ['Monday, 01-Mar-76 00:00:00 GMT', '2026-02-28', 1976],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '2026-03-02', 1994],
    ['Friday, 06-Nov-26 08:49:37 GMT', '2026-03-02', 2026],
    ['Saturday, 02-Jan-99 00:00:00 GMT', '2000-01-01', 1999],
    ['Friday, 02-Jan-04 00:00:00 GMT', '1999-06-01', 2004],
    ['Friday, 01-Jan-49 00:00:00 GMT', '1999-06-01', 2049],
    ['Saturday, 01-Jan-50 00:00:00 GMT', '1999-06-01', undefined],
  ])('of two-digit year, %s, at %s is of the year %s', (text, day, year) => {
    const ms = httpDateMs(text, Date.parse(`${day}T00:00:00Z`));
    expect(ms === undefined ? undefined : new Date(ms).getUTCFullYear()).toBe(year);
  });

  it.each([
    // Spellings of other protocols, and of no protocol.
    ...['2019-06-03T11:30:12Z', '2019-06-03', '3 Jun 2019 11:30:12 GMT', 'Mon, 3 Jun 2019 11:30:12 GMT'],
    ...['Mon, 03 June 2019 11:30:12 GMT', 'Mon, 03-Jun-2019 11:30:12 GMT', 'Mon, 03-Jun-19 11:30:12 GMT'],
    ...['Monday, 03-Jun-2019 11:30:12 GMT', 'Monday, 03 Jun 19 11:30:12 GMT', 'Mon Jun 3 11:30:12 2019'],
    ...[
      'Mon Jun 03 11:30:12 2019 GMT',
      'Mon Jun  3 11:30:12 19',
      '32-Dec-24',
      '01-Jan-70',
      'June',
      '1.5',
      '-7',
    ],
    ...['mon, 03 jun 2019 11:30:12 gmt', 'Mon,  03 Jun 2019 11:30:12 GMT', 'Mon, 03 Jun 2019 11:30 GMT'],
    // Other zones.
    ...['UTC', 'Z', '+0000', '-0500', 'EST', 'IST', '(GMT)', ''].map(
      (zone) => `Mon, 03 Jun 2019 11:30:12 ${zone}`,
    ),
    // Days and times that do not exist, and weekdays that are not the day's.
    ...['Mon, 30 Feb 2026 11:30:12 GMT', 'Sun, 29 Feb 2026 11:30:12 GMT', 'Mon, 00 Jun 2019 11:30:12 GMT'],
    ...['Mon, 31 Jun 2019 11:30:12 GMT', 'Mon, 03 Jun 2019 24:00:00 GMT', 'Mon, 03 Jun 2019 11:60:12 GMT'],
    ...['Mon, 03 Jun 2019 11:30:60 GMT', 'Mon, 03 Jun 2019 11:30:61 GMT', 'Tue, 03 Jun 2019 11:30:12 GMT'],
    ...['Tuesday, 03-Jun-19 11:30:12 GMT', 'Tue Jun  3 11:30:12 2019', 'Wednesday, 32-Dec-24 00:00:00 GMT'],
    ...['', ' ', 'soon', 'NaN', 'Infinity', '9'.repeat(400), 'Mon, 03 Jun 2019 11:30:12 GMT\n'],
  ])('is not %j', (text) => {
    expect(httpDateMs(text, now)).toBeUndefined();
  });

  it('is read back in all three forms, whatever the moment and the zone of this machine', () => {
    const day = (date: Date) => date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    const property = fc.property(fc.integer({ min: 0, max: 3_000_000_000 }), (seconds) => {
      const date = new Date(seconds * 1_000);
      const [weekday, dd, month, year, time] = date.toUTCString().replace(',', '').split(' ');
      const forms = [
        date.toUTCString(),
        `${day(date)}, ${dd}-${month}-${year?.slice(2)} ${time} GMT`,
        `${weekday} ${month} ${dd?.replace(/^0/, ' ')} ${time} ${year}`,
      ];
      expect(forms.map((form) => httpDateMs(form, date.getTime()))).toEqual(Array(3).fill(seconds * 1_000));
    });
    fc.assert(property);
  });
});

describe('a Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 007 ', 7_000],
    ['2147483648', 2_147_483_648_000],
    ['Mon, 02 Mar 2026 06:00:07 GMT', 7_000],
    ['Monday, 02-Mar-26 06:00:07 GMT', 7_000],
    ['Mon Mar  2 06:00:07 2026', 7_000],
    ['Mon, 02 Mar 2026 05:59:00 GMT', 0],
  ])('of %j asks to wait %i ms', (text, ms) => {
    expect(retryAfterMs(text, now)).toBe(ms);
  });

  it.each([
    ...[undefined, '', '7.5', '7 s', '+7', '-7', '0x7', '1e3', '7, 8', '2147483649', '9'.repeat(400)],
    ...[
      '32-Dec-24',
      'soon',
      '2026-03-02T06:00:07Z',
      'Mon, 02 Mar 2026 06:00:07',
      'Tue, 02 Mar 2026 06:00:07 GMT',
    ],
  ])('of %j is ignored', (text) => {
    expect(retryAfterMs(text, now)).toBeUndefined();
  });

  it('is a finite wait or none, whatever is written there', () => {
    const written = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[A-Z][a-z]{2}[ ,]*\d{1,2}[- ][A-Z][a-z]{2}[- \d:]*$/),
    );
    fc.assert(fc.property(written, (text) => Number.isFinite(retryAfterMs(text, now) ?? 0)));
  });
});

describe('an ISO 8601 time', () => {
  it.each([
    ['2026-03-02T11:30:05+05:30', Date.UTC(2026, 2, 2, 6, 0, 5)],
    ['2026-03-02T11:30:05+0530', Date.UTC(2026, 2, 2, 6, 0, 5)],
    ['2026-03-02T06:00:05.25Z', Date.UTC(2026, 2, 2, 6, 0, 5, 250)],
  ])('with a zone is read: %s', (text, ms) => {
    expect(zonedTimeMs(text)).toBe(ms);
  });

  it.each([
    '2026-03-02T06:00:05',
    '2026-03-02 06:00:05',
    '2026-03-02',
    '2026-02-30T06:00:05Z',
    1_772_431_205,
    null,
  ])('is not %j, which names no moment', (text) => {
    expect(zonedTimeMs(text)).toBeUndefined();
  });
});
