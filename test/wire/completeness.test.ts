import { describe, expect, it } from 'vitest';
import { type CodeFacts, codes } from '../../src/api/codes.js';
import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { everyMethod } from '../client/every-method.js';
import { callersOf } from './case.js';
import { cases } from './cases/all.js';
import { codeRows } from './codes.js';

function casesOf(caller: 'platform' | 'bank'): string[] {
  const ofCaller = cases.filter((one) => callersOf(one).includes(caller));
  return ofCaller.map(({ operation }) => operation).sort();
}

function described(name: string): Operation {
  const found = resources
    .flatMap(({ operations }) => Object.values(operations))
    .find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not described`);
  return found;
}

const fieldsOf = (schema: Operation['body']) => Object.keys(schema?.shape ?? {}).sort();

describe('the cases', () => {
  it('are one for every operation of the API as data, and none beside', () => {
    const operations = resources.flatMap(({ name, operations }) =>
      Object.keys(operations).map((method) => `${name}.${method}`),
    );
    expect(cases.map(({ operation }) => operation).sort()).toEqual(operations.sort());
  });

  // rule: general.5
  it('are one for every method of either client, made by that client', () => {
    for (const party of ['platform', 'bank'] as const) {
      const methods = everyMethod.filter((method) => method.party === party).map(({ name }) => name);
      expect(casesOf(party)).toEqual(methods.sort());
    }
  });

  // rule: state.payment-report, limit.fixed-pages
  it.each(cases.map((one) => [one.operation, one] as const))(
    'show every field of %s, and no others',
    (name, one) => {
      const { body, query, fixedQuery = {} } = described(name);
      const calls = one.calls.filter(({ options }) => options === undefined);
      const sent = calls.flatMap((call) => Object.keys(JSON.parse(call.body ?? '{}')));
      const asked = calls.flatMap((call) => [...new URLSearchParams(call.query).keys()]);
      expect([...new Set(sent)].filter((field) => field !== '_method').sort()).toEqual(fieldsOf(body));
      expect([...new Set(asked)].sort()).toEqual([...fieldsOf(query), ...Object.keys(fixedQuery)]);
    },
  );

  // rule: convention.2, version.3
  it('pass the record in place of the id wherever a version is expected', () => {
    const byRecord = cases.filter(({ calls }) => calls.some(({ ids }) => typeof ids[0] === 'object'));
    expect(byRecord.map(({ operation }) => operation)).toEqual(
      cases.map(({ operation }) => operation).filter((name) => described(name).versionFrom !== undefined),
    );
  });
});

describe('the rows', () => {
  it('cover every documented code under each of its statuses, and each of them reaches a method', () => {
    const documented: [string, CodeFacts][] = Object.entries(codes);
    for (const [code, { statuses }] of documented) {
      const rows = codeRows.filter((row) => row.codes?.[0] === code);
      expect([code, [...new Set(rows.map(({ status }) => status))].sort()]).toEqual([code, statuses]);
    }
    expect(documented).toHaveLength(32);
    for (const { name, reaches } of codeRows) expect(cases.filter(reaches), name).not.toEqual([]);
  });
});
