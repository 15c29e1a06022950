import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { credentials, rejection, SECRET } from '../support/clients.js';
import { ScriptedTransport } from '../support/scripted-transport.js';

const PASSWORD = 'hunter2-of-the-url';
const good = { baseUrl: 'https://bank.example/api/v1', credentials, logLevel: 'off' } as const;

const makers: readonly (readonly [party: string, make: (options: object) => unknown])[] = [
  [
    'partner',
    (options) =>
      new PartnerClient({
        environment: 'sandbox',
        ...good,
        partnerType: 'platform',
        dealerId: 'D-204',
        ...options,
      }),
  ],
  ['bank', (options) => new BankClient({ environment: 'sandbox', ...good, ...options })],
];

/** Expects that no client is made with any of these, and that the error names the option and shows no secret. */
function expectRefused(
  make: (options: object) => unknown,
  values: readonly unknown[],
  optionsOf: (value: unknown) => object,
  option: string,
  allowed: RegExp,
): void {
  const taken: string[] = [];
  for (const value of values) {
    const thrown = thrownBy(() => make(optionsOf(value)));
    const shown = inspect(thrown, { showHidden: true, depth: 9 });
    const refused =
      thrown instanceof ConfigurationError &&
      thrown.option === option &&
      thrown.outcome === 'not_sent' &&
      thrown.message.startsWith(`${option} `) &&
      allowed.test(thrown.problem);
    if (!refused || shown.includes(SECRET.slice(0, 12)) || shown.includes(PASSWORD)) {
      taken.push(`${inspect(value)}: ${shown.slice(0, 200)}`);
    }
  }
  expect(taken).toEqual([]);
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(makers)('a %s', (_, make) => {
  // rule: general.8, access.https, version.1
  it.each<readonly [what: string, allowed: RegExp, values: readonly unknown[]]>([
    [
      'no absolute URL',
      /^must be an absolute URL such as https:\/\/bank\.example\/api\/v1$|^must not begin or end with white space$|^must be given, or /,
      [
        ...['', ' ', 'x', 'bank.example/api/v1', 'bank.example:443/api/v1', '//bank.example/api/v1'],
        ...['/api/v1', 'ftp://bank.example/api/v1', 'ws://bank.example/api/v1'],
        ...['wss://bank.example/api/v1', 'file:///api/v1', 'javascript:alert(1)//api/v1'],
        ...['data:,/api/v1', 'https:bank.example/api/v1', 'https:/bank.example/api/v1'],
        ...['https:\\\\bank.example\\api\\v1', 'https//bank.example/api/v1', 'https://'],
        ...['https:// /api/v1', 'https://bank example/api/v1', 'https://bank.example:99999/api/v1'],
        ...['https://bank.example:x/api/v1', 'https://[::1/api/v1', 'https://%00/api/v1'],
        ...['https://bank<.example/api/v1', ' https://bank.example/api/v1'],
        ...['https://bank.example/api/v1 ', 'https://bank.example/api/v1\n'],
        ...['\ufeffhttps://bank.example/api/v1', null, 7, true, {}, []],
        ...[['https://bank.example/api/v1'], new URL('https://bank.example/api/v1')],
        ...[new String('https://bank.example/api/v1'), Symbol('https://bank.example/api/v1')],
        ...[() => 'https://bank.example/api/v1'],
      ],
    ],
    [
      'more than an address',
      /^must not hold a user name or password$|^must not hold a query or a fragment$/,
      [
        ...[`https://user:${PASSWORD}@bank.example/api/v1`, `https://${PASSWORD}@bank.example/api/v1`],
        ...[`https://:${PASSWORD}@bank.example/api/v1`, `http://${PASSWORD}@localhost/api/v1`],
        ...['https://bank.example/api/v1?', 'https://bank.example/api/v1?x=1'],
        ...['https://bank.example?/api/v1', 'https://bank.example/api/v1#'],
        ...['https://bank.example/api/v1#x', 'https://bank.example#/api/v1'],
      ],
    ],
    [
      'plain http off loopback',
      /^must be https: the service refuses plain http, and only loopback is excepted$/,
      [
        ...['http://bank.example/api/v1', 'HTTP://BANK.EXAMPLE/api/v1'],
        ...['http://bank.example:443/api/v1', 'http://localhost.evil.example/api/v1'],
        ...['http://localhost./api/v1', 'http://evil.localhost/api/v1'],
        ...['http://127.0.0.1.evil.example/api/v1', 'http://127.0.0.1.nip.io/api/v1'],
        ...['http://128.0.0.1/api/v1', 'http://0.0.0.0/api/v1', 'http://0/api/v1'],
        ...['http://10.0.0.1/api/v1', 'http://192.168.0.1/api/v1', 'http://169.254.169.254/api/v1'],
        ...['http://[::]/api/v1', 'http://[::2]/api/v1', 'http://[::ffff:10.0.0.1]/api/v1'],
        ...['http://[fe80::1]/api/v1', 'http://xn--80ak6aa92e.example/api/v1'],
        ...['http://l\u03bfcalhost/api/v1'],
      ],
    ],
    [
      'another path',
      /^must end in \/api\/v1, as in https?:\/\/[^ ]+\/api\/v1$|^must not hold "%" or "\/\/" in its path$/,
      [
        ...['https://bank.example', 'https://bank.example/', 'https://bank.example/api'],
        ...['https://bank.example/v1', 'https://bank.example/api/v2', 'https://bank.example/api/v10'],
        ...['https://bank.example/api/v1x', 'https://bank.example/API/V1'],
        ...['https://bank.example/api/v1//', 'https://bank.example/api/v1/events'],
        ...['https://bank.example/api/v1/..', 'https://bank.example/api/v1;x'],
        ...['https://bank.example/api%2fv1', 'https://bank.example/a%20b/api/v1'],
        ...['https://bank.example/%2e%2e%2f/api/v1', 'https://bank.example//api/v1'],
        ...['https://bank.example/x//api/v1', 'http://localhost/api/v2'],
      ],
    ],
  ])('takes no base URL that is %s', (_what, allowed, values) => {
    expectRefused(make, values, (baseUrl) => ({ baseUrl }), 'baseUrl', allowed);
  });

  it('takes no base URL that a parser would first have to mend', () => {
    const mended = [
      'https://bank.example\\api\\v1',
      `https://bank.example\\@evil.example/api/v1`,
      'https:///bank.example/api/v1',
      'https://bank.exa\tmple/api/v1',
      'https://bank.\nexample/api/v1',
      'https://bank.example/ap\ri/v1',
    ];
    expectRefused(make, mended, (baseUrl) => ({ baseUrl }), 'baseUrl', /^must /);
  });

  it('takes what is right', () => {
    for (const baseUrl of [
      ...['https://bank.example/api/v1', 'https://bank.example/api/v1/'],
      ...['https://bank.example:8443/api/v1', 'https://bank.example/index.php/api/v1'],
      ...['https://bank.example/portal/index.php/api/v1', 'https://10.0.0.1/api/v1'],
      ...['http://localhost/api/v1', 'http://localhost:8080/api/v1', 'http://127.0.0.1:8080/api/v1'],
      ...['http://127.8.8.8/api/v1', 'http://[::1]:8080/api/v1'],
    ]) {
      expect([baseUrl, thrownBy(() => make({ baseUrl }))]).toEqual([baseUrl, undefined]);
    }
  });

  const badSecrets = [
    ...['', ' ', '\n', '\t\t', '\u00a0', `${SECRET}\n`, `${SECRET}\r\n`, `${SECRET} `],
    ...[`${SECRET}\t`, ` ${SECRET}`, `\n${SECRET}`, `\ufeff${SECRET}`, `${SECRET}\u2028`],
    ...[`${SECRET}\0`, `${SECRET.slice(0, 20)}\n${SECRET.slice(20)}`],
    ...[`${SECRET.slice(0, 20)}\u0007${SECRET.slice(20)}`],
    ...[`${SECRET.slice(0, 20)}\u0085${SECRET.slice(20)}`, `${SECRET}\ud800`, undefined, null, 7],
    ...[{}],
    [SECRET],
    Buffer.from(SECRET),
    new String(SECRET),
    () => SECRET,
  ];
  const aboutSecret =
    /^is missing|^must be a string$|^must not be empty or blank$|^begins or ends with white space|^contains a (?:control character|lone surrogate)$/;

  it('takes no secret that is blank, or came with a stray newline', () => {
    const optionsOf = (signingSecret: unknown) => ({ credentials: { ...credentials, signingSecret } });
    expectRefused(make, badSecrets, optionsOf, 'credentials.signingSecret', aboutSecret);
  });

  it.each(['clientId', 'keyId'])('takes no %s that could not travel in a header', (field) => {
    const values = [
      ...['', ' ', 'a b', 'a\n', '\r\nX-Evil: 1', 'ü', '名', 'a\0', 'a\u007f', '\ufeffa', undefined],
      ...[null, 7, {}, ['a']],
    ];
    expectRefused(
      make,
      values,
      (value) => ({ credentials: { ...credentials, [field]: value } }),
      `credentials.${field}`,
      /^must be a non-empty string$|^must be visible ASCII without white space$/,
    );
  });

  it('sends nothing where a function gives such credentials', async () => {
    const given = [
      ...badSecrets.map((signingSecret) => ({ ...credentials, signingSecret })),
      { ...credentials, keyId: 'a\n' },
      null,
      undefined,
      SECRET,
    ];
    for (const one of given) {
      const transport = new ScriptedTransport();
      const client = make({ transport, credentials: () => one });
      if (!(client instanceof PartnerClient || client instanceof BankClient)) throw new Error('No client');
      const error = await rejection(client.events.get('auc_1'));
      expect(error).toMatchObject({
        name: 'ConfigurationError',
        option: 'credentials',
        outcome: 'not_sent',
        problem: expect.stringMatching(/^are missing: the credentials provider failed/),
      });
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(SECRET.slice(0, 12));
      expect(transport.sent).toEqual([]);
    }
  });
});

describe('the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['SIGNING_SECRET', `${SECRET}\n`, 'credentials.signingSecret'],
    ['SIGNING_SECRET', '  ', 'credentials.signingSecret'],
    ['CLIENT_ID', 'cl_1\n', 'credentials.clientId'],
    ['KEY_ID', 'key 1', 'credentials.keyId'],
    ['BASE_URL', 'http://bank.example/api/v1', 'baseUrl'],
    ['BASE_URL', 'https://bank.example/api/v1\n', 'baseUrl'],
  ])('is held to the same: %s of %j', (name, value, option) => {
    const whole = {
      BASE_URL: good.baseUrl,
      CLIENT_ID: credentials.clientId,
      KEY_ID: credentials.keyId,
      SIGNING_SECRET: SECRET,
    };
    for (const [each, text] of Object.entries({ ...whole, [name]: value })) {
      vi.stubEnv(`VEHICLE_AUCTION_${each}`, text);
    }
    const error = thrownBy(() => new BankClient({ environment: 'sandbox' }));
    expect(error).toMatchObject({ name: 'ConfigurationError', option });
    expect(inspect(error, { showHidden: true })).not.toContain(SECRET.slice(0, 12));
  });
});
