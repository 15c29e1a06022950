/** Texts of others, such as a gateway, a pooler or an HSM, as a message can show them. */

const WORDS_CAP = 300;

/** A text on one line, without control, bidi and zero-width characters, which can make a line show something else. */
export function plainLine(text: string): string {
  return withoutInvisible(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')).trim();
}

/** A text without bidi, zero-width and other invisible characters, and without control characters except white space. */
export function withoutInvisible(text: string): string {
  return text.replace(/[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu, '');
}

/** The first words of a text, on one line. */
export function firstWords(text: string, cap = WORDS_CAP): string {
  const line = plainLine(text);
  return line.length > cap ? `${line.slice(0, cap).trimEnd()}…` : line;
}
