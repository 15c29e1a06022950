import type { Vehicle } from '../seed/vehicles.js';

/** An inspection report of a vehicle: a PDF of one page. The number is printed on it. */
export function inspectionReport(vehicle: Vehicle, number: number): Uint8Array {
  const lines = [
    `Report ${number}`,
    '',
    ...[
      ['Registration', vehicle.registrationNumber],
      ['Vehicle', `${vehicle.year} ${vehicle.make} ${vehicle.model}`],
      ['Type', vehicle.vehicleType],
      ['Region', vehicle.region],
      ['Yard', vehicle.yard ?? 'not stated'],
      ['Condition', vehicle.condition],
      ...Object.values(vehicle.publicFields).map(({ label, value }) => [label, value ?? 'not stated']),
    ].map(([label, value]) => `${label}: ${value}`),
    '',
    'Invented by a sandbox: no such vehicle was inspected.',
  ];
  return onePage('Inspection report', lines);
}

/** A4, one font that every reader has, one column. */
function onePage(heading: string, lines: readonly string[]): Uint8Array {
  const text = [
    'BT',
    '/F1 20 Tf 60 770 Td',
    `${shown(heading)} Tj`,
    '/F1 12 Tf 0 -34 Td 18 TL',
    ...lines.map((line) => `${shown(line)} Tj T*`),
    'ET',
  ].join('\n');
  return assembled([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  ]);
}

/** Objects numbered from 1, the table that says at which byte each begins, and where the table begins. */
function assembled(objects: readonly string[]): Uint8Array {
  let file = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [at, object] of objects.entries()) {
    offsets.push(file.length);
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const tableAt = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${tableAt}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

/** A text of the page. Characters are bytes here, so that offsets are lengths. */
function shown(text: string): string {
  return `(${text.replace(/[^\x20-\x7e]/g, '?').replace(/[()\\]/g, '\\$&')})`;
}
