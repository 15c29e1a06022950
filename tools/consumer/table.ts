/** What was tried, and with what. */
export type Row = readonly [what: string, how: string];

export function printTable(title: string, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  console.log(title);
  for (const [what, how] of rows) console.log(`  ${what.padEnd(width)}  ${how}`);
}
