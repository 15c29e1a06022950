/** `Content-Disposition: attachment` with a file name, whatever characters the name has. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["%\\]/gu, '_');
  const encoded = plain === filename ? '' : `; filename*=UTF-8''${percentEncoded(filename)}`;
  return `attachment; filename="${plain}"${encoded}`;
}

/** By bytes and not by code points: a lone surrogate is written as what it becomes in UTF-8. */
function percentEncoded(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte);
    out += /[A-Za-z0-9._~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}
