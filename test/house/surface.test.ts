import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root, textOf } from '../support/sources.js';

/**
 * The public surface as it is built: every export of every entry with its members and their types. A change of it fails
 * here until `npx vitest run test/house/surface.test.ts -u` writes it down, and a reader of the change sees it.
 */

const { exports: entries }: { exports: Record<string, { require?: { types: string } }> } = JSON.parse(
  textOf('package.json'),
);
const types = Object.entries(entries).flatMap(([entry, { require }]) =>
  require === undefined ? [] : [{ entry, path: join(root, require.types) }],
);

const program = ts.createProgram(
  types.map(({ path }) => path),
  {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  },
);
const checker = program.getTypeChecker();
const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;

it('The public surface is the one that was written down', async () => {
  const lines = types.flatMap(({ entry, path }) => {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    expect(exported.length, entry).toBeGreaterThan(0);
    const shown = exported.flatMap((symbol) => declarationOf(symbol, path)).sort();
    return [`== vehicle-auction-sdk${entry.slice(1)}`, ...shown, ''];
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('surface.txt');
}, 60_000);

/** One line for the export itself and one for each of its members, without comments. */
function declarationOf(exported: ts.Symbol, path: string): string[] {
  const { name } = exported;
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const [declaration] = symbol.declarations ?? [];
  const at = program.getSourceFile(path);
  if (declaration === undefined || at === undefined) return [name];
  if (ts.isTypeAliasDeclaration(declaration)) return [`type ${name} = ${plain(declaration.type.getText())}`];
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
    const kind = ts.isInterfaceDeclaration(declaration) ? 'interface' : 'class';
    const heads = (declaration.heritageClauses ?? []).map((clause) => ` ${plain(clause.getText())}`).join('');
    const parameters = declaration.typeParameters?.map((one) => plain(one.getText())).join(', ');
    const generic = parameters === undefined ? '' : `<${parameters}>`;
    // Those of its ancestors, too, unless another package declares them.
    const members = checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .flatMap((member) => member.declarations ?? [])
      .filter((member) => isOwn(member) && !/^(#|private )/.test(member.getText()))
      .map((member) => `${name} { ${plain(member.getText())} }`);
    return [`${kind} ${name}${generic}${heads}`, ...members];
  }
  const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
  return [`const ${name}: ${plain(checker.typeToString(type, undefined, flags))}`];
}

function isOwn(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(join(root, 'dist'));
}

/** Without comments and the bundler's numbers, on one line. */
function plain(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/(?<=\w)\$\d/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
