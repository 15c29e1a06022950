import { routes } from '../../generated/routes.js';
import type { IntentExplanation } from '../../index.js';
import { isOpen } from '../../store/intents.js';

/** Commands that bring an unresolved intent to an end, in their order; none for one that is settled. */
export function nextCommands(intent: IntentExplanation): readonly string[] {
  const { idempotencyKey: key, state, provisional, foreign, lot } = intent;
  if (!isOpen(state)) return provisional ? ['recover'] : [];
  const abandon = `intents abandon ${key} --reason "…"`;
  if (foreign) return ['recover --profile …', abandon];
  const isBid = lot !== undefined;
  if (state === 'stuck') return [isBid ? `intents reconcile ${key}` : readOf(intent.path), abandon];
  return state === 'sent' && !isBid ? ['recover', 'recover --resend'] : ['recover'];
}

/** The read of the record that a command changes, by its path, or of the list that it is in. */
function readOf(path: string): string {
  const parts = path.split('/').slice(3);
  for (let length = parts.length; length > 0; length -= 1) {
    const found = routes.find(
      (route) => route.effect === 'read' && isMatch(route.path.split('/').slice(1), parts.slice(0, length)),
    );
    if (found === undefined) continue;
    const ids = parts.filter((_, at) => found.path.split('/')[at + 1]?.startsWith('{'));
    return ['call', found.name, ...ids].join(' ');
  }
  return 'inbox';
}

function isMatch(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((part, at) => part.startsWith('{') || part === parts[at])
  );
}

/** Calls of the library that its advice names, and their commands. */
const calls: readonly (readonly [call: RegExp, command: string])[] = [
  [/\bbids\.resume\(\)/g, '`resume`'],
  [/\brecover\(\{ resend: true \}\)/g, '`recover --resend`'],
  [/\brecover\(\)/g, '`recover`'],
  [/\bintents\.(reconcile|explain|abandon)(?:\(key\))?(?![\w(])/g, '`intents $1 KEY`'],
  [/\bintents\.get(?:\(key\))?/g, '`intents explain KEY`'],
  [/\b(bids\.(?:get|lookup))\b(?!`)/g, '`call $1`'],
  [/\bplace the same bid again under its key/gi, '`bid` the same again with `--key KEY`'],
  [
    /\bName the columns in `map`: (.*?), null to ignore one,/g,
    'Name the columns with --map COLUMN=FIELD, or COLUMN= to ignore one; FIELD is $1,',
  ],
];

/** A message of the library, with flags in place of its options: `--map Year` for `options.map.Year`. */
export function inFlags(message: string): string {
  return message.replace(/\boptions\.(\w+)\.?/g, (found, option: string) => {
    const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return found.endsWith('.') ? `${flag} ` : flag;
  });
}

/** Advice of the library, with commands in place of its calls. */
export function inCommands(advice: string, key = 'KEY'): string {
  const named = calls.reduce((text, [call, command]) => text.replace(call, command), advice);
  return named.replace(/\bKEY\b/g, key);
}
