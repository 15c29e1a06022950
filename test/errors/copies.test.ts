import { describe, expect, it, vi } from 'vitest';
import * as ours from '../../src/index.js';
import { verifyWebhook } from '../../src/webhooks/index.js';
import { dealer } from '../support/clients.js';

vi.resetModules();
/** A second copy of the package in this process, as its other build or a second installation is. */
const theirs = await import('../../src/index.js');

const { ApiError, ConflictError, isVehicleAuctionError, StoreError, VehicleAuctionError } = ours;
const reply = { outcome: 'refused', status: 409, codes: [], what: 'It conflicts.', nextStep: '' } as const;
const locked = new theirs.StoreError({ reason: 'locked', what: 'The store is locked.', nextStep: 'Wait.' });

type ErrorClass = abstract new (...args: never[]) => Error;

function errorClassesOf(copy: Readonly<Record<string, unknown>>): Map<string, ErrorClass> {
  const isErrorClass = (entry: [string, unknown]): entry is [string, ErrorClass] =>
    typeof entry[1] === 'function' && entry[1].prototype instanceof Error;
  return new Map(Object.entries<unknown>(copy).filter(isErrorClass));
}

describe('Errors of two copies of the package', () => {
  it('have two classes of each name, and instanceof recognises an instance of either', () => {
    const classes = errorClassesOf(ours);
    expect(classes.size).toBeGreaterThan(20);
    for (const [name, their] of errorClassesOf(theirs)) {
      const own = classes.get(name);
      expect(own, name).not.toBe(their);
      const instance: unknown = Object.create(their.prototype);
      for (const [otherName, other] of classes) {
        const isAncestor =
          Object.prototype.isPrototypeOf.call(other.prototype, own?.prototype ?? {}) || other === own;
        expect(instance instanceof other, `an instance of ${name} is one of ${otherName}`).toBe(isAncestor);
      }
    }
  });

  it('are recognised by isVehicleAuctionError, by the name of their class or of one that it extends', () => {
    const error: unknown = new theirs.VersionConflictError(reply);
    expect(isVehicleAuctionError(error)).toBe(true);
    if (isVehicleAuctionError(error, 'ApiError')) expect(error.status).toBe(409);
    const names = ['VersionConflictError', 'ConflictError', 'ApiError', 'VehicleAuctionError'] as const;
    expect(names.map((name) => isVehicleAuctionError(error, name))).toEqual([true, true, true, true]);
    expect(isVehicleAuctionError(error, 'IdempotencyConflictError')).toBe(false);
    for (const other of [
      undefined,
      null,
      'ApiError',
      {},
      new Error('x'),
      { name: 'ApiError' },
      Object.create(null),
    ]) {
      expect(isVehicleAuctionError(other), String(Object(other).name)).toBe(false);
    }
  });

  it('isVehicleAuctionError knows every exported class', () => {
    const names = [...errorClassesOf(ours).keys()].filter((name) => name !== 'TransportFailure');
    for (const name of names) {
      const instance: unknown = Object.create(Reflect.get(theirs, name).prototype);
      expect(isVehicleAuctionError(instance, name as keyof ours.VehicleAuctionErrors), name).toBe(true);
    }
  });

  it('keep subclasses of a user apart, and recognise their instances as errors of the package', () => {
    class Stale extends ConflictError {}
    class OtherStale extends theirs.ConflictError {}
    const stale = new Stale(reply);
    expect(stale instanceof Stale).toBe(true);
    expect(stale instanceof theirs.ConflictError).toBe(true);
    expect(stale instanceof OtherStale).toBe(false);
    expect(new ConflictError(reply) instanceof Stale).toBe(false);
    expect(new theirs.ConflictError(reply) instanceof Stale).toBe(false);
    expect(isVehicleAuctionError(stale, 'ConflictError')).toBe(true);
    expect(new OtherStale(reply) instanceof ApiError).toBe(true);
  });
});

describe('A store of another copy', () => {
  const store = { ...ours.memoryStore(), transaction: () => Promise.reject(locked) };

  it('that is locked is reported as a StoreError with its reason, and nothing is sent', async () => {
    const { client, transport } = dealer([], { store });
    const failure: unknown = await client.bids
      .submit('lot_1', { amount: '1' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'StoreError', reason: 'locked', outcome: 'not_sent' });
    expect(failure).toBeInstanceOf(StoreError);
    expect(transport.sent).toEqual([]);
  });
});

it('A webhook that another copy refuses is a VehicleAuctionError of this one', () => {
  expect(() => verifyWebhook('{}', {}, { secrets: 's' })).toThrow(VehicleAuctionError);
  expect(() => verifyWebhook('{}', {}, { secrets: 's' })).toThrow(theirs.WebhookVerificationError);
});
