/** The media type of an uploaded file: told by its first bytes, else by the ending of its name. */
export function mediaTypeOf(content: Uint8Array, filename: string): string {
  const told = beginnings.find(([bytes]) => bytes.every((byte, at) => content[at] === byte));
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase();
  return told?.[1] ?? endings.get(ending ?? '') ?? 'application/octet-stream';
}

const beginnings: readonly (readonly [readonly number[], string])[] = [
  [[0x25, 0x50, 0x44, 0x46, 0x2d], 'application/pdf'],
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
  [[0xff, 0xd8, 0xff], 'image/jpeg'],
];

const endings: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
]);
