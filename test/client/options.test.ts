import { afterEach, describe, expect, it, vi } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { credentials, dealer, SECRET, thrownBy } from '../support/clients.js';
import { shownBy } from '../support/secrecy.js';

const PASSWORD = 'hunter2-of-the-url';
const good = { environment: 'sandbox', baseUrl: 'https://bank.example/api/v1', credentials, logLevel: 'off' };

const makers = {
  partner: (options: object) =>
    Reflect.construct(PartnerClient, [{ ...good, partnerType: 'platform', dealerId: 'D-204', ...options }]),
  bank: (options: object) => Reflect.construct(BankClient, [{ ...good, ...options }]),
};

const words = (text: string) => text.trim().split(/\s+/);
const OK = 'https://bank.example/api/v1';

/** What is no absolute URL, or one that a parser would have to correct first. */
const noUrls = [
  ...words(`
    x bank.example/api/v1 //bank.example/api/v1 /api/v1 file:///api/v1 ftp://bank.example/api/v1 https://
    javascript:alert(1)//api/v1 https:bank.example/api/v1 https:/bank.example/api/v1 https:///bank.example/api/v1
    https:\\\\bank.example\\api\\v1 https://bank.example:99999/api/v1 https://[::1/api/v1 https://%00/api/v1
    https://bank.example\\@evil.example/api/v1
  `),
  ...['', ' ', 'https:// /api/v1', ` ${OK}`, `${OK} `, `${OK}\n`, `\ufeff${OK}`],
  ...['https://bank example/api/v1', 'https://bank.exa\tmple/api/v1', 'https://bank.example/ap\ri/v1'],
  ...[null, 7, {}, [OK], new URL(OK), new String(OK), Symbol(OK), () => OK],
];

/** More than an address, plain http to anything but this machine, and other paths. */
const noBaseUrls = words(`
  https://user:${PASSWORD}@bank.example/api/v1 https://${PASSWORD}@bank.example/api/v1 ${OK}? ${OK}?x=1 ${OK}#
  https://:${PASSWORD}@bank.example/api/v1 https://bank.example?/api/v1 https://bank.example#/api/v1
  http://bank.example/api/v1 HTTP://BANK.EXAMPLE/api/v1 http://bank.example:443/api/v1 http://0/api/v1
  http://localhost.evil.example/api/v1 http://localhost./api/v1 http://evil.localhost/api/v1
  http://127.0.0.1.evil.example/api/v1 http://128.0.0.1/api/v1 http://10.0.0.1/api/v1 http://[::2]/api/v1
  http://[::ffff:10.0.0.1]/api/v1 http://l\u03bfcalhost/api/v1
  https://bank.example https://bank.example/ https://bank.example/v1 http://localhost/api/v2 ${OK}0 ${OK}x ${OK}//
  ${OK};x ${OK}/events ${OK}/.. https://bank.example/API/V1 https://bank.example/api%2fv1
  https://bank.example/a%20b/api/v1 https://bank.example/x//api/v1
`);

const noSecrets = [
  ...['', ' ', '\t\t', '\u00a0', `${SECRET}\n`, `${SECRET}\r\n`, `${SECRET} `, ` ${SECRET}`, `\n${SECRET}`],
  ...[`\ufeff${SECRET}`, `${SECRET}\u2028`, `${SECRET}\0`, `${SECRET}\ud800`],
  ...['\n', '\u0007', '\u0085'].map((inside) => SECRET.slice(0, 20) + inside + SECRET.slice(20)),
  ...[undefined, null, 7, {}, [SECRET], Buffer.from(SECRET), new String(SECRET), () => SECRET],
];

/** What could not travel in a header. */
const noIds = [...['', ' ', 'a b', 'a\n', '\r\nX-Evil: 1', 'ü', 'a\0', 'a\u007f'], undefined, null, 7, ['a']];

const noLimits = [-1, 0, Number.NaN, Number.POSITIVE_INFINITY, '5'];
const refused: readonly (readonly [option: string, values: readonly unknown[]])[] = [
  // rule: general.8, access.https, version.1
  ['baseUrl', [...noUrls, ...noBaseUrls]],
  ['environment', ['uat', 'Sandbox', '', null]],
  ['credentials', [null, 'secret', 7]],
  ['credentials.signingSecret', noSecrets],
  ['credentials.clientId', noIds],
  ['credentials.keyId', noIds],
  ['timeout', noLimits],
  ['deadline', noLimits],
  ['maxAttempts', [...noLimits, 1.5]],
  ['maxReplyBytes', [...noLimits, 1.5]],
  ['keyRetention', [599_999, Number.NaN]],
  ['retention', [86_399_999, Number.NaN]],
  ['account', ['', 'a b', 'a'.repeat(61), 7]],
  ['formerOrigins', ['https://bank.example/api/v1', {}]],
  ['quota', [null, 120]],
  ['quota.scope', ['process']],
  ['quota.reserve', [120]],
  ['quota.window', [-1]],
  ['quota.margin', [Number.NaN]],
  ['quota.perMinute', [1]],
  ['quota.limit', [0, 1.5]],
  ['quota.limits', [120]],
  ['logLevel', ['loud']],
  ['logger', [{}, { log: () => undefined }, 5]],
  ['transport', [{}, 5]],
  ['store', ['auction.db', {}, 5]],
  ['clock', [5, { now: 5 }]],
  ['randomness', [{ uuid: 'x' }]],
  ['dispatcher', [{}]],
  ['headers', [{ 'x bad': 'v' }, ['x-a']]],
  ['headers.x-a', ['line\nbreak', 7]],
  ['headers.X-Signature', ['mine']],
  ['headers.Idempotency-Key', ['mine']],
  ['headers.Host', ['other']],
  ['timeoutMs', [5]],
];

