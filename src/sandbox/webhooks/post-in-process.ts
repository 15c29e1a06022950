import { type Answer, mostAnswerBytes, orAborted, type Post, type Posting } from './post.js';

/** Hands attempts to a function of this process: no address is looked up, and no network used. */
export function postInProcess(send: (request: Request) => Promise<Response>): Post {
  return async (posting) => {
    const response = await orAborted(handOver(send, posting), posting.signal);
    return { status: response.status, body: await bodyOf(response, posting.signal) };
  };
}

async function handOver(send: (request: Request) => Promise<Response>, posting: Posting): Promise<Response> {
  const { url, headers, body, signal } = posting;
  return send(
    // A copy, so that no receiver can change what the next attempt carries.
    new Request(url, { method: 'POST', headers, body: new Uint8Array(body), signal, redirect: 'manual' }),
  );
}

async function bodyOf(response: Response, signal: AbortSignal): Promise<Answer['body']> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return Buffer.concat(chunks).toString('utf8');
      chunks.push(value);
      size += value.length;
      if (size > mostAnswerBytes) break;
    }
  } catch {
    // The status has come: that is the answer.
  }
  reader.cancel().catch(() => {});
  return undefined;
}
