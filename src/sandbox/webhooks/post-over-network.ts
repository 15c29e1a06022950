import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Address, destinationOf, type Resolve, resolveByDns } from './destination.js';
import { type Answer, mostAnswerBytes, orAborted, type Post, type Posting } from './post.js';

/**
 * Posts attempts over the network, each on a connection of its own. The destination is looked up and checked before
 * every one, and the connection goes to an address that was checked: a name can't change its mind in between.
 */
export function postOverNetwork(allowPrivate: boolean, resolve: Resolve = resolveByDns): Post {
  return async (posting) => {
    const looked = destinationOf(posting.url, allowPrivate, resolve);
    const { url, addresses } = await orAborted(looked, posting.signal);
    return exchange(url, addresses, posting);
  };
}

function exchange(url: URL, addresses: readonly Address[], posting: Posting): Promise<Answer> {
  const { headers, body, signal } = posting;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': String(body.length), Connection: 'close' },
      agent: false,
      lookup: pinnedTo(addresses),
      signal,
    });
    let status: number | undefined;
    request.on('response', (response) => {
      const answered = response.statusCode ?? 0;
      status = answered;
      bodyOf(response).then((text) => resolve({ status: answered, body: text }));
    });
    request.on('error', (error) => {
      if (status !== undefined) resolve({ status, body: undefined });
      else reject(signal.aborted ? signal.reason : error);
    });
    request.end(body);
  });
}

/** Never rejects: once the status has come, that is the answer. */
function bodyOf(response: IncomingMessage): Promise<Answer['body']> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= mostAnswerBytes) return;
      resolve(undefined);
      response.destroy();
    });
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.on('error', () => resolve(undefined));
    response.on('close', () => resolve(undefined));
  });
}

/** Answers every look-up of a connection with what was looked up and checked before. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) {
      callback(
        null,
        addresses.map((each) => ({ ...each })),
      );
      return;
    }
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family ?? 0);
  };
}
