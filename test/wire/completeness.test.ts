import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { credentials } from '../support/clients.js';
import { callersOf, isExtra } from './case.js';
import { cases } from './cases/all.js';
import { codeRows, codesOfTheText } from './codes.js';

const options = { environment: 'sandbox', baseUrl: 'https://bank.example/api/v1', credentials } as const;
const clients = {
  partner: new PartnerClient({ ...options, partnerType: 'platform', dealerId: 'D-204' }),
  bank: new BankClient(options),
};

/** Methods of ours, which are built on operations and none themselves. */
const useCases = [
  ...['place', 'placeAll', 'quote', 'standings', 'halt', 'resume'].map((method) => `bids.${method}`),
  ...[
    'documents.save',
    'documents.waitUntilReady',
    'lots.watch',
    'notifications.follow',
    'winnerUpdates.follow',
  ],
  ...['paymentReports.waitUntilVerified', 'refunds.waitUntilCompleted'],
  ...['Approved', 'OfferAnswered', 'Paid', 'Transferred'].map((end) => `saleCases.waitUntil${end}`),
];

/** `resource.method` of everything that stands on a client under the name of a resource of the API. */
function methodsOf(client: object): string[] {
  return resources.flatMap(({ name }) => {
    const resource: unknown = Reflect.get(client, name);
    return typeof resource === 'object' && resource !== null
      ? methodNames(resource)
          .map((method) => `${name}.${method}`)
          .filter((method) => !useCases.includes(method))
      : [];
  });
}

/** Also those of the classes that a resource extends. */
function methodNames(resource: object): string[] {
  const names = new Set<string>();
  for (let at = Object.getPrototypeOf(resource); at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  names.delete('constructor');
  return [...names];
}

function casesOf(caller: 'platform' | 'bank'): string[] {
  return cases.filter((one) => callersOf(one).includes(caller)).map(({ operation }) => operation);
}

function described(name: string): Operation {
  const found = resources
    .flatMap(({ operations }) => Object.values(operations))
    .find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not described`);
  return found;
}

function fieldsOf(schema: Operation['body']): string[] {
  return Object.keys(schema?.shape ?? {}).sort();
}

describe('the cases', () => {
  it('are one for every operation of the API as data, and none beside', () => {
    const operations = resources.flatMap(({ name, operations }) =>
      Object.keys(operations).map((method) => `${name}.${method}`),
    );
    expect(cases.map(({ operation }) => operation).sort()).toEqual(operations.sort());
  });

  // rule: general.5
  it('are one for every method of either client, made by that client', () => {
    expect(casesOf('platform').sort()).toEqual(methodsOf(clients.partner).sort());
    expect(casesOf('bank').sort()).toEqual(methodsOf(clients.bank).sort());
  });

  // rule: state.payment-report, limit.fixed-pages
  it.each(cases.map((one) => [one.operation, one] as const))(
    'show every field of %s, and no others',
    (name, one) => {
      const { body, query, fixedQuery = {} } = described(name);
      const calls = one.calls.filter((call) => !isExtra(call));
      const sent = calls.flatMap(({ body: text = '{}' }) => Object.keys(JSON.parse(text)));
      const asked = calls.flatMap(({ query: text }) => [...new URLSearchParams(text).keys()]);
      expect([...new Set(sent)].filter((field) => field !== '_method').sort()).toEqual(fieldsOf(body));
      expect([...new Set(asked)].sort()).toEqual([...fieldsOf(query), ...Object.keys(fixedQuery)]);
    },
  );

  // rule: convention.2, version.3
  it('pass the record in place of the id wherever a version is expected', () => {
    const versioned = cases.filter(({ calls }) => calls[0].body?.includes('"expected_version"'));
    expect(versioned.map(({ operation }) => operation)).toEqual(
      cases.map(({ operation }) => operation).filter((name) => described(name).versionFrom !== undefined),
    );
    for (const { operation, calls } of versioned) {
      const byRecord = calls.filter(({ name }) => name.startsWith('by the record'));
      expect(
        byRecord.map(({ body }) => body),
        operation,
      ).toEqual([calls[0].body]);
    }
  });
});

describe('the rows', () => {
  it('cover every code of the text, and each of them reaches a method', () => {
    const first = new Set(codeRows.map(({ codes }) => codes?.[0]));
    expect(codesOfTheText.filter((code) => !first.has(code))).toEqual([]);
    expect(new Set(codesOfTheText).size).toBe(32);
    for (const { name, reaches } of codeRows) expect(cases.filter(reaches), name).not.toEqual([]);
  });

  it('cover every status of the text, and both of the codes that have two', () => {
    const statuses = new Set(codeRows.map(({ status }) => status));
    for (const status of [401, 402, 403, 404, 409, 422, 429, 500]) expect(statuses).toContain(status);
    const statusesOf = (code: string) =>
      [...new Set(codeRows.filter(({ codes }) => codes?.[0] === code).map(({ status }) => status))].sort();
    expect(statusesOf('API_CLIENT_NOT_ACTIVE')).toEqual([401, 403]);
    expect(statusesOf('BANK_UNAVAILABLE')).toEqual([402, 403]);
  });

  it('have names of their own', () => {
    const names = codeRows.map(({ name }) => name);
    expect([...new Set(names)]).toEqual(names);
  });

  it('reach what they say and no further', () => {
    const reached = (name: string) =>
      cases
        .filter((one) => codeRows.find((row) => row.name === name)?.reaches(one))
        .map(({ operation }) => operation);
    expect(reached('401 INVALID_SIGNATURE')).toHaveLength(cases.length);
    expect(reached('422 BID_BELOW_MINIMUM, recorded')).toEqual(['bids.submit']);
    expect(reached('409 inventory, as a message')).toEqual(['inventory.updateVehicle']);
    expect(reached('409 IDEMPOTENCY_CONFLICT')).toEqual(
      cases.filter(({ effect }) => effect !== 'read').map(({ operation }) => operation),
    );
    expect(reached('404 NOT_FOUND')).toContain('events.get');
    expect(reached('404 NOT_FOUND')).not.toContain('events.list');
    expect(reached('422 validation errors')).not.toContain('integration.profile');
  });
});
