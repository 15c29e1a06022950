import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatInr } from '../../src/money/paise.js';
import { verifyWebhook } from '../../src/webhooks/index.js';
import { bank, credentials, dealer, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { VirtualClock } from '../support/virtual-clock.js';

function refusal(status: number, code: string, more: object = {}): Step {
  return { status, json: { success: false, code, message: 'No.', data: null, errors: [code], ...more } };
}

/** What a new user does wrong, and what comes of it. */
interface Mistake {
  readonly make: () => unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

const wrong = (option: string) => ({ name: 'ConfigurationError', reason: 'invalid', option });
const unsent = { outcome: 'not_sent' };
const absent: string = JSON.parse('{}').absent;
const inTwoDays = new Date(new VirtualClock().now() + 2 * 86_400_000).toISOString();
const late = refusal(401, 'TIMESTAMP_EXPIRED', { server_time: inTwoDays });
const notEligible = refusal(403, 'BUYER_NOT_ELIGIBLE');

const mistakes: Readonly<Record<string, Mistake>> = {
  'an event, vehicle or registration id in place of a lot id': {
    make: () => dealer([{ status: 404, json: { message: 'Not found.' } }]).client.lots.status('MH12AB1234'),
    fields: { name: 'NotFoundError', reason: 'not_found', operation: 'A10', status: 404 },
  },
  "a platform's credentials in the client of a direct dealer": {
    make: () => dealer([notEligible]).client.bids.submit('lot_1', { amount: '465000' }),
    fields: { name: 'PermissionError', reason: 'permission', outcome: 'refused', code: 'BUYER_NOT_ELIGIBLE' },
  },
  'a bid by a bank': {
    make: () => Reflect.get(Object(bank([]).client.bids), 'place')({ lot: 'lot_1', amount: '465000' }),
    fields: { ...wrong('client'), ...unsent },
  },
  'a decision by a partner': {
    make: () => Reflect.get(dealer([]).client.saleCases, 'decide')('sale_1', {}),
    fields: { ...wrong('client'), ...unsent },
  },
  'webhook secrets that are undefined': {
    make: () => verifyWebhook(Buffer.from('{}'), {}, { secrets: absent }),
    fields: wrong('secrets'),
  },
  'a signing secret that is undefined': {
    make: () => dealer([], { credentials: { ...credentials, signingSecret: absent } }),
    fields: wrong('credentials.signingSecret'),
  },
  'a clock that is two days slow': {
    make: () => dealer([late]).client.lots.status('lot_1'),
    fields: { name: 'AuthenticationError', reason: 'authentication', code: 'TIMESTAMP_EXPIRED', attempts: 1 },
  },
  'a list that is used like an array': {
    make: () => Reflect.get(dealer([]).client.events.list(), 'map')(String),
    fields: { name: 'TypeError' },
  },
  'an amount that no sum of money has': {
    make: () => formatInr('9'.repeat(1_000_000)),
    fields: { name: 'InvalidRequestError', reason: 'invalid_input', issues: [{ path: 'amount' }] },
  },
};

const errorOf = ({ make }: Mistake) => rejection((async () => make())());
const golden = readFileSync(new URL('first-mistakes.txt', import.meta.url), 'utf8').split('\n\n');

describe('a mistake of a new user', () => {
  it.each(Object.entries(mistakes))('is named by class, reason and fields: %s', async (_, mistake) => {
    expect(await errorOf(mistake)).toMatchObject(mistake.fields);
  });

  it('is explained by the text of the golden file', async () => {
    const texts = [];
    for (const [name, mistake] of Object.entries(mistakes)) {
      texts.push(`${name}:\n${Reflect.get(Object(await errorOf(mistake)), 'message')}`);
    }
    expect(texts).toEqual(golden.map((text) => text.trim()));
  });
});
