/** What a spreadsheet would take for a formula, behind any number of marks that keep it from doing so. */
const formula = /^'*[=+\-@\t\r]/;

/** One line of CSV with its line break. No cell of it is a formula to a spreadsheet. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => quoted(guarded(cell))).join(',')}\r\n`;
}

/** What a cell says: without white space around it, and without the mark that keeps it from being a formula. */
export function plainCell(cell: string): string {
  const trimmed = cell.trim();
  return trimmed.startsWith("'") && formula.test(trimmed.slice(1)) ? trimmed.slice(1) : trimmed;
}

/** What a spreadsheet, or a person, has done to an amount; in words that tell how to mend it. */
export function amountDamage(amount: string): string {
  const mend = 'write it like 465000 or 465000.50';
  if (amount === '') return `is missing: ${mend}`;
  if (/^\d(?:\.\d+)?E[+-]?\d+$/i.test(amount)) {
    return `was shortened by a spreadsheet, and its digits are lost: format the column as text, and ${mend}`;
  }
  if (amount.startsWith("'")) return `has an apostrophe before it: ${mend}`;
  if (/[₹$€£]|^(?:rs|inr)\b|\b(?:rs|inr)\.?$/i.test(amount)) return `has a currency: ${mend}`;
  if (/^\d+,\d{1,2}$/.test(amount)) return `has a comma for its point: ${mend}`;
  if (/^[\d,]+(?:\.\d*)?$/.test(amount) && amount.includes(','))
    return `has commas between its digits: ${mend}`;
  if (/^\d[\d\s]*\s[\d.]+$/.test(amount)) return `has spaces between its digits: ${mend}`;
  if (/^\d+\.\d{3,}$/.test(amount)) return `has more than two decimals: ${mend}`;
  if (/^0\d/.test(amount)) return `has a zero before it: ${mend}`;
  return `must be a positive amount in rupees, with at most 12 digits and two decimals: ${mend}`;
}

/** An error of a spreadsheet that was saved in place of a value. */
export function isSpreadsheetError(cell: string): boolean {
  return /^#(?:REF!|N\/A|NAME\?|VALUE!|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|ERROR!|#+$)/i.test(cell);
}

function guarded(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}

function quoted(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
