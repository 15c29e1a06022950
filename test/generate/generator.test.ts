import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyObject, openEnum } from '../../src/api/common.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { catalogueOf } from '../../tools/generate/catalogue.js';
import { renderGenerated } from '../../tools/generate/generated.js';
import { service } from '../../tools/generate/load.js';
import { renderOpenApi } from '../../tools/generate/openapi.js';
import { examples, schemaWriter } from '../../tools/generate/openapi-schema.js';
import { renderReference } from '../../tools/generate/reference.js';
import { typeOf } from '../../tools/generate/schema-type.js';
import { docComment, table } from '../../tools/generate/text.js';
import { root, textOf } from '../support/sources.js';
import { catalogue, catalogueWith, saleSamples, samples } from './samples.js';

describe('a catalogue', () => {
  it('knows a model that was described again', () => {
    expect(catalogue.modelOf(samples.SampleData.describe('Again.'))?.name).toBe('SampleData');
    expect(catalogue.modelOf(z.object({}))).toBeUndefined();
  });

  it.each(['SampleData', 'SaleSamplesDecideBody'])('refuses a second %s', (name) => {
    const other = { [name]: z.object({}) };
    expect(() => catalogueOf({ other, 'sale-samples': samples }, [samples.saleSamples], [])).toThrow(
      `${name} is declared twice: for other and for sale-samples`,
    );
  });

  it('refuses one schema under two names', () => {
    const { SampleData } = samples;
    expect(() => catalogueOf({ a: { SampleData, Same: SampleData } }, [], [])).toThrow(
      'SampleData and Same are one schema',
    );
  });

  it('refuses a resource that its file does not export under its name, and one that is not listed', () => {
    const { saleSamples } = samples;
    const other = { saleSamples: { ...saleSamples, name: 'other' } };
    expect(() => catalogueOf({ samples }, [saleSamples], [])).toThrow('saleSamples of samples.ts');
    expect(() => catalogueOf({}, [saleSamples], [])).toThrow('saleSamples of sale-samples.ts');
    expect(() => catalogueOf({ 'sale-samples': other }, [saleSamples], [])).toThrow('do not agree');
    expect(() => catalogueOf({ 'sale-samples': samples }, [], [])).toThrow('saleSamples of sale-samples.ts');
  });

  it('refuses an operation that contradicts itself', () => {
    const { decide, get, rename } = samples.saleSamples.operations;
    const swapped = { step_number: decide.params.step_number, sample: decide.params.sample };
    expect(() => catalogueWith({ decide: { ...decide, params: swapped } })).toThrow(
      'saleSamples.decide must have params for /samples/{sample}/decisions/{step_number}, in that order',
    );
    const { versionFrom, ...unversioned } = rename;
    expect(() => catalogueWith({ rename: unversioned })).toThrow('saleSamples.rename must take versionFrom');
    expect(() => catalogueWith({ get: { ...get, versionFrom } })).toThrow(
      'saleSamples.get must take versionFrom',
    );
    expect(() =>
      catalogueWith({ rename: { ...rename, versionFrom: { ...versionFrom, param: 'id' } } }),
    ).toThrow('from a param');
  });
});

describe('classes', () => {
  it('have the plain name where there is but one', () => {
    const { decide } = saleSamples.operations;
    const only = { ...catalogue, resources: [{ ...saleSamples, operations: { decide } }] };
    const files = renderGenerated(only);
    expect(files.get('src/generated/sale-samples.ts')).toContain('\nexport class SaleSamples {\n');
  });
});

describe('docs of a class', () => {
  it('name the command that looks up an id once, and no method repeats it', () => {
    const text = renderGenerated(catalogue).get('src/generated/sale-samples.ts') ?? '';
    const commands = [
      ...text.matchAll(/`npx vehicle-auction-sdk docs (A\d+)`\.\n \*\/\nexport class (\w+)/g),
    ];
    expect(commands.map(([, id, name]) => `${name} ${id}`)).toEqual([
      'SaleSamples A73',
      'BankSaleSamples A99',
    ]);
    expect(text.match(/vehicle-auction-sdk docs/g)).toHaveLength(2);
  });
});

describe('models', () => {
  it('are refused without descriptions, a title or a section', () => {
    const { revoke } = saleSamples.operations;
    const { versionFrom: _, ...nameless } = { ...revoke, body: z.strictObject({ note: z.string() }) };
    expect(() => renderGenerated(catalogueWith({ revoke: nameless }))).toThrow(
      'SaleSamplesRevokeBody.note has no description',
    );
    const Untitled = z.object({});
    const untitled = catalogueOf({ a: { Untitled } }, [], []);
    expect(() => renderGenerated(untitled)).toThrow('Untitled needs a title and a section');
  });
});

