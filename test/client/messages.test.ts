import { expect, it } from 'vitest';
import { bank, dealer, event, rejection, thrownBy } from '../support/clients.js';

const refused = (code: string) => ({
  status: 401,
  json: { success: false, code, message: 'No.', data: null, errors: [code] },
});

it.each([
  ['amount', 'lot_1', { amount: '4,65,000' }, '"4,65,000"'],
  ['amount', 'lot_1', { amount: -1 }, '-1'],
  ['idempotency_key', 'lot_1', { amount: '465000', idempotency_key: 'abc' }, '"abc"'],
  ['lot', 'a/b', { amount: '465000' }, '"a/b"'],
  // White space is often what is wrong.
  ['amount', 'lot_1', { amount: ' 465000\n' }, '" 465000\\n"'],
])('a message about %s shows the value that was given', async (path, lot, body, given) => {
  const { client } = dealer([]);
  const error = await rejection(Reflect.apply(client.bids.submit, client.bids, [lot, body]));
  expect(error).toMatchObject({ issues: expect.arrayContaining([expect.objectContaining({ path, given })]) });
  expect(error).toMatchObject({ message: expect.stringContaining(`, not ${given}`) });
});

it('a message shows no long value, no secret and no control character', async () => {
  const { client } = dealer([]);
  const shown = async (amount: string) =>
    String(await rejection(Reflect.apply(client.bids.submit, client.bids, ['lot_1', { amount }])));
  expect(await shown('x'.repeat(10_000))).toMatch(/x{60}…"/);
  expect(await shown('1\u202e2\u200b3\n4')).toContain('"123 4"');
});

it.each([
  ['amonut', /amonut is not a known field; the nearest is amount\. Nothing/],
  ['bidderReference', /bidderReference is not a known field; the nearest is bidder_reference\. Nothing/],
  ['colour', /colour is not a known field; known fields: [^"]*idempotency_key\. Nothing/],
])(
  'a message about the unknown field %s names the nearest one or all, and not its value',
  async (name, text) => {
    const { client } = dealer([]);
    const body = { amount: '1', [name]: 'x' };
    const error = await rejection(Reflect.apply(client.bids.submit, client.bids, ['lot_1', body]));
    expect(String(error)).toMatch(text);
  },
);

it('a Date or a currency in place of what is asked for is answered with what to write', async () => {
  const { client } = bank([]);
  const body = { value_date: new Date(), currency: 'USD' };
  const error = await rejection(Reflect.apply(client.bankReceipts.import, client.bankReceipts, [body]));
  expect(String(error)).toContain('a calendar date is written as 2026-03-01');
  expect(String(error)).toContain('currency must be "INR", not "USD"');
});

it('a misspelt option of a client, a call or a method names the nearest one', async () => {
  const { client } = dealer([]);
  expect(String(thrownBy(() => Reflect.apply(dealer, undefined, [[], { storre: 1 }])))).toContain(
    'storre is not an option; the nearest is store.',
  );
  const read = await rejection(Reflect.apply(client.events.get, client.events, ['auc_1', { timeOut: 5 }]));
  expect(String(read)).toContain('options.timeOut is not an option; the nearest is timeout.');
  const { client: of } = bank([]);
  const run = () => Reflect.apply(of.approvals.run, of.approvals, [() => undefined, { dryrun: true }]);
  expect(String(thrownBy(run))).toContain('options.dryrun is not an option; the nearest is dryRun.');
});

it('a timeout that is no number is blamed alone, per call and per client', async () => {
  const { client } = dealer([]);
  const error = await rejection(
    Reflect.apply(client.events.get, client.events, ['auc_1', { timeout: '5s' }]),
  );
  expect(error).toMatchObject({ issues: [{ path: 'options.timeout', given: '"5s"' }] });
  const make = () => Reflect.apply(dealer, undefined, [[], { timeout: '5s' }]);
  expect(thrownBy(make)).toMatchObject({ option: 'timeout', problem: expect.stringContaining('not "5s"') });
});

it('the known options of a call are all of them', async () => {
  const { client } = dealer([]);
  const place = client.bids.place.bind(client.bids);
  const upload = client.documents.upload.bind(client.documents);
  const placed = await rejection(Reflect.apply(place, null, [{ lot: 'lot_1', amount: '1' }, { foo: 1 }]));
  for (const name of ['allowUnresolved', 'confirm', 'idempotencyKey']) {
    expect(placed).toMatchObject({ message: expect.stringContaining(name) });
  }
  const uploaded = await rejection(Reflect.apply(upload, null, [{ content: Buffer.from('x') }, { foo: 1 }]));
  expect(uploaded).toMatchObject({ message: expect.stringContaining('waitUntilReady') });
});

it('errors of bids.place name that method alone', async () => {
  const { client } = dealer([]);
  const error = await rejection(
    Reflect.apply(client.bids.place, client.bids, [{ lot: 'lot_1', amount: 'x' }]),
  );
  expect(error).toMatchObject({ message: expect.stringMatching(/^bids\.place: /) });
});

it('a list without await says so in a loop and by index', () => {
  const { client } = dealer([]);
  const list: unknown = client.lots.list();
  const iterate = () => {
    for (const _ of Object(list)) break;
  };
  const uses = [
    ...[iterate, () => [...Object(list)], () => Object(list).length],
    ...[
      () => Object(list)[0],
      () => Object(list)[7],
      () => Object(list).at(-1),
      () => Object(list).some(Boolean),
    ],
  ];
  for (const use of uses) {
    expect(thrownBy(use)).toMatchObject({ name: 'TypeError', message: expect.stringContaining('for await') });
  }
});

it.each([`"a-secret-of-32-characters-or-more"`, `'a-secret-of-32-characters-or-more'`])(
  'a refused signature names quotation marks around the secret: %s',
  async (signingSecret) => {
    const credentials = { clientId: 'client-1', keyId: 'key-1', signingSecret };
    const { client } = dealer([refused('INVALID_SIGNATURE')], { credentials });
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toMatchObject({ nextStep: expect.stringContaining('quotation marks') });
    expect(String(error)).not.toContain('a-secret');
  },
);

it('a refused signature names a doubled /api/v1, and no stray newline, which the client excludes', async () => {
  const doubled = dealer([refused('INVALID_SIGNATURE')], { baseUrl: 'https://bank.example/api/v1/api/v1' });
  const error = await rejection(doubled.client.events.get('auc_1'));
  expect(error).toMatchObject({ nextStep: expect.stringContaining('twice') });
  const plain = dealer([refused('INVALID_SIGNATURE')]);
  const other = await rejection(plain.client.events.get('auc_1'));
  expect(other).toMatchObject({ nextStep: expect.stringContaining('/api/v1') });
  expect(String(other)).not.toContain('newline');
});

it.each([
  ['  swift \u00a0', 'swift'],
  ['\t\u200bmaruti 800\u200e\0', 'maruti 800'],
  [' \n', undefined],
  ['', undefined],
])(
  'search %j is sent as %j, because frameworks trim before they check the signature',
  async (search, sent) => {
    const page = { status: 200, json: { data: [], current_page: 1, last_page: 1 } };
    const { client, transport } = dealer([page]);
    await client.events.lots('auc_1', { search }).toArray();
    const { searchParams } = new URL(`https://x.example${transport.sent[0]?.path}`);
    expect(searchParams.get('search') ?? undefined).toBe(sent);
  },
);

it('bidi and zero-width characters of the service reach no message and no field of an error', async () => {
  const hidden = 'Pa\u202eid\u200b \u2066x\u2069\ufeff\u001b[31m';
  const json = {
    success: false,
    code: 'X\u202eY',
    message: hidden,
    data: null,
    errors: { amount: [hidden] },
  };
  const { client } = dealer([{ status: 422, json }]);
  const error = await rejection(client.events.get('auc_1'));
  const { message, serviceMessage, codes, fieldErrors } = Object(error);
  const shown = JSON.stringify([message, serviceMessage, codes, fieldErrors]);
  expect(shown).toContain('Paid x');
  expect(shown).not.toMatch(/[\u202e\u200b\u2066\u2069\ufeff]|\\u001b/);
});

it('plain http to another machine is allowed for a sandbox by insecureHttp, and never in production', async () => {
  const baseUrl = 'http://sandbox:4010/api/v1';
  const make = (over: object) =>
    Reflect.apply(dealer, undefined, [[event], { baseUrl, environment: 'sandbox', ...over }]);
  const { client, transport } = make({ insecureHttp: true });
  await client.events.get('auc_1');
  expect(transport.sent[0]?.origin).toBe('http://sandbox:4010');
  for (const over of [{}, { insecureHttp: false }]) {
    expect(thrownBy(() => make(over))).toMatchObject({
      option: 'baseUrl',
      problem: expect.stringContaining('insecureHttp'),
    });
  }
  for (const over of [{ insecureHttp: 'yes' }, { insecureHttp: true, environment: 'production' }]) {
    expect(thrownBy(() => make(over))).toMatchObject({ option: 'insecureHttp' });
  }
});
