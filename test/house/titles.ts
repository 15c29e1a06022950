import ts from 'typescript';

/** One title that is given to `it`, `test` or `describe`, with or without `.each`. */
interface Titled {
  /** As it stands in the source, placeholders and all. */
  readonly title: string;
  /** Titles that it stands under, the outermost first. */
  readonly above: readonly string[];
  readonly call: ts.CallExpression;
}

/**
 * Whether a test file has a title under the titles before it, which need not begin with the outermost. Behind the
 * title of a table of cases may come a literal of that table.
 */
export function hasTitle(file: ts.SourceFile, path: readonly string[]): boolean {
  const all = titlesIn(file);
  const [row = '', ...table] = [...path].reverse();
  return (
    all.some((one) => endsWith(one, path)) ||
    all.some((one) => endsWith(one, table.toReversed()) && literalsOf(one.call).has(row))
  );
}

function endsWith({ above, title }: Titled, path: readonly string[]): boolean {
  const whole = [...above, title].slice(-path.length);
  return path.length > 0 && whole.length === path.length && path.every((part, at) => part === whole[at]);
}

function titlesIn(file: ts.SourceFile): Titled[] {
  const found: Titled[] = [];
  const visit = (node: ts.Node, above: readonly string[]): void => {
    const title = ts.isCallExpression(node) ? titleOf(node) : undefined;
    if (title !== undefined && ts.isCallExpression(node)) found.push({ title, above, call: node });
    ts.forEachChild(node, (child) => visit(child, title === undefined ? above : [...above, title]));
  };
  visit(file, []);
  return found;
}

function titleOf({ expression, arguments: [title] }: ts.CallExpression): string | undefined {
  if (title === undefined || !['it', 'test', 'describe'].includes(rootOf(expression))) return undefined;
  if (ts.isStringLiteralLike(title)) return title.text;
  return ts.isTemplateExpression(title) ? title.getText().slice(1, -1) : undefined;
}

/** `it` of `it.each(rows)`. */
function rootOf(callee: ts.Expression): string {
  if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) return rootOf(callee.expression);
  return ts.isIdentifier(callee) ? callee.text : '';
}

/** Every literal in the table of `.each(table)(title)`, also where the table is a variable in reach. */
function literalsOf({ expression: callee }: ts.CallExpression): Set<string> {
  const literals = new Set<string>();
  const names = new Set<string>();
  const collect = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.add(node.text);
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, collect);
  };
  if (!ts.isCallExpression(callee)) return literals;
  for (const argument of callee.arguments) collect(argument);
  for (let at: ts.Node = callee; !ts.isSourceFile(at); at = at.parent) {
    const { parent } = at;
    if (!ts.isBlock(parent) && !ts.isSourceFile(parent)) continue;
    for (const { name, initializer } of variablesOf(parent.statements))
      if (ts.isIdentifier(name) && names.has(name.text) && initializer !== undefined) collect(initializer);
  }
  return literals;
}

function variablesOf(statements: readonly ts.Statement[]): ts.VariableDeclaration[] {
  return statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
}
