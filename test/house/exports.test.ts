import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as sdk from '../../src/index.js';
import { root, sourcesUnder, textOf } from '../support/sources.js';

it('The entry exports the types and classes of every generated file', () => {
  const declared = sourcesUnder('src/generated').flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:interface|type|abstract class|class) (\w+)/gm)].map(
      ([, name]) => name,
    ),
  );
  const listed = textOf('src/generated/index.ts').match(/\w+(?=,| })/g);
  expect(declared.length).toBeGreaterThan(130);
  expect([...(listed ?? [])].sort()).toEqual(declared.sort());
  expect(textOf('src/index.ts')).toContain("export type * from './generated/index.js';");
});

it('The types of resources that are exported are those that the clients have', () => {
  type Partner = sdk.PartnerClient<'platform'>;
  expectTypeOf<Partner['bids']>().toEqualTypeOf<sdk.PartnerBids<'platform'>>();
  expectTypeOf<Partner['lots']>().toEqualTypeOf<sdk.PartnerLots>();
  expectTypeOf<Partner['saleCases']>().toEqualTypeOf<sdk.PartnerSaleCases>();
  expectTypeOf<Partner['paymentReports']>().toEqualTypeOf<sdk.PartnerPaymentReports>();
  expectTypeOf<Partner['notifications']>().toEqualTypeOf<sdk.PartnerNotifications>();
  expectTypeOf<Partner['winnerUpdates']>().toEqualTypeOf<sdk.WinnerUpdates>();
  expectTypeOf<Partner['documents']>().toEqualTypeOf<sdk.Documents>();
  expectTypeOf<Partner['refunds']>().toEqualTypeOf<sdk.Refunds>();
  expectTypeOf<sdk.BankClient['saleCases']>().toEqualTypeOf<sdk.BankSaleCases>();
  expectTypeOf<sdk.BankClient['paymentReports']>().toEqualTypeOf<sdk.BankPaymentReports>();
  expectTypeOf<sdk.BankClient['notifications']>().toEqualTypeOf<sdk.Notifications>();
  expectTypeOf<sdk.BankClient['inventory']>().toEqualTypeOf<sdk.Inventory>();
});

/** What an entry exports, in the declarations as they are built. */
const builtEntries = readdirSync(join(root, 'dist')).filter((name) => /^[a-z]+\.d\.c?ts$/.test(name));

/** Shapes of objects that other libraries make. Their own docs describe the members. */
const shapesOfOthers = [
  'BlobSource',
  'NodeResponse',
  'PipedStream',
  'PostgresConnection',
  'PostgresPool',
  'RequestDispatcher',
  'ResultsStream',
  'SqliteDatabase',
  'SqliteStatement',
  'StreamSource',
  'StreamedResponse',
];

interface Member {
  /** `Type.member`. */
  readonly name: string;
  readonly isMethod: boolean;
  readonly isOption: boolean;
  readonly isDocumented: boolean;
}

/** Members of every class, interface and object type that an entry exports, inherited ones of this package included. */
function exportedMembers(): Member[] {
  const paths = builtEntries.map((name) => join(root, 'dist', name));
  const program = ts.createProgram(paths, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const members = new Map<string, Member>();
  for (const path of paths) {
    const file = program.getSourceFile(path);
    const entry = file && checker.getSymbolAtLocation(file);
    if (entry === undefined) throw new Error(`${path} is not a module`);
    for (const exported of checker.getExportsOfModule(entry)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      if ((symbol.flags & ts.SymbolFlags.Type) === 0) continue;
      for (const property of propertiesOf(checker.getDeclaredTypeOfSymbol(symbol))) {
        const declaration = property.declarations?.find(isOfThisPackage);
        if (declaration === undefined) continue;
        const type = checker.getNonNullableType(checker.getTypeOfSymbol(property));
        if (type.flags & ts.TypeFlags.Never) continue;
        const name = `${exported.name}.${property.name.replace(/^__@(\w+?)@.*/, '$1')}`;
        members.set(name, {
          name,
          isMethod: type.getCallSignatures().length > 0,
          isOption: exported.name.endsWith('Options'),
          isDocumented: property.getDocumentationComment(checker).length > 0,
        });
      }
    }
  }
  return [...members.values()];
}

function propertiesOf(type: ts.Type): ts.Symbol[] {
  return type.isUnion() ? type.types.flatMap(propertiesOf) : type.getProperties();
}

function isOfThisPackage(declaration: ts.Declaration): boolean {
  const isPrivate = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0;
  const { parent } = declaration;
  const isShapeOfOthers = ts.isInterfaceDeclaration(parent) && shapesOfOthers.includes(parent.name.text);
  return (
    declaration.getSourceFile().fileName.startsWith(join(root, 'dist')) && !isPrivate && !isShapeOfOthers
  );
}

describe('In the built declarations', () => {
  const members = exportedMembers();

  it('every exported method, function and callback that a user meets is documented', () => {
    const methods = members.filter(({ isMethod }) => isMethod);
    expect(methods.length).toBeGreaterThan(300);
    expect(methods.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)).toEqual([]);
  });

  it('every option is documented', () => {
    const options = members.filter(({ isOption }) => isOption);
    expect(options.length).toBeGreaterThan(150);
    expect(options.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)).toEqual([]);
  });

  it('no member has its unit in its name: durations and times are milliseconds everywhere', () => {
    expect(members.filter(({ name }) => name.endsWith('Ms')).map(({ name }) => name)).toEqual([]);
  });
});
