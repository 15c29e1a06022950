import type { Places, Rule } from './rule.js';

/** How workflow records of one kind move: what the client reads and sends, and the sandbox does. */
export function kind(name: string, text: string, code: Places, tests: Places): Rule {
  return {
    label: `\`${name}\``,
    text,
    kept: 'client and sandbox',
    code,
    tests: { 'test/core/workflow-states.test.ts': `are those of the text: %s > ${name}`, ...tests },
  };
}
