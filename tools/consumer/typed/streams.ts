import { Blob as NodeBlob } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream as NodeStream } from 'node:stream/web';
import { BankClient, fileContent, type SavedMedia, type UploadSource } from 'vehicle-auction-sdk';

const { media, documents } = new BankClient({ environment: 'sandbox' });

/** What downloads give goes into what the runtime and Node have. */
export async function downloads(url: string): Promise<readonly SavedMedia[]> {
  const { stream } = await media.download(url);
  await pipeline(Readable.fromWeb(stream), createWriteStream('photo.jpg'));
  const copy = await media.download(url);
  await pipeline(copy.stream, createWriteStream('copy.jpg'));
  createServer((_, response) => void media.serve(url, response));
  return media.saveAll([url], 'photos', { onProgress: ({ done, total }) => console.log(done / total) });
}
export const handler = (url: string): Promise<Response> => media.serve(url);
export const responseOf = async (url: string): Promise<Response> =>
  new Response((await media.download(url)).stream);

/** What there is to upload, as each runtime has it. */
export function sources(request: Request, form: { readonly file: File }): readonly UploadSource[] {
  const { body } = request;
  return [
    fileContent('./slip.pdf'),
    Buffer.from('%PDF'),
    new Uint8Array(4),
    new Blob(['%PDF']),
    new NodeBlob(['%PDF']),
    form.file,
    ...(body === null ? [] : [body]),
    createReadStream('./slip.pdf'),
    Readable.from([Buffer.from('%PDF')]),
    new NodeStream<Uint8Array>(),
    new Response('%PDF').body ?? Buffer.of(1),
  ];
}
export async function evidence(file: File): Promise<string> {
  const common = { sale_id: 'sal_1', purpose: 'payment_evidence' };
  const { id } = await documents.upload({ ...common, content: file }, { waitUntilReady: true });
  await documents.upload({ ...common, filename: 'slip.pdf', content: file.stream() });
  return id;
}
