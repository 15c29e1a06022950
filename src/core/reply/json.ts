import { tolerated } from '../../api/tolerance.js';

/** JSON as PHP programs send it. */

interface ParsedJson {
  readonly json: unknown;
  /** Warnings of PHP preceded it. */
  readonly warned?: boolean;
}

/** Parses the text of a body; undefined if it isn't JSON. */
export function parsedJson(text: string): ParsedJson | undefined {
  const parsed = tryJson(text);
  if (parsed !== undefined) return parsed;
  const bare = bareText(text);
  const found = bare === text ? undefined : tryJson(bare);
  if (found !== undefined) return found;
  const after = tolerated('body', bare)?.value;
  const warned = typeof after === 'string' ? tryJson(after) : undefined;
  return warned && { ...warned, warned: true };
}

function tryJson(text: string): ParsedJson | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** A text without byte order marks, white space and NUL around it: each PHP file that begins with a mark writes one. */
function bareText(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\0') end -= 1;
  return text.slice(0, end).trim();
}
