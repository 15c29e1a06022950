import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedVersion, type Row, root, run } from '../consumer/project.js';

export const document = join(root, 'openapi.json');

/** Lints the document with redocly and spectral. @throws Error with their findings, warnings included */
export async function lint(project: string): Promise<Row[]> {
  writeFileSync(join(project, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }));
  // `recommended-strict` turns every warning of `recommended` into an error.
  await run(...tool(project, 'redocly', ['lint', '--extends=recommended-strict', document]));
  const strict = ['--ruleset', 'spectral.json', '--fail-severity=hint'];
  await run(...tool(project, 'spectral', ['lint', ...strict, document]));
  return ['@redocly/cli', '@stoplight/spectral-cli'].map((name) => [
    `${name} ${installedVersion(project, name)}`,
    'no error and no warning',
  ]);
}

/** How to run an installed tool in its project. */
export function tool(project: string, name: string, args: readonly string[]) {
  return [join(project, 'node_modules/.bin', name), args, project] as const;
}
