import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogueOf } from '../../tools/generate/catalogue.js';
import { formatted } from '../../tools/generate/format.js';
import { renderModels } from '../../tools/generate/models.js';
import { renderResources } from '../../tools/generate/resources.js';
import { saleSamples } from './api/sale-samples.js';
import { catalogue, catalogueWith } from './samples.js';

const resources = formatted(renderResources(catalogue));
const text = resources.get('src/resources/sale-samples.ts') ?? '';
const models = formatted(renderModels(catalogue)).get('src/models/sale-samples.ts') ?? '';

/** A method with its docs, as it stands in a class. */
function methodText(name: string): string {
  const start = text.lastIndexOf('\n\n', text.search(new RegExp(`^ {2}${name}[(<]`, 'm'))) + 2;
  return text.slice(start, text.indexOf('\n  }\n', start) + 5);
}

describe('classes', () => {
  it('stand in kebab-case files, one for each audience', () => {
    expect([...resources.keys()]).toEqual([
      'src/resources/sale-samples.ts',
      'src/resources/partner.ts',
      'src/resources/bank.ts',
    ]);
    expect(text).toContain("import { saleSamples } from '../routes/sale-samples.js';");
    expect(text.match(/^export class .*(?= \{)/gm)).toEqual([
      'export class SaleSamples',
      'export class PartnerSaleSamples<P extends PartnerType = PartnerType> extends SaleSamples',
      'export class BankSaleSamples extends SaleSamples',
    ]);
    expect(resources.get('src/resources/bank.ts')).toContain('readonly saleSamples: BankSaleSamples;');
    expect(resources.get('src/resources/partner.ts')).toContain(
      'readonly saleSamples: PartnerSaleSamples<P>;',
    );
  });

  it('have the plain name where there is but one, and stand on no other client', () => {
    const { decide } = saleSamples.operations;
    const only = { ...catalogue, resources: [{ ...saleSamples, operations: { decide } }] };
    const files = renderResources(only);
    expect(files.get('src/resources/sale-samples.ts')).toContain('\nexport class SaleSamples {\n');
    expect(files.get('src/resources/bank.ts')).toContain('readonly saleSamples: SaleSamples;');
    expect(files.get('src/resources/partner.ts')).not.toContain('saleSamples');
  });
});

describe('methods', () => {
  it('of versioned commands take the record in place of its id', () => {
    expect(methodText('decide')).toContain('decide<Sample extends string | VersionedRecord>(');
    expect(methodText('decide')).toContain('body: BodyFor<Sample, SaleSamplesDecideBody>,');
    expect(methodText('decide')).toContain(
      '   * @param sample Sample id. Or the record as it was read or returned: its id, and its `resource_version` as',
    );
    expect(methodText('rename')).toContain('rename<Sample extends string | VersionedVehicle>(');
    expect(methodText('rename')).toContain(
      'API: A97, `PATCH /samples/{sample}` (sent as POST with `_method`), scope',
    );
  });

  it('of commands that need nothing but a version take the record alone', () => {
    expect(methodText('revoke')).toContain(
      '...[body = {}, options]: InputFor<Sample, SaleSamplesRevokeBody>',
    );
  });

  it('pass path parameters under their wire names', () => {
    expect(methodText('decide')).toContain('{ path: { sample, step_number: stepNumber }, body },');
  });

  it.each([
    ['list', 'CallOptions'],
    ['upload', 'MutationOptions'],
    ['bid', 'BidOptions'],
  ])('of %s take %s', (name, type) => {
    expect(methodText(name)).toContain(`options?: ${type}`);
  });

  it('walk lists by page or by cursor', () => {
    expect(methodText('list')).toContain(
      'pagerOf<SampleRecord>(this.#call, saleSamples.list, { query }, options);',
    );
    expect(methodText('follow')).toContain(
      'cursorPagerOf<SampleLabels>(this.#call, saleSamples.follow, { query }, options);',
    );
    expect(text).toContain("import { type CursorPager, cursorPagerOf } from '../paging/cursor-pager.js';");
  });

  it('that walk lists say that nothing is sent yet', () => {
    const sentence = 'Returns a pager: nothing is sent before it is walked.';
    expect(methodText('list')).toContain(`   * Lists samples.\n   *\n   * ${sentence}\n`);
    expect(methodText('follow')).toContain(sentence);
    expect(methodText('get')).not.toContain('pager');
  });

  it('have notes and hints', () => {
    expect(methodText('upload')).toContain(
      '   * It is scanned.\n   *\n   * `fileContent` makes bytes of a file.\n',
    );
  });

  it('say what they are, and no more codes than are their own', () => {
    expect(methodText('bid')).toContain('Codes of its own: `LOT_NOT_LIVE`.');
    expect(methodText('upload')).not.toContain('Codes');
    expect(methodText('subscribe')).toContain('lists it as not callable: a 404 is to be expected');
    expect(methodText('download')).toContain('API: A73, `GET /samples/{sample}?download=1`, scope');
    expect(methodText('follow')).toContain('@param query What to ask for: `after`.');
  });
});

describe('models', () => {
  it('keep keys that nobody has listed, where the API has such', () => {
    expect(models).toContain('  /** A label of the bank. */\n  readonly [field: string]: unknown;\n}');
    expect(models.match(/\[field: string\]/g)).toHaveLength(1);
  });

  it('take files as content', () => {
    expect(models).toContain("import type { FileContent } from '../ports/file-content.js';\n");
    expect(models).toContain('  readonly content_base64: string | FileContent;\n');
  });

  it('describe every field with its section', () => {
    expect(models).toContain('  /** Tags. (API: Samples) */\n');
    const { upload } = saleSamples.operations;
    const nameless = { ...upload, body: z.strictObject({ note: z.string() }) };
    expect(() => renderModels(catalogueWith({ upload: nameless }))).toThrow(
      'SaleSamplesUploadBody.note has no description',
    );
    const Untitled = z.object({});
    const untitled = catalogueOf({ a: { Untitled } }, [], []);
    expect(() => renderModels(untitled)).toThrow('Untitled needs a title and a section');
  });

  it('of a module without any are no file', () => {
    const { get } = saleSamples.operations;
    const bare = { ...catalogue, modules: [], resources: [{ ...saleSamples, operations: { get } }] };
    expect([...renderModels(bare).keys()]).toEqual([]);
  });
});
