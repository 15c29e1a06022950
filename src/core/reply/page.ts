import { firstWords, plainLine } from '../../errors/text.js';

/** Quotes from a page or a text that answered in place of the service. */

/** Only the beginning of a page is read. */
const PAGE_CAP = 20_000;
/** Characters to keep before redaction: a text that is cut before it is redacted can show a part of a secret. */
const KEPT = 2_000;
const QUOTE_CAP = 200;

/** The title and the words of a page or a text, on one line; undefined if it has none. `quoted` shortens it. */
export function quoteOf(body: string): string | undefined {
  const text = body.slice(0, PAGE_CAP);
  // JSON that was cut off may be a record of the service, with personal data.
  if (/^\s*[[{]/.test(text)) return undefined;
  const isPage = /<(?:!doctype|html|head|body|title|h\d|p|center)\b/i.test(text);
  if (!isPage) return kept(plainLine(text));
  const title = plainLine(entitiesIn(/<title\b[^>]*>([^<]*)/i.exec(text)?.[1] ?? ''));
  const words = plainLine(entitiesIn(withoutMarkup(text)));
  const said = title === '' || words.startsWith(title) ? words : `${title}: ${words}`;
  return kept(said.replace(/: $/, ''));
}

/** Names under which gateways put their words. */
const NAMES_OF_WORDS =
  /^(?:message|msg|title|detail|details|error|errors|error_?description|reason|faultstring|fault)$/i;
const MOST_WORDS = 5;

/**
 * The words of JSON in which a gateway answered, on one line; undefined if it has none, and for a record of the
 * service.
 */
export function quoteOfJson(json: unknown): string | undefined {
  if (typeof json === 'string') return kept(plainLine(json.slice(0, PAGE_CAP)));
  const words: string[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (words.length >= MOST_WORDS) return;
    if (typeof value === 'string') words.push(plainLine(value.slice(0, KEPT)));
    else if (Array.isArray(value)) for (const item of value.slice(0, MOST_WORDS)) collect(item, depth);
    else if (typeof value === 'object' && value !== null && depth > 0) {
      for (const [name, inner] of Object.entries(value))
        if (NAMES_OF_WORDS.test(name)) collect(inner, depth - 1);
    }
  };
  collect(json, 3);
  const said = [...new Set(words.filter((word) => word !== ''))];
  return kept(said.join(': '));
}

/** The text of a page without its head, its scripts and its tags. */
function withoutMarkup(page: string): string {
  return page
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(head|script|style|title|svg|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*(?:>|$)/g, ' ');
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entitiesIn(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,8}));/gi, (_, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? ' ';
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  });
}

function kept(line: string): string | undefined {
  return line === '' ? undefined : line.slice(0, KEPT);
}

/** The first words of a redacted text, in quotation marks. */
export function quotedWords(text: string): string {
  return `"${firstWords(text, QUOTE_CAP)}"`;
}
