import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { responseOf } from '../../src/core/reply/reply.js';
import { formatInr } from '../../src/money/paise.js';
import { verifyWebhook } from '../../src/webhooks/index.js';
import { bank, credentials, dealer, rejection, SECRET } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';
import { VirtualClock } from '../support/virtual-clock.js';

const NOT_FOUND: Step = { status: 404, json: { message: 'Not found.' } };

function refusal(status: number, code: string, more: object = {}): Step {
  return { status, json: { success: false, code, message: 'No.', data: null, errors: [code], ...more } };
}

/** The signing secret as a service, a proxy or a provider may repeat it. */
const forms = {
  plain: SECRET,
  hex: Buffer.from(SECRET).toString('hex'),
  base64: Buffer.from(SECRET).toString('base64'),
  'URL-encoded': encodeURIComponent(SECRET),
};

function holdsNone(text: string): void {
  for (const form of Object.values(forms)) expect(text).not.toContain(form.slice(0, -3));
}

async function thrownBy(work: () => unknown): Promise<unknown> {
  return rejection((async () => work())());
}

/** What a new user does wrong, and what comes of it. */
const mistakes: Readonly<
  Record<
    string,
    { readonly make: () => Promise<unknown>; readonly fields: Readonly<Record<string, unknown>> }
  >
> = {
  'an event, vehicle or registration id in place of a lot id': {
    make: () => rejection(dealer([NOT_FOUND]).client.lots.status('MH12AB1234')),
    fields: { name: 'NotFoundError', reason: 'not_found', operation: 'A10', status: 404 },
  },
  "a platform's credentials in the client of a direct dealer": {
    make: () =>
      rejection(
        dealer([refusal(403, 'BUYER_NOT_ELIGIBLE')]).client.bids.submit('lot_1', { amount: '465000' }),
      ),
    fields: { name: 'PermissionError', reason: 'permission', outcome: 'refused', code: 'BUYER_NOT_ELIGIBLE' },
  },
  'a bid by a bank': {
    make: () =>
      thrownBy(() => {
        const { bids }: { readonly bids: object } = bank([]).client;
        return Reflect.get(bids, 'place')({ lot: 'lot_1', amount: '465000' });
      }),
    fields: { name: 'ConfigurationError', reason: 'invalid', option: 'client', outcome: 'not_sent' },
  },
  'a decision by a partner': {
    make: () => thrownBy(() => Reflect.get(dealer([]).client.saleCases, 'decide')('sale_1', {})),
    fields: { name: 'ConfigurationError', reason: 'invalid', option: 'client', outcome: 'not_sent' },
  },
  'webhook secrets that are undefined': {
    make: () =>
      thrownBy(() => verifyWebhook(Buffer.from('{}'), {}, { secrets: undefined as unknown as string })),
    fields: { name: 'ConfigurationError', reason: 'invalid', option: 'secrets' },
  },
  'a signing secret that is undefined': {
    make: () =>
      thrownBy(() =>
        dealer([], { credentials: { ...credentials, signingSecret: undefined as unknown as string } }),
      ),
    fields: { name: 'ConfigurationError', reason: 'invalid', option: 'credentials.signingSecret' },
  },
  'a clock that is two days slow': {
    make: () => {
      const server_time = new Date(new VirtualClock().now() + 2 * 86_400_000).toISOString();
      return rejection(
        dealer([refusal(401, 'TIMESTAMP_EXPIRED', { server_time })]).client.lots.status('lot_1'),
      );
    },
    fields: { name: 'AuthenticationError', reason: 'authentication', code: 'TIMESTAMP_EXPIRED', attempts: 1 },
  },
  'a list that is used like an array': {
    make: () => thrownBy(() => Reflect.get(dealer([]).client.events.list(), 'map')(String)),
    fields: { name: 'TypeError' },
  },
  'an amount that no sum of money has': {
    make: () => thrownBy(() => formatInr('9'.repeat(1_000_000))),
    fields: { name: 'InvalidRequestError', reason: 'invalid_input', issues: [{ path: 'amount' }] },
  },
};

const golden = readFileSync(new URL('first-mistakes.txt', import.meta.url), 'utf8').split('\n\n');

describe('a mistake of a new user', () => {
  it.each(Object.entries(mistakes))(
    'is named by class, reason and fields: %s',
    async (_, { make, fields }) => {
      expect(await make()).toMatchObject(fields);
    },
  );

  it('is explained by the text of the golden file', async () => {
    const texts = [];
    for (const [name, { make }] of Object.entries(mistakes)) {
      texts.push(`${name}:\n${Reflect.get(Object(await make()), 'message')}`);
    }
    expect(texts).toEqual(golden.map((text) => text.trim()));
  });
});

describe.each(Object.entries(forms))('a secret that comes back, %s,', (_, form) => {
  it('does not show in an error, whatever part of the reply it is in', async () => {
    const step: Step = {
      status: 422,
      json: { message: `bad ${form}`, errors: { [`f ${form}`]: [`is ${form}`] } },
      headers: { 'x-echo': form },
    };
    const error = await rejection(dealer([step]).client.lots.status('lot_1'));
    holdsNone(JSON.stringify(error) + String(Reflect.get(Object(error), 'stack')));
  });

  it('does not show in the headers of a reply', async () => {
    const data = { lot_id: 'lot_1', resource_version: 7, status: 'live' };
    const step: Step = { status: 200, json: { data }, headers: { 'x-echo': form } };
    const { headers } = responseOf(await dealer([step]).client.lots.status('lot_1'));
    expect(headers['x-echo']).toContain('[redacted]');
    holdsNone(JSON.stringify(headers));
  });

  it('does not show in the content type of a download', async () => {
    const headers = { 'content-type': `image/${form}`, 'content-disposition': `inline; filename="${form}"` };
    const { client } = dealer([{ status: 200, text: 'x', headers }]);
    const { contentType, contentDisposition } = await client.events.media('auc_1', 'lot_1', 1);
    holdsNone(`${contentType} ${contentDisposition}`);
  });

  it('does not show in the error of a credentials provider that repeats it', async () => {
    let asked = 0;
    const lines: string[] = [];
    const log = (message: string, fields?: object) => lines.push(message + JSON.stringify(fields));
    const client = new PartnerClient({
      baseUrl: 'https://bank.example/api/v1',
      environment: 'sandbox',
      partnerType: 'direct_dealer',
      transport: new ScriptedTransport(refusal(401, 'KEY_REVOKED'), refusal(401, 'KEY_REVOKED')),
      clock: new VirtualClock(),
      logger: { error: log, warn: log, info: log, debug: log },
      credentials: () => {
        asked += 1;
        if (asked > 1) throw new Error(`no key but ${form}`);
        return credentials;
      },
    });
    const error = await rejection(client.integration.profile());
    expect(asked).toBe(2);
    expect(lines.length).toBeGreaterThan(0);
    holdsNone(`${JSON.stringify(error)} ${Reflect.get(Object(error), 'cause')} ${lines.join()}`);
  });
});
