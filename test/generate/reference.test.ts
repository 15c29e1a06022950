import { describe, expect, it } from 'vitest';
import { service } from '../../tools/generate/load.js';
import { renderReference } from '../../tools/generate/reference.js';
import { catalogue } from './samples.js';

const files = renderReference(catalogue);
const page = files.get('docs/reference/sale-samples.md') ?? '';

/** What stands under the heading of a method. */
function section(name: string): string {
  return page.split(/^## /m).find((text) => text.startsWith(`saleSamples.${name}\n`)) ?? '';
}

/** Headings, as renderers of Markdown make links of them. */
function headingsOf(text = ''): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll('.', ''),
  );
}

describe('the reference', () => {
  it('has a page for every resource, in kebab case, and those that belong to all', () => {
    expect([...files.keys()].sort()).toEqual([
      'docs/open-questions.md',
      'docs/reference/README.md',
      'docs/reference/codes.md',
      'docs/reference/models.md',
      'docs/reference/planned.md',
      'docs/reference/sale-samples.md',
    ]);
  });

  it.each([
    ['of the samples', files],
    ['of the service', renderReference(service)],
  ])('leads to headings that are there: %s', (_, pages) => {
    const links = [...pages].flatMap(([from, text]) =>
      [...text.matchAll(/\]\(([\w-]+\.md)(?:#([^)]+))?\)/g)].map(([, file, anchor]) => ({
        from,
        file,
        anchor,
      })),
    );
    expect(links.length).toBeGreaterThan(10);
    for (const { from, file, anchor } of links) {
      const target = pages.get(`docs/reference/${file}`);
      expect(target, `${from} → ${file}`).toBeDefined();
      if (anchor !== undefined) expect(headingsOf(target), `${from} → ${file}`).toContain(anchor);
    }
  });

  it('says of every open question what the sandbox can do about it, the default first', () => {
    const rows = (files.get('docs/open-questions.md') ?? '').split('\n');
    const sandbox = (id: string) =>
      rows
        .find((row) => row.startsWith(`| \`${id}\` |`))
        ?.split(' | ')
        .at(-2);
    expect(rows.find((row) => row.startsWith('| Row'))).toContain('| Meanwhile | Sandbox | Settled by |');
    expect(sandbox('inactive-client-status')).toBe('**`401`**, `403`');
    expect(sandbox('inventory-version-source')).toBe('');
  });

  it('tells how a versioned command is called', () => {
    expect(section('decide')).toContain('saleSamples.decide(sample, stepNumber, body, options?)');
    expect(section('decide')).toContain('| `stepNumber` | `number \\| string` | Step. |');
    expect(section('rename')).toContain(
      '`sample` may be the record itself in place of its id: its `inventory_version` is then sent, and `expected_version` may be left out.',
    );
    expect(section('upload')).not.toContain('record itself');
  });

  it('tells how a call travels', () => {
    expect(section('rename')).toContain(
      '- `PATCH /api/v1/samples/{sample}`, signed as PATCH and sent as POST with `_method: PATCH` in the body',
    );
    expect(section('download')).toContain(
      '- `GET /api/v1/samples/{sample}?download=1`\n- A73 of the API text',
    );
    expect(section('subscribe')).toContain('lists it as not callable');
    expect(section('subscribe')).toContain('saleSamples.subscribe(body?, options?)');
    expect(section('follow')).toContain(
      'Returns a cursor pager over [`SampleLabels`](models.md#samplelabels); nothing is sent before it is walked.',
    );
    expect(section('bid')).toContain('scope `sales:read`, for partners\n- changes state: a bid');
    expect(section('list')).toContain('scope `sales:read`, for partners and banks\n');
  });

  it('says where the text names no caller', () => {
    expect(section('get')).toContain(
      'scope `sales:read`; who may call it is not stated, so both clients have it\n',
    );
    const index = files.get('docs/reference/README.md') ?? '';
    expect(index).toContain('| A73 | `GET /samples/{sample}` | not stated | Reads one sample. |');
    expect(index).toContain('| banks | Renames a sample. |');
  });

  it('has notes and hints', () => {
    expect(section('upload')).toContain('\n\nIt is scanned.\n\n`fileContent` makes bytes of a file.\n\n');
  });

  it('spells types plainly, and keeps cells whole', () => {
    const models = files.get('docs/reference/models.md') ?? '';
    expect(models).toContain('| `party`? | `string \\| object \\| null` | Text or object \\| piped. |');
    expect(models).toContain("| `tags`? | `('a' \\| 'b\\'c' \\| string)[]` | Tags. |");
    expect(models).toContain('Any further key: A label of the bank.');
    expect(section('upload')).toContain('`fileContent(path)` streams a file in its place.');
  });

  it('lists what is planned by group', () => {
    expect(files.get('docs/reference/planned.md')).toContain(
      '## Later\n\n| Id | HTTP |\n|---|---|\n| A12 | `GET /changes` |\n| A66 | `PUT /changes/{change}/parts/{part}` |\n',
    );
  });
});
