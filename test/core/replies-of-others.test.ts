import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { quotedWords, quoteOf } from '../../src/core/reply/page.js';
import { ConnectionError, UnexpectedResponseError } from '../../src/errors/connection.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { faultOf } from '../../src/postgres/faults.js';
import { bank, credentials, dealer, event, KEY, overSockets, rejection, SECRET } from '../support/clients.js';
import { listen } from '../support/loopback.js';
import { shownBy } from '../support/secrecy.js';
import { settle } from '../support/virtual-clock.js';

/** What gateways, poolers and HSMs say in place of the service, or of an answer, stands in the message. */

const page = (title: string, body: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title><style>p { color: red }</style></head><body>${body}</body></html>`;

describe('A page or a text in place of JSON is quoted by its title and first words', () => {
  it.each<[what: string, body: string, quote: string | undefined]>([
    [
      'of nginx',
      page(
        '413 Request Entity Too Large',
        '<center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center>',
      ),
      '413 Request Entity Too Large nginx',
    ],
    [
      'with another title',
      page('Attention', '<p>You were <b>blocked</b>.</p>'),
      'Attention: You were blocked .',
    ],
    [
      'with scripts and comments',
      page('No', '<script>steal()</script><!-- hidden --><p>Go away'),
      'No: Go away',
    ],
    ['with entities', '<p>a &amp; b &#8377; &#x41; &nbsp;&unknown; &#9999999;</p>', 'a & b ₹ A &#9999999;'],
    ['that is text', '  upstream\r\n\tconnect error\u0000 ', 'upstream connect error'],
    ['with bidi and zero-width characters', '<h1>evil\u202egnp.exe\u200b\ufeff</h1>', 'evilgnp.exe'],
    ['that is cut off in a tag', '<html><body>Denied<img src="', 'Denied'],
    ['without words', '<html></html>', undefined],
    ['that is empty', '', undefined],
    ['that is JSON, cut off', '{"data":{"payee_instructions":"NEFT 0042', undefined],
  ])('%s', (_, body, quote) => {
    expect(quoteOf(body)).toBe(quote);
  });

  it('and cut off after 200 characters', () => {
    expect(quotedWords(quoteOf('x'.repeat(50_000)) ?? '')).toBe(`"${'x'.repeat(200)}…"`);
  });

  it('in the error of a refusal, which says what a missing client certificate needs', async () => {
    const text = page(
      '400 No required SSL certificate was sent',
      '<h1>400 Bad Request</h1><p>No required SSL certificate was sent</p>',
    );
    const { client } = dealer([{ status: 400, text }]);
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toMatchObject({
      message: expect.stringContaining('"400 No required SSL certificate was sent: 400 Bad Request'),
      nextStep: expect.stringMatching(/client certificate: set tls\.cert and tls\.key/),
    });
  });

  it.each<[json: unknown, shown: string]>([
    [{ error: { code: 'RBAC', message: 'Denied by policy' } }, 'HTTP 403: "Denied by policy", not in'],
    [{ type: 'about:blank', title: 'Forbidden', status: 403, detail: 'No key' }, '"Forbidden: No key"'],
    [{ Message: 'Not\u202e authorized', key: 'hidden' }, '"Not authorized"'],
    [{ errors: ['first', 'first', 'second'] }, '"first: second"'],
    [{ fault: { faultstring: 'Invalid ApiKey' } }, '"Invalid ApiKey"'],
    ['denied', '"denied"'],
    [{ message: '' }, 'HTTP 403 with an empty message.'],
    [{ id: 'rec_1', name: 'a buyer' }, "HTTP 403, not in the service's own JSON."],
  ])('in the error of a refusal as JSON of a gateway: %j', async (json, shown) => {
    const { client } = dealer([{ status: 403, json }], { maxAttempts: 1 });
    const { message } = Object(await rejection(client.events.get('auc_1')));
    expect(message).toContain(shown);
    expect(message).not.toMatch(/hidden|a buyer/);
  });

  it('in the error of a success that is none', async () => {
    const { client } = dealer([{ status: 200, text: page('Maintenance', '<p>Back at noon.</p>') }]);
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({
      message: expect.stringContaining('its body is not JSON, but "Maintenance: Back at noon."'),
    });
  });

  it('without a secret that it repeats, also where that is cut off', async () => {
    const text = `<p>${'x'.repeat(190)} ${SECRET.replaceAll('"', '&quot;')} and signature</p>`;
    for (const status of [200, 403]) {
      const { client } = dealer([{ status, text }]);
      const shown = shownBy(await rejection(client.events.get('auc_1')));
      expect(shown).toContain('[redac');
      expect(shown).not.toContain(SECRET.slice(0, 6));
    }
  });

  it('a message of the service is shown without control, bidi and zero-width characters', async () => {
    const { client } = dealer([{ status: 404, json: { message: 'no\u202e such\u200b\n event\u0007' } }]);
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({ serviceMessage: 'no such event' });
  });
});

describe('A body that is too large', () => {
  it('is not sent again, and the error names its size and what to do', async () => {
    const { client, transport } = bank([{ status: 413, text: page('413', '<h1>Too Large</h1>') }], {
      maxAttempts: 3,
    });
    const file = { filename: 'a.pdf', content_base64: Buffer.alloc(3_000).toString('base64') };
    const about = { sale_id: 'sal_1', purpose: 'payment_evidence', idempotency_key: KEY };
    const failing = rejection(client.documents.upload({ ...about, ...file }));
    await settle();
    const error = await failing;
    const sent = transport.sent.filter(({ method }) => method === 'POST');
    expect(sent).toHaveLength(1);
    expect(error).toMatchObject({
      status: 413,
      outcome: 'unknown',
      message: expect.stringContaining(`The request body has ${sent[0]?.body?.length} bytes.`),
      nextStep: expect.stringMatching(
        /^Send less under a new key .*, or ask the bank to raise the limit of its gateway\./,
      ),
    });
  });
});

describe('Headers of a reply that are too large', () => {
  const verbose = () =>
    listen(
      createServer((_, res) => {
        res.setHeader('x-filler', 'x'.repeat(20_000));
        res.end(JSON.stringify('json' in event ? event.json : {}));
      }),
    );

  it('are named, with the option that raises the limit', async () => {
    await using server = await verbose();
    await using client = overSockets(server.baseUrl, { maxAttempts: 1 });
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      reason: 'headers_too_large',
      message: expect.stringContaining('larger than the option maxHeaderSize allows'),
    });
  });

  it('are read with that option', async () => {
    await using server = await verbose();
    await using client = overSockets(server.baseUrl, { maxHeaderSize: 32_768 });
    expect(await client.events.get('auc_1')).toMatchObject({ id: 'auc_1' });
  });

  it.each([0, 1_023, 1.5, 1_048_577, '32768'])('refuse a limit of %j', (maxHeaderSize) => {
    expect(() => dealer([], { transport: undefined, maxHeaderSize: maxHeaderSize as number })).toThrowError(
      /maxHeaderSize must be a whole number of bytes/,
    );
  });
});

describe('The words of others stand in the message, not only in its cause', () => {
  it('of an HSM, without a secret', async () => {
    const sign = () => Promise.reject(new Error(`CKR_PIN_LOCKED\n on slot 3 \u202e(${credentials.keyId})`));
    const { client } = dealer([event], { credentials: { clientId: 'cl_7f3a', keyId: 'key_19c2', sign } });
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        'failed while an attempt was being signed: CKR_PIN_LOCKED on slot 3 (key_19c2)',
      ),
    });
  });

  it('of a provider of credentials', async () => {
    const provider = () => Promise.reject(new Error('vault is sealed'));
    const { client } = dealer([event], { credentials: provider });
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({
      message: expect.stringContaining('the credentials provider failed: vault is sealed'),
    });
  });

  const reported = (code: string, message: string) =>
    Object.assign(new Error(message), { code, severity: 'FATAL' });

  it.each<[message: string, code: string, shown: string]>([
    ['query_wait_timeout', '08P01', 'query_wait_timeout (08P01)'],
    ['no such database: s3cr3t', '08P01', 'no such database: … (08P01)'],
    [
      'unsupported startup parameter: search_path',
      '08P01',
      'unsupported startup parameter: search_path (08P01)',
    ],
    [
      'password authentication failed for user "s3cr3t"',
      '28P01',
      'password authentication failed for user "…" (28P01)',
    ],
    ['database "db@s3cr3t" does not exist', '3D000', 'database "…" does not exist (3D000)'],
    [
      'no pg_hba.conf entry for host "10.0.0.7", user "s3cr3t"',
      '28000',
      'no pg_hba.conf entry for host "…", user "…" (28000)',
    ],
    ['cannot connect to s3cr3t@10.0.0.7:5432', '08P01', 'cannot connect to … (08P01)'],
    ['too many\u202e clients\nalready', '53300', 'too many clients already (53300)'],
  ])('of a pooler or of Postgres: %j', (message, code, shown) => {
    const error = faultOf(reported(code, message), 'Postgres');
    expect(error.message).toContain(`Postgres failed: ${shown}.`);
    expect(shownBy(error)).not.toContain('s3cr3t');
  });
});
