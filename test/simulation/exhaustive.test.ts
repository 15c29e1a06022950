import { describe, expect, it } from 'vitest';
import { exhaust, scopes } from './exhaustive.js';
import { Enumeration } from './world/choices.js';

describe('a small scope, exhaustively', () => {
  it.each(scopes.map((scope) => [scope.name, scope] as const))(
    '%s: every run with few deviations is clean',
    async (_, scope) => {
      const { runs, wrong } = await exhaust(scope, scope.deviations.short);
      expect(wrong).toBeUndefined();
      expect(runs).toBeGreaterThan(10);
    },
  );
});

describe('an enumeration', () => {
  it('makes every sequence once, also where one choice opens others', () => {
    expect(sequences(3)).toEqual(['00', '01', '100', '101', '110', '111', '20', '21']);
  });

  it('leaves the uneventful way no more often than it may, and decides nothing else', () => {
    expect(sequences(1)).toEqual(['00', '01', '100', '20']);
    expect(sequences(0)).toEqual(['00']);
  });

  it('says so when a run is not the same twice', () => {
    const enumeration = new Enumeration(['a', 'b'], 1);
    const first = enumeration.next();
    first?.choose('a', 2);
    if (first !== undefined) enumeration.played(first);
    expect(() => enumeration.next()?.choose('b', 2)).toThrow("isn't the same twice");
  });
});

/** What an enumeration makes of a run whose first decision opens two more, or one. */
function sequences(deviations: number): string[] {
  const enumeration = new Enumeration(['first', 'second', 'third'], deviations);
  const all: string[] = [];
  for (let choices = enumeration.next(); choices !== undefined; choices = enumeration.next()) {
    const first = choices.choose('first', 3);
    const rest = [choices.choose('second', 2), ...(first === 1 ? [choices.choose('third', 2)] : [])];
    choices.choose('unlisted', 5);
    all.push(`${first}${rest.join('')}`);
    enumeration.played(choices);
  }
  return all;
}