describe('types', () => {
  it.each<[schema: z.ZodType, type: string]>([
    [z.literal('INR'), "'INR'"],
    [z.literal(["it's", 7, true, null]), "'it\\'s' | 7 | true | null"],
    [z.enum(['a', 'b']), "'a' | 'b'"],
    [openEnum('a', 'b').nullable(), "'a' | 'b' | (string & {}) | null"],
    [z.array(openEnum('a')), "readonly ('a' | (string & {}))[]"],
    [z.array(z.array(z.int())), 'readonly (readonly number[])[]'],
    [z.union([z.string(), anyObject]), 'string | { readonly [key: string]: unknown }'],
    [z.array(anyObject), 'readonly { readonly [key: string]: unknown }[]'],
    [z.array(anyObject.nullable()), 'readonly ({ readonly [key: string]: unknown } | null)[]'],
    [z.union([z.string(), z.string().min(1), z.null()]), 'string | null'],
    [z.unknown(), 'unknown'],
    [z.array(samples.SampleRecord.describe('Again.')), 'readonly SampleRecord[]'],
    [z.string().meta({ file: true }).optional(), 'string | FileContent'],
  ])('are spelt: %#', (schema, type) => {
    expect(typeOf(schema, catalogue)).toBe(type);
  });

  it('are not guessed', () => {
    expect(() => typeOf(z.date(), catalogue)).toThrow('No TypeScript spelling for a schema of kind "date"');
    expect(() => typeOf(z.literal(7n), catalogue)).toThrow('No TypeScript spelling for the literal 7');
    expect(() => typeOf(z.array(z.object({})), catalogue)).toThrow('an object needs a name');
  });
});

describe('lines', () => {
  it('of comments wrap, and cannot be ended from inside', () => {
    expect(docComment(['ends */ early'])).toBe('/** ends *\\/ early */\n');
    expect(docComment(['One.', undefined, '', 'Two.', '@param a A.', '@param b B.'], '  ')).toBe(
      '  /**\n   * One.\n   *\n   * Two.\n   * @param a A.\n   * @param b B.\n   */\n',
    );
    const wrapped = docComment([`${'word '.repeat(60)}end`], '  ').split('\n');
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(wrapped.join(' ').match(/word/g)).toHaveLength(60);
  });

  it('of tables are one line each, whatever stands in a cell', () => {
    const cells = table(['A', 'B', 'C'], [['a | b', 'c\n d', 'e \\| f']]);
    expect(cells).toBe('| A | B | C |\n|---|---|---|\n| a \\| b | c d | e \\| f |');
  });
});

describe('two methods of one operation', () => {
  it('leave a query that only one of them has optional', () => {
    const get = {
      ...saleSamples.operations.get,
      query: z.strictObject({ part: z.string().describe('Part.') }),
    };
    const { parameters } = JSON.parse(renderOpenApi(catalogueWith({ get }), '1'))['paths'][
      '/api/v1/samples/{sample}'
    ].get;
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'part', required: false }));
  });

  it('are told from two operations in one place, which there cannot be', () => {
    const { revoke } = saleSamples.operations;
    const rendering =
      (others: Parameters<typeof catalogueWith>[0], planned: readonly PlannedOperation[] = []) =>
      () =>
        renderOpenApi(catalogueWith(others, planned), '1');
    const place = 'share post /api/v1/samples/{sample}/revocations';
    expect(rendering({ other: { ...revoke, id: 'A95' } })).toThrow(place);
    expect(rendering({ again: { ...revoke, summary: 'Once more.' } })).toThrow(place);
    // A method that travels as POST doesn't tell them apart.
    expect(rendering({ other: { ...revoke, id: 'A95', path: '/samples/{sample}' } })).toThrow('share post');
    const planned = { id: 'A94', method: 'PUT', path: '/samples/{sample}', group: 'Later' } as const;
    expect(rendering({}, [planned])).toThrow('Two operations share');
  });
});

describe('schemas', () => {
  it('keep what the SDK notes for itself to themselves', () => {
    const { write } = schemaWriter(catalogue);
    expect(write(z.string().meta({ own: true, section: 'Bids' }))).toEqual({ type: 'string' });
  });

  it("leave zod's own registry as it is", () => {
    expect(samples.SampleRecord.meta()?.id).toBeUndefined();
  });
});

/** Headings, as renderers of Markdown make links of them. */
function headingsOf(text = ''): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = '']) => heading.toLowerCase().replaceAll('.', ''));
}

it('Every link of the reference leads to a page and a heading that are there', () => {
  const pages = renderReference(service);
  const links = [...pages].flatMap(([from, text]) =>
    [...text.matchAll(/\]\(([\w-]+\.md)(?:#([^)]+))?\)/g)].map((link) => [from, ...link.slice(1)]),
  );
  expect(links.length).toBeGreaterThan(100);
  for (const [from, file, anchor] of links) {
    const path = join(String(from), '..', String(file));
    const target = pages.get(path) ?? (existsSync(join(root, path)) ? textOf(path) : undefined);
    expect(target, `${from} → ${file}`).toBeDefined();
    if (anchor !== undefined) expect(headingsOf(target), `${from} → ${file}`).toContain(anchor);
  }
});

it('The reference shows the body and the reply of every operation, as the sandbox had them', () => {
  const pages = renderReference(service);
  const sections = [...pages.values()].flatMap((text) => text.split(/^## /m));
  const withJson = service.methods.filter(({ operation }) => operation.envelope !== 'binary');
  expect(withJson.length).toBeGreaterThan(40);
  for (const { operation } of withJson) {
    const section = sections.find((each) => each.startsWith(`${operation.name}\n`)) ?? '';
    const shown = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) =>
      JSON.parse(json),
    );
    const { request, reply } = examples[operation.name] ?? {};
    expect(shown, operation.name).toEqual(request === undefined ? [reply] : [request, reply]);
  }
});
