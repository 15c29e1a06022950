import { describe, expect, it } from 'vitest';
import { html, iso, messageOnly, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { accepted, record, stored } from './desk.js';

/** The version of a record as the lookup of a command that was refused without a code: A23, which expects version 3. */

const OTHER_KEY = '5e0f6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
const SIX_MINUTES = 362_000;

function sale(
  version: number,
  data: object = { acknowledged_at: null },
  headers?: Record<string, string>,
): Step {
  return saleAt(NOW, version, data, headers);
}

/** The sale as it is read at a server time, Unix ms. */
function saleAt(now: number, version: number, data: object = {}, headers?: Record<string, string>): Step {
  const read = { id: 'sal_1', kind: 'sale', state: 's', resource_version: version, data };
  const times = { created_at: iso(NOW), updated_at: iso(NOW) };
  const json = { data: { ...read, ...times }, server_time: iso(now) };
  return { status: 200, json, ...(headers && { headers }) };
}

const forbidden = [html(403), html(403)];
const missing = [messageOnly(404), messageOnly(404)];
const twice = { maxAttempts: 2 };

describe('what reading the record makes of a command that was refused without a code', () => {
  it.each<[what: string, steps: readonly Step[], outcome: string, provisional: boolean | undefined]>([
    ['still has the version: refused for now', [...forbidden, sale(3)], 'refused', true],
    ['has moved, and does not show it after a 403: unknown', [...forbidden, sale(4)], 'unknown', undefined],
    ['has moved, and does not show it after a 404: refused', [...missing, sale(4)], 'refused', undefined],
    [
      'has moved, and shows it after a 404: unknown',
      [...missing, sale(4, { acknowledged_at: '2026-03-02T06:00:00Z' })],
      'unknown',
      undefined,
    ],
    [
      'has moved twice, so that its effect may be hidden: unknown',
      [...missing, sale(5)],
      'unknown',
      undefined,
    ],
    ['has an older version, which is a late copy: unknown', [...forbidden, sale(2)], 'unknown', undefined],
    ['comes from a cache: unknown', [...forbidden, sale(3, {}, { age: '240' })], 'unknown', undefined],
    [
      'does not exist, as the command was told twice: refused',
      [...missing, messageOnly(404)],
      'refused',
      undefined,
    ],
    ['does not exist after a 403: unknown', [...forbidden, messageOnly(404)], 'unknown', undefined],
    ['can not be read: unknown', [...missing, html(403)], 'unknown', undefined],
  ])('it %s', async (_, steps, outcome, provisional) => {
    const { result, transport } = await accepted(new Scene(), steps, twice);
    expect(result).toMatchObject({ outcome, attempts: 2 });
    expect(Reflect.get(Object(result), 'provisional')).toBe(provisional);
    expect(transport.lines.at(-1)).toBe('GET /sale-cases/sal_1');
  });

  it('where it was sent once only, one refusal and the version are enough', async () => {
    const { result } = await accepted(new Scene(), [messageOnly(413), sale(3)], { maxAttempts: 3 });
    expect(result).toMatchObject({ outcome: 'refused', provisional: true, attempts: 1 });
  });

  it('a refusal that names the version twice is a conflict, and nothing is read', async () => {
    const stale: Step = { status: 412, json: { message: 'The version is outdated.' } };
    const { result, transport } = await accepted(new Scene(), [stale, stale], twice);
    expect(result).toMatchObject({ name: 'VersionConflictError', outcome: 'refused' });
    expect(transport.sent).toHaveLength(2);
  });

  it('what can not be recorded stays unknown', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([...forbidden, sale(3)]);
    const body = { terms_version: 't1', expected_version: 3, idempotency_key: KEY };
    // Its record, and two attempts with their results.
    scene.store.troubles.push(...Array<undefined>(5).fill(undefined), 'fails');
    const call = client.saleCases.acknowledge('sal_1', body, twice).catch((error: unknown) => error);
    expect(await scene.during(call)).toMatchObject({ outcome: 'unknown', status: 403 });
    expect((await scene.only()).state).toBe('sent');
  });
});

describe('recover reads the record again', () => {
  const recovered = async (scene: Scene, steps: readonly Step[]) => {
    const { client, transport } = scene.dealer(steps);
    const outcomes = await scene.during(client.recover());
    return { outcomes, lines: transport.lines };
  };

  it('of a refusal for now, and makes it final once no copy can arrive', async () => {
    const scene = new Scene();
    await accepted(scene, [...forbidden, sale(3)], twice);
    expect((await stored(scene.store))?.provisional).toBe(true);
    expect((await recovered(scene, [])).lines.filter((line) => line.includes('sale-cases'))).toEqual([]);
    await scene.clock.advance(SIX_MINUTES);
    const { outcomes } = await recovered(scene, [saleAt(scene.clock.now(), 3)]);
    expect(outcomes).toMatchObject([{ status: 'refused' }]);
    expect(await scene.only()).toMatchObject({ state: 'refused', provisional: false });
  });

  it('of a command that was never answered', async () => {
    const scene = new Scene();
    await accepted(scene, [{ fail: 'maybe' }]);
    await scene.clock.advance(SIX_MINUTES);
    expect((await recovered(scene, [saleAt(scene.clock.now(), 3)])).outcomes).toMatchObject([
      { status: 'refused' },
    ]);
  });

  it('and a record that moved leaves the refusal unknown, unless another command of ours moved it', async () => {
    for (const isOurs of [false, true]) {
      const scene = new Scene();
      await accepted(scene, [...forbidden, sale(3)], twice);
      if (isOurs) await accepted(scene, [record({ resource_version: 4 })], { key: OTHER_KEY });
      await scene.clock.advance(SIX_MINUTES);
      const { outcomes } = await recovered(scene, [saleAt(scene.clock.now(), 4)]);
      expect(outcomes).toMatchObject([{ idempotencyKey: KEY, status: isOurs ? 'refused' : 'unknown' }]);
    }
  });

  it('and where it can not be read, a refusal for now stays as it is until the key may be forgotten', async () => {
    const scene = new Scene();
    await accepted(scene, [...forbidden, sale(3)], twice);
    await scene.clock.advance(SIX_MINUTES);
    await recovered(scene, [html(403)]);
    expect((await scene.only()).provisional).toBe(true);
    await scene.clock.advance(3_600_000);
    expect((await recovered(scene, [html(403)])).outcomes).toMatchObject([{ status: 'refused' }]);
    expect((await scene.only()).provisional).toBe(false);
  });
});
