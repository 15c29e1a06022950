import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deliveryOf, headersFor, receiverWith, saleApproved, secret, timestamp } from './delivery.js';

const { body, headers: good } = deliveryOf(saleApproved);
const digest = good['Service-Signature'].slice(3);
const v1 = `v1=${digest}`;
const t = timestamp;

type Headers = Readonly<Record<string, string>>;

/** Expects that each is answered with 400, that none throws, and that none is kept or handled. */
async function expectRefused(forgeries: readonly { readonly body: Uint8Array; readonly headers: Headers }[]) {
  const { receiver, seen } = receiverWith();
  for (const forgery of forgeries) {
    expect((await receiver.receive(forgery)).status, JSON.stringify(forgery.headers)).toBe(400);
  }
  await receiver.idle();
  expect([seen, await receiver.list()]).toEqual([[], []]);
}

function flipsOf(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    return copy;
  });
}

const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');
const whole = `${t}.${body}`;

const wrongKeys = [
  ...['', ' ', `${secret}\n`, ` ${secret}`, secret.slice(1), secret.slice(0, -1), secret.toUpperCase()],
  ...[Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex'), 'whsec_', 'undefined'],
];
const wrongTexts = [
  ...[`${t}${body}`, `${t},${body}`, `${body}.${t}`, `${body}`, `${t}.`, `.${body}`, `${t}. ${body}`],
  ...[`${whole}\n`, `${t}.\ufeff${body}`, `${t}.${JSON.stringify(saleApproved, null, 2)}`, `v1.${whole}`],
];
const spellings = [
  ...[digest, `v1=${digest.toUpperCase()}`, `V1=${digest}`, `v1:${digest}`, `v1 =${digest}`, `v1= ${digest}`],
  ...[
    `t=${t},${v1}`,
    `${v1};${v1}`,
    `${v1},`,
    Array(9).fill(v1).join(','),
    `${v1};`,
    `v2=${digest}`,
    `sha256=${digest}`,
    `${v1}0`,
  ],
  ...[`v1=${digest.slice(1)}`, `v1=0${digest}`, '', 'v1=', `v1="${digest}"`, `v1=${'0'.repeat(64)}`],
  `v1=${Buffer.from(digest, 'hex').toString('base64')}`,
  `v1=${createHash('sha256').update(whole).digest('hex')}`,
];
const times = [
  ...['१७६७२३०६००', `0${t}`, `+${t}`, `${t}e0`, ` ${t}`, `${t} `, `${t}garbage`, `${t},${t}`, ''],
  ...['0', '-1', 'NaN', 'Infinity', '9'.repeat(13), `0x${t.toString(16)}`],
];
/** The same moment in other forms, which are read where they are signed. */
const otherForms = [`${t}.0`, `${t * 1000}`, new Date(t * 1000).toISOString()];
/** Correctly signed, and too far from now. */
const far = [1, 2, 60, 3_600, 86_400, 10_000_000].flatMap((seconds) => [300 + seconds, -300 - seconds]);

describe('no forgery is accepted, and none throws', () => {
  it.each(['Service-Signature', 'Service-Timestamp'] as const)('with any one bit of %s flipped', (name) =>
    expectRefused(
      flipsOf(Buffer.from(good[name])).map((changed) => ({
        body,
        headers: { ...good, [name]: changed.toString('latin1') },
      })),
    ),
  );

  it('with any one bit of the body flipped', () =>
    expectRefused(flipsOf(body).map((changed) => ({ body: changed, headers: good }))));

  it.each<[string, readonly Headers[]]>([
    ['a wrong key', wrongKeys.map((key) => ({ ...good, 'Service-Signature': `v1=${sign(key, whole)}` }))],
    [
      'a wrong text',
      wrongTexts.map((text) => ({ ...good, 'Service-Signature': `v1=${sign(secret, text)}` })),
    ],
    ['another spelling', spellings.map((value) => ({ ...good, 'Service-Signature': value }))],
    [
      'another timestamp',
      [...times, ...otherForms].map((value) => ({ ...good, 'Service-Timestamp': value })),
    ],
    ['an odd timestamp that is signed', times.map((value) => headersFor(body, secret, value))],
    ['a time too far from now', far.map((seconds) => headersFor(body, secret, t + seconds))],
  ])('with %s', (_, forged) => expectRefused(forged.map((headers) => ({ body, headers }))));
});

describe('A timestamp in another form that is signed', () => {
  const iso = new Date(t * 1000).toISOString();
  const india = new Date(t * 1000 + 19_800_000).toISOString();
  const forms = [
    ...[`${t}.0`, `${t}.123456`, `${t * 1000}`, `${t}123456`, iso, iso.replace('Z', '+00:00')],
    // As PHP writes it: DATE_ISO8601, and with a space.
    ...[india.replace('.000Z', '+0530'), india.replace('Z', '+05:30'), iso.replace('T', ' ')],
  ];

  it.each(forms)('is read: %s', async (form) => {
    const { receiver } = receiverWith();
    expect((await receiver.receive({ body, headers: headersFor(body, secret, form) })).status).toBe(200);
  });

  it.each([
    `${t - 301}.0`,
    `${(t - 301) * 1000}`,
    `${t - 301}000000`,
    iso.replace('Z', '+0530'),
    new Date((t + 302) * 1000).toISOString(),
  ])('is refused where it is too far from now: %s', (form) =>
    expectRefused([{ body, headers: headersFor(body, secret, form) }]),
  );
});
