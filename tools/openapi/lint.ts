import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allOf, installedVersion, type Row, root, run } from '../consumer/project.js';

export const document = join(root, 'openapi.json');

/** Lints the document with redocly and spectral. @throws Error with their findings, warnings included */
export async function lint(project: string): Promise<Row[]> {
  writeFileSync(join(project, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }));
  // `recommended-strict` turns every warning of `recommended` into an error.
  const redocly = ['lint', '--extends=recommended-strict', document];
  const spectral = ['lint', '--ruleset', 'spectral.json', '--fail-severity=hint', document];
  await allOf([run(...tool(project, 'redocly', redocly)), run(...tool(project, 'spectral', spectral))]);
  return ['@redocly/cli', '@stoplight/spectral-cli'].map((name) => [
    `${name} ${installedVersion(project, name)}`,
    'no error and no warning',
  ]);
}

/** How to run an installed tool in its project. */
export function tool(project: string, name: string, args: readonly string[]) {
  return [join(project, 'node_modules/.bin', name), args, project] as const;
}
