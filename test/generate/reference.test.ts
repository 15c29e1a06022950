import { describe, expect, it } from 'vitest';
import { service } from '../../tools/generate/load.js';
import { renderReference } from '../../tools/generate/reference.js';
import { catalogue } from './samples.js';

const files = renderReference(catalogue);
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
});
