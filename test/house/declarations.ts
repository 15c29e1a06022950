import ts from 'typescript';

/**
 * Whether a file declares `name` at its top, or `name.member…` inside it: members of classes and interfaces,
 * properties of objects, however deep.
 */
export function declares(file: ts.SourceFile, symbol: string): boolean {
  const [name = '', ...members] = symbol.split('.');
  return declarationsOf(file, name).some((declaration) => hasMember(declaration, members));
}

function declarationsOf(file: ts.SourceFile, name: string): ts.Node[] {
  return file.statements
    .flatMap<ts.Node>((statement) =>
      ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [statement],
    )
    .filter((node) => nameOf(node) === name);
}

function hasMember(node: ts.Node, members: readonly string[]): boolean {
  const [name, ...deeper] = members;
  if (name === undefined) return true;
  return membersOf(node).some((member) => nameOf(member) === name && hasMember(member, deeper));
}

function membersOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) return node.members;
  const value =
    ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) ? node.initializer : undefined;
  const object = value && bare(value);
  return object !== undefined && ts.isObjectLiteralExpression(object) ? object.properties : [];
}

/** An expression without `as const`, `satisfies` and parentheses. */
function bare(expression: ts.Expression): ts.Expression {
  return ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isParenthesizedExpression(expression)
    ? bare(expression.expression)
    : expression;
}

function nameOf(node: ts.Node): string | undefined {
  const name: unknown = Reflect.get(node, 'name');
  if (typeof name !== 'object' || name === null) return undefined;
  const text: unknown = Reflect.get(name, 'text');
  return typeof text === 'string' ? text : undefined;
}
