import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/store/memory.js';
import { webhookReceiver } from '../../src/webhooks/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { headersFor, nowMs, saleApproved, secret, timestamp } from './delivery.js';

const body = Buffer.from(JSON.stringify(saleApproved));
const good = headersFor(body);
const digest = good['Service-Signature'].slice(3);

/** Sends forgeries, and expects that each is answered with 400, that none throws, and that none is kept. */
async function expectRefused(
  forgeries: Iterable<{ readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }>,
  least: number,
): Promise<void> {
  const receiver = webhookReceiver({
    secrets: secret,
    store: memoryStore(),
    on: { '*': () => expect.fail('a forgery was handled') },
    clock: new VirtualClock(nowMs),
    onReport: () => undefined,
  });
  let count = 0;
  for (const forgery of forgeries) {
    const answer = await receiver.receive(forgery);
    expect(answer.status, JSON.stringify(forgery.headers)).toBe(400);
    count += 1;
  }
  expect(count).toBeGreaterThanOrEqual(least);
  expect(await receiver.list()).toEqual([]);
}

function* flipsOf(bytes: Uint8Array): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    yield copy;
  }
}

function withHeader(name: 'Service-Signature' | 'Service-Timestamp') {
  return (changed: Buffer) => ({ body, headers: { ...good, [name]: changed.toString('latin1') } });
}

describe('no forgery is accepted, and none throws', () => {
  it('the genuine delivery is accepted, so that refusals mean something', async () => {
    const receiver = webhookReceiver({
      secrets: secret,
      store: memoryStore(),
      on: {},
      clock: new VirtualClock(nowMs),
    });
    expect((await receiver.receive({ body, headers: good })).status).toBe(200);
  });

  it.each([
    ['the body', body, (changed: Buffer) => ({ body: changed, headers: good })],
    ['the signature header', Buffer.from(good['Service-Signature']), withHeader('Service-Signature')],
    ['the timestamp header', Buffer.from(String(timestamp)), withHeader('Service-Timestamp')],
  ] as const)('with any one bit of %s flipped', (_, bytes, forged) =>
    expectRefused([...flipsOf(bytes)].map(forged), bytes.length * 8),
  );

  it('made in 500 and more other ways', () => {
    const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');
    const sha256 = createHash('sha256').update(`${timestamp}.${body}`).digest('hex');
    const wrongKeys = [
      ...['', ' ', `${secret}\n`, ` ${secret}`, secret.slice(1), secret.slice(0, -1), secret.toUpperCase()],
      ...[Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')],
      ...['whsec_', 'null', 'undefined'],
      ...Array.from({ length: 200 }, (_, n) => `${secret}${n}`),
    ];
    const wrongTexts = [
      ...[`${timestamp}${body}`, `${timestamp},${body}`, `${body}.${timestamp}`, `${body}`, `${timestamp}.`],
      ...[`.${body}`, `${timestamp}. ${body}`, `${timestamp}.${body}\n`, `${timestamp}.\ufeff${body}`],
      ...[`${timestamp}.${JSON.stringify(saleApproved, null, 2)}`, `v1.${timestamp}.${body}`],
    ];
    const v1 = `v1=${digest}`;
    const spellings = [
      ...[digest, `v1=${digest.toUpperCase()}`, `V1=${digest}`, `v1:${digest}`, `v1 =${digest}`],
      ...[`v1= ${digest}`, `${v1},${v1}`, `${v1} ${v1}`, `t=${timestamp},${v1}`, `${v1};`, `v2=${digest}`],
      ...[
        `sha256=${digest}`,
        `v1=${digest.slice(1)}`,
        `v1=0${digest}`,
        `${v1}0`,
        '',
        'v1=',
        `v1="${digest}"`,
      ],
      ...[`v1=${Buffer.from(digest, 'hex').toString('base64')}`, `v1=${'0'.repeat(64)}`, `v1=${sha256}`],
    ];
    const t = timestamp;
    const times = [
      ...[`0${t}`, `+${t}`, `${t}.0`, `${t}e0`, ` ${t}`, `${t} `, `${t}garbage`, `${t},${t}`, `${t * 1000}`],
      ...[
        '',
        '0',
        '-1',
        'NaN',
        'Infinity',
        '9'.repeat(13),
        `0x${t.toString(16)}`,
        new Date(nowMs).toISOString(),
      ],
    ];
    // Correctly signed, and too far from now.
    const far = Array.from({ length: 250 }, (_, n) => (n % 2 === 0 ? 1 : -1) * (301 + n * n * 1_000));
    const whole = `${timestamp}.${body}`;
    return expectRefused(
      [
        ...wrongKeys.map((key) => ({ ...good, 'Service-Signature': `v1=${sign(key, whole)}` })),
        ...wrongTexts.map((text) => ({ ...good, 'Service-Signature': `v1=${sign(secret, text)}` })),
        ...spellings.map((value) => ({ ...good, 'Service-Signature': value })),
        ...times.map((value) => ({ ...good, 'Service-Timestamp': value })),
        // The signature is right for what the header says: only plain digits near now are believed.
        ...times.map((value) => headersFor(body, secret, value)),
        ...far.map((seconds) => headersFor(body, secret, timestamp + seconds)),
        { ...good, 'service-signature': good['Service-Signature'] },
        { ...good, 'Service-Event-ID': 'evt_2' },
        {},
      ].map((headers) => ({ body, headers })),
      500,
    );
  });
});