/** Options of which one, perhaps inside another, has this value. */
function optionsWith(option: string, value: unknown): object {
  const [outer = '', inner] = option.split('.');
  if (inner === undefined) return { [outer]: value };
  return { [outer]: { ...Reflect.get({ ...good, quota: {} }, outer), [inner]: value } };
}

function expectRefused(make: () => unknown, option: string): void {
  const error = thrownBy(make);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ option, reason: 'invalid', outcome: 'not_sent' });
  for (const hidden of [SECRET.slice(0, 12), PASSWORD]) expect(shownBy(error)).not.toContain(hidden);
}

describe.each(Object.entries(makers))('a %s', (_, make) => {
  it.each(refused)(
    'is refused an option that cannot work, by its name and without its secret: %s',
    (option, values) => {
      for (const value of values) expectRefused(() => make(optionsWith(option, value)), option);
    },
  );

  it('takes every address that is right', () => {
    const right = `
      ${OK} ${OK}/ https://bank.example:8443/api/v1 https://bank.example/portal/index.php/api/v1
      https://10.0.0.1/api/v1 http://localhost:8080/api/v1 http://127.8.8.8/api/v1 http://[::1]:8080/api/v1
    `;
    for (const baseUrl of words(right)) {
      expect(() => make({ baseUrl }), baseUrl).not.toThrow();
    }
  });
});

// rule: limit.dealer-id
it.each([
  ['partnerType', ['dealer', undefined]],
  ['dealerId', ['d'.repeat(33), 'D-204\n', '', 7]],
])('A partner is refused its own option that cannot work: %s', (option, values) => {
  for (const value of values) expectRefused(() => makers.partner({ [option]: value }), option);
});

it('An option of the other actor, no options at all, and a proxy that would see a signature are refused', () => {
  expectRefused(() => makers.bank({ partnerType: 'platform' }), 'partnerType');
  for (const options of [undefined, null]) {
    expectRefused(() => Reflect.construct(PartnerClient, [options]), 'options');
  }
  const baseUrl = 'http://127.0.0.1:9/api/v1';
  expectRefused(() => makers.partner({ baseUrl, proxy: 'http://proxy.example:3128' }), 'proxy');
  expect(() => makers.partner({ baseUrl, proxy: 'env' })).not.toThrow();
});

it.each([
  [{ baseUrl: 'https://x.example/api/v1' }, 'baseUrl'],
  [{ credentials: {} }, 'credentials'],
  [{ logger: {} }, 'logger'],
  [null, 'options'],
])('withOptions(%j) is refused', (options, option) => {
  const { client } = dealer([]);
  expectRefused(() => Reflect.apply(client.withOptions, client, [options]), option);
});

describe('what is left out comes from the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  const whole = {
    BASE_URL: 'https://env.example/api/v1',
    CLIENT_ID: 'cl_env',
    KEY_ID: 'key_env',
    SIGNING_SECRET: 'secret of the environment',
  };
  const setUp = (variables: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(variables)) vi.stubEnv(`VEHICLE_AUCTION_${name}`, text);
  };
  const bare = () => new BankClient({ environment: 'sandbox' });

  it('reads every variable', () => {
    setUp({ ...whole, DEALER_ID: 'D-9' });
    const client = new PartnerClient({ environment: 'sandbox', partnerType: 'direct_dealer' });
    const ids = { clientId: 'cl_env', keyId: 'key_env', partnerType: 'direct_dealer', dealerId: 'D-9' };
    expect(JSON.parse(JSON.stringify(client))).toEqual({ baseUrl: 'https://env.example/api/v1', ...ids });
    expect(JSON.stringify(bare())).toContain('cl_env');
  });

  it.each([
    ['SIGNING_SECRET', `${SECRET}\n`, 'credentials.signingSecret'],
    ['CLIENT_ID', 'cl_1\n', 'credentials.clientId'],
    ['BASE_URL', 'http://bank.example/api/v1', 'baseUrl'],
    ['BASE_URL', '', 'baseUrl'],
  ])('and is held to the same: %s of %j', (name, value, option) => {
    setUp({ ...whole, [name]: value });
    expectRefused(bare, option);
  });

  it('and a dealer id comes with the credentials that it was issued for, unless the option names one', () => {
    setUp({ DEALER_ID: 'D-9' });
    const common = { baseUrl: 'https://bank.example/api/v1', environment: 'sandbox' } as const;
    const ofDealer = (own: Pick<PartnerClientOptions, 'credentials' | 'dealerId'>) =>
      JSON.stringify(new PartnerClient({ ...common, partnerType: 'direct_dealer', ...own }));
    const issued = { ...credentials, dealerId: 'D-204' };
    expect(ofDealer({ credentials: issued })).toContain('"dealerId":"D-204"');
    expect(ofDealer({ credentials: issued, dealerId: 'D-7' })).toContain('"dealerId":"D-7"');
    expect(ofDealer({ credentials })).not.toContain('dealerId');
  });

  it('and all variables of the credentials that are missing are named at once', () => {
    const names = ['CLIENT_ID', 'KEY_ID', 'SIGNING_SECRET'];
    setUp({ BASE_URL: whole.BASE_URL, KEY_ID: 'key_env' });
    const error = thrownBy(bare);
    expect(error).toMatchObject({ option: 'credentials' });
    const problem: string = Reflect.get(Object(error), 'problem');
    const named = names.filter((name) => problem.includes(`VEHICLE_AUCTION_${name}`));
    expect(named).toEqual(['CLIENT_ID', 'SIGNING_SECRET']);
  });
});
