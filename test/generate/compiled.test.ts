import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderModels } from '../../tools/generate/models.js';
import { renderResources } from '../../tools/generate/resources.js';
import { renderRoutes } from '../../tools/generate/routes.js';
import { problemsIn } from '../support/compiler.js';
import { root } from '../support/sources.js';
import { catalogue } from './samples.js';

/** What generated code imports by the side of itself, and where that stands in fact. */
const neighbours =
  'api/check api/operation ports/file-content core/caller paging/pager paging/cursor-pager'.split(' ');

const head = `import type { BankSaleSamples, PartnerSaleSamples, SaleSamples } from './resources/sale-samples.js';
import type { FileContent } from './ports/file-content.js';
import type { SampleRecord, SaleSamplesDecideBody } from './models/sale-samples.js';
declare const bank: BankSaleSamples;
declare const dealer: PartnerSaleSamples<'direct_dealer'>;
declare const platform: PartnerSaleSamples<'platform'>;
declare const samples: SaleSamples;
declare const record: SampleRecord;
declare const file: FileContent;
declare const body: SaleSamplesDecideBody;
`;

const right = {
  id: `bank.decide('s', 1, { decision: 'approved', currency: 'INR', expected_version: 4 });`,
  record: `bank.decide(record, '1', { decision: 'a value of next year', currency: 'INR' });`,
  recordAndVersion: `bank.decide(record, 1, { decision: 'approved', currency: 'INR', expected_version: 4 });`,
  bodyOfItsType: `bank.decide('s', 1, body); bank.decide(record, 1, body);`,
  recordAlone: 'bank.revoke(record);',
  vehicle: `bank.rename({ data: { vehicle_id: 'v', inventory_version: 2 } }, { title: 'T' });`,
  key: `bank.revoke(record, {}, { idempotencyKey: 'k', extraBody: { note: 1 } });`,
  file: `samples.upload({ content_base64: file }); samples.upload({ content_base64: 'AAAA' });`,
  cursor: `for await (const labels of samples.follow({ after: 'c' })) { const label: unknown = labels['any']; }`,
  pager: 'for await (const { data } of samples.list()) { const party = data?.party; }',
  binary: `(await samples.download('s')).stream;`,
  undefinedForLeftOut: 'bank.revoke(record, { reason: undefined });',
  bids: `dealer.bid({ amount: '1' }); platform.bid({ amount: '1', bidder_reference: 'b' });`,
};

const wrong: Readonly<Record<string, readonly [code: string, message: RegExp]>> = {
  idWithoutVersion: [
    `bank.decide('s', 1, { decision: 'approved', currency: 'INR' });`,
    /Property 'expected_version' is missing/,
  ],
  idAlone: [`bank.revoke('s');`, /Expected 2-3 arguments, but got 1/],
  missingField: [`bank.decide(record, 1, { currency: 'INR' });`, /Property 'decision' is missing/],
  misspeltField: [
    `bank.decide(record, 1, { decision: 'approved', currency: 'INR', resaon: 'x' });`,
    /'resaon' does not exist/,
  ],
  otherCurrency: [`bank.decide(record, 1, { decision: 'approved', currency: 'USD' });`, /"USD"/],
  noRecord: [`bank.revoke({ sale_id: 's', resource_version: 1 });`, /'sale_id' does not exist/],
  recordForVehicle: [`bank.rename({ id: 'v', resource_version: 1 }, { title: 'T' });`, /'id' does not exist/],
  keyOnRead: [`samples.get('s', { idempotencyKey: 'k' });`, /'idempotencyKey' does not exist/],
  extrasOnBid: [`dealer.bid({ amount: '1' }, { extraBody: {} });`, /'extraBody' does not exist/],
  dealerNamesBuyer: [
    `dealer.bid({ amount: '1', bidder_reference: 'b' });`,
    /bidder_reference|not assignable/,
  ],
  bankCommandOfPartner: [`dealer.decide(record, 1, { decision: 'approved', currency: 'INR' });`, /'decide'/],
  fileAsBytes: ['samples.upload({ content_base64: new Uint8Array() });', /Uint8Array/],
};

const asModule = (code: string) => `${head}async function use() {\n${code}\n}\nvoid use;\n`;
const folder = join(root, 'test/generate/');
const rendered = [renderModels, renderRoutes, renderResources].flatMap((render) => [...render(catalogue)]);
const files = new Map([
  ...rendered.map(([path, text]) => [path.replace(/^src\//, ''), text] as const),
  ...neighbours.map((path) => [`${path}.ts`, `export * from '../../../src/${path}.js';\n`] as const),
  ...Object.entries(right).map(([name, code]) => [`right-${name}.ts`, asModule(code)] as const),
  ...Object.entries(wrong).map(([name, [code]]) => [`wrong-${name}.ts`, asModule(code)] as const),
]);
const found = problemsIn(new Map([...files].map(([path, text]) => [join(folder, path), text])));
const problems = new Map([...found].map(([path, texts]) => [path.slice(folder.length), texts]));

describe('generated code', () => {
  it('compiles, strictly', () => {
    const generated = [...problems].filter(([path]) => /^(models|resources|routes)\//.test(path));
    expect(generated.map(([path]) => path).sort()).toEqual([
      'models/sale-samples.ts',
      'resources/bank.ts',
      'resources/partner.ts',
      'resources/sale-samples.ts',
      'routes/all.ts',
      'routes/sale-samples.ts',
      'routes/schemas.ts',
    ]);
    expect(generated.flatMap(([, found]) => found)).toEqual([]);
  });

  it.each(Object.keys(right))('takes what is right: %s', (name) => {
    expect(problems.get(`right-${name}.ts`)).toEqual([]);
  });

  it.each(Object.entries(wrong))('refuses what is wrong, and says why: %s', (name, [, message]) => {
    expect(problems.get(`wrong-${name}.ts`)?.join('\n')).toMatch(message);
  });
});
