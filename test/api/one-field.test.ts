import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/api/operation.js';
import { understand } from '../../src/core/reply/reply.js';
import { routes } from '../../src/generated/routes.js';
import { sample, withOneChanged } from '../support/one-field.js';

// Every reply of the API with one field null, left out, or of another plausible type.

const read = (route: Route, json: unknown) => {
  const reply = { status: route.success[0] ?? 200, headers: {}, json };
  return understand(route, { reply }, 0, false);
};

const described = routes.flatMap((route) =>
  route.reply === undefined ? [] : [[route.name, route, route.reply] as const],
);

describe('One field of a reply that is null, left out, or of another type', () => {
  let cases = 0;

  it.each(described)('of %s is read, or is a defect of its record', (_, route, schema) => {
    const whole = sample(schema);
    if (route.effect === 'bid') Reflect.set(Object(Reflect.get(Object(whole), 'data')), 'status', 'accepted');
    for (const [at, json] of withOneChanged(whole)) {
      cases += 1;
      const { payload, unexpected } = read(route, json);
      expect(payload === undefined, at).toBe(unexpected !== undefined);
      if (unexpected !== undefined)
        expect(['shape', 'contradiction', 'not_json'], at).toContain(unexpected.reason);
      if (route.envelope.endsWith('page') && /^(?:data\.)?(?:current_page|last_page) /.test(at))
        expect(payload, at).toBeDefined();
      // The other record of a list survives whatever is wrong with the first.
      const isInFirst = /^data\.(?:items\.)?0\b/.test(at);
      if (isInFirst && route.effect === 'read') {
        const { data }: { data?: unknown } = Object(payload?.value ?? {});
        const items = Array.isArray(payload?.value)
          ? payload?.value
          : Array.isArray(data)
            ? data
            : Object(data).items;
        expect(items?.length, at).toBeGreaterThanOrEqual(1);
        expect(items.length + (payload?.skipped?.length ?? 0), at).toBeGreaterThanOrEqual(
          at.endsWith('0 Symbol(left out)') ? 1 : 2,
        );
      }
      if (route.effect === 'bid' && payload !== undefined)
        expect(payload.value, at).toMatchObject({ status: 'accepted' });
    }
  });

  it('was tried in many cases', () => {
    expect(cases).toBeGreaterThan(1_600);
  });
});
