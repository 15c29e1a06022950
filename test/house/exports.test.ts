import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { sourcesUnder, textOf } from '../support/sources.js';

/** The two sets are what clients extend; a user meets their members alone. */
const sets = ['src/resources/bank.ts', 'src/resources/partner.ts'];

const generated = [...sourcesUnder('src/models'), ...sourcesUnder('src/resources')].filter(
  (file) => !sets.includes(file),
);

/** What a file declares and exports. */
function declaredIn(text: string): string[] {
  return [...text.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = '']) => name);
}

/** What an entry exports from other files, as `name from file`. */
function exportedFrom(text: string): string[] {
  const source = ts.createSourceFile('index.ts', text, ts.ScriptTarget.ES2022);
  return source.statements.filter(ts.isExportDeclaration).flatMap(({ exportClause, moduleSpecifier }) => {
    if (exportClause === undefined || !ts.isNamedExports(exportClause) || moduleSpecifier === undefined)
      return [];
    if (!ts.isStringLiteral(moduleSpecifier)) return [];
    const file = moduleSpecifier.text.replace(/^\.\/(.*)\.js$/, 'src/$1.ts');
    return exportClause.elements.map(({ name }) => `${name.text} from ${file}`);
  });
}

/** Generated classes that a hand-written one of the same name extends: users meet that one. */
const extended: Readonly<Record<string, string>> = {
  'PartnerBids from src/resources/bids.ts': 'PartnerBids from src/bids/partner-bids.ts',
};

/** What is generated and not exported by an entry. */
function forgottenBy(entry: string): string[] {
  const exported = new Set(exportedFrom(entry));
  return generated
    .flatMap((file) => declaredIn(textOf(file)).map((name) => `${name} from ${file}`))
    .filter((line) => !exported.has(extended[line] ?? line));
}

describe('the entry of the package', () => {
  it('exports every generated type: models, bodies, queries, resources', () => {
    expect(generated.length).toBeGreaterThan(40);
    expect(forgottenBy(textOf('src/index.ts'))).toEqual([]);
  });

  it('would be caught forgetting one', () => {
    const entry = textOf('src/index.ts').replace(/\bBidReceipt,/, '');
    expect(forgottenBy(entry)).toEqual(['BidReceipt from src/models/bids.ts']);
  });
});
