import type { Places, Rule } from './rule.js';

/** One row of the text's table of codes: what the SDK makes of it, the wire rows, the sandbox's tests. */
export function row(
  label: string,
  text: string,
  wire: readonly string[],
  sandbox: Places,
  code: Places = {},
): Rule {
  const named = [...label.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name);
  return {
    label,
    text,
    kept: 'client and sandbox',
    code: {
      ...(named.length > 0 && { 'src/api/codes.ts': named.map((name) => `codes.${name}`) }),
      'src/errors/by-code.ts': 'apiErrorClass',
      ...code,
    },
    tests: {
      'test/wire/codes.ts': wire,
      ...(named.length > 0 && { [everyCode]: named.map((name) => `%d %s: %s > ${name}`) }),
      ...sandbox,
    },
  };
}

/** A row of codes that a bid was judged by. */
export function rejection(codes: readonly string[], sandbox: Places, more = '', code: Places = {}): Rule {
  const label = `422 ${codes.map((name) => `\`${name}\``).join(', ')}`;
  const wire = codes.map((name) => `422 ${name}, recorded`);
  return row(label, `A rejected bid${more}.`, wire, sandbox, {
    'src/sandbox/bid-rules.ts': 'brokenRules',
    ...code,
  });
}

/** Refuses with every code in turn. */
export const everyCode = 'test/sandbox/codes.test.ts';
