import { describe, expect, it } from 'vitest';
import { codes } from '../../src/api/codes.js';
import { routes } from '../../src/generated/routes.js';
import { Running, ran } from './command.js';

describe('docs', () => {
  it('prints scope, actor, request, reply and errors of an operation', async () => {
    const { code, stdout } = await ran('docs', 'A06');
    expect(code).toBe(0);
    const page = [
      /^A06 {2}bids\.lookup\n/,
      /\nGET \/api\/v1\/bid-requests\/\{idempotency_key\}\n/,
      /\nScope: bids:read\nFor: partners\nEffect: read\n/,
      /\nParameters\n {2}idempotency_key: string \(uuid\), in the path\n {6}\w/,
      /\nReply 200\n {2}data: BidLookup\n/,
      /\nBidLookup\n.*\n.*\n {2}state: "processing" \| "accepted" \| "rejected" \| "absent"\n/,
      /\nErrors\n {2}401: .*INVALID_SIGNATURE.*\n[\s\S]* {2}404: NOT_FOUND\.\n/,
    ];
    for (const part of page) expect(stdout).toMatch(part);
  });

  it('prints the body of a bid, with a mark on fields that may be left out', async () => {
    const { stdout } = await ran('docs', 'bids.submit');
    expect(stdout).toMatch(/\nBody\n[\s\S]* {2}bidder_reference\?: string\n[\s\S]* {2}dealer_id: string\n/);
    expect(stdout).toMatch(/\nReply 201: .*first time/);
  });

  it('is where the help of an operation sends its reader for the fields', async () => {
    const { stdout } = await ran('call', 'paymentReports.decide', '--help');
    expect(stdout.replace(/\s+/g, ' ')).toContain('"docs paymentReports.decide" describes its fields.');
    expect((await ran('docs', 'paymentReports.decide')).stdout).toContain('received_amount');
  });

  it('has a page for every operation, by its id and by its method', async () => {
    for (const { name, id, method, path } of routes) {
      const [byId, byName] = [await ran('docs', id), await ran('docs', name.toUpperCase())];
      const { stdout } = byId;
      expect([name, byId.code, byName.stdout === stdout]).toEqual([name, 0, true]);
      const target = path.replace(/\{\w+\}/g, '{');
      const http = stdout.split('\n').find((line) => / \/api\/v1/.test(line)) ?? '';
      expect(http.replace(/\{\w+\}/g, '{')).toMatch(
        new RegExp(`(${method}|POST) /api/v1${target.replace(/[{]/g, '\\{')}$`),
      );
      expect(stdout).toContain('\nErrors\n');
    }
  });

  it('prints a planned operation, a model, a code, and the codes of a status', async () => {
    expect((await ran('docs', 'a85')).stdout).toContain("Status: planned. It can't be called yet.");
    expect((await ran('docs', 'BidLookup')).stdout).toMatch(
      /^BidLookup\n[\s\S]*\nFields\n {2}idempotency_key: /,
    );
    for (const [code, { statuses, nextStep }] of Object.entries(codes)) {
      const { stdout } = await ran('docs', code);
      expect(stdout).toContain(`Status: ${statuses.join(', ')}\n`);
      expect(stdout).toContain(nextStep);
    }
    const conflicts = await ran('docs', '409');
    expect(conflicts.stdout).toMatch(/^NONCE_REPLAYED\t409\t.*\nIDEMPOTENCY_CONFLICT\t409\t/);
  });

  it('lists all operations, or those that have a word', async () => {
    const all = (await ran('docs')).stdout.trim().split('\n');
    expect(all.length).toBeGreaterThan(routes.length);
    expect(all).toContainEqual(expect.stringMatching(/^A06 bids\.lookup\tGET \/api/));
    const found = await ran('docs', 'refund', '--json');
    const lines = found.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ name }) => name)).toContain('A49 refunds.get');
    const [one] = [JSON.parse((await ran('docs', 'A49', '--json')).stdout)];
    expect(one).toMatchObject({ operationId: 'refunds.get', 'x-id': 'A49' });
  });

  it.each([
    ['A99', /A8\d\?$/m],
    ['bids.sumbit', /Did you mean bids\.submit\?/],
    ['BID_BELOW_MINIMUN', /Did you mean BID_BELOW_MINIMUM\?/],
    ['%%%%', /"docs" lists the operations/],
  ])('suggests the nearest page for %s', async (word, hint) => {
    const { code, stderr } = await ran('docs', word);
    expect([code, stderr]).toEqual([2, expect.stringMatching(hint)]);
  });

  it('reads the description that is packed with the built command', async () => {
    await using running = new Running(['docs', 'A06']);
    await running.said(/^A06 {2}bids\.lookup\n/);
    expect(await running.ended).toBe(0);
  });
});
