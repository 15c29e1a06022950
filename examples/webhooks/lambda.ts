import { receiver } from './receiver.js';

type Delivery = { body?: string; isBase64Encoded?: boolean; headers: Record<string, string> };

export async function handler({ body = '', isBase64Encoded, headers }: Delivery) {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const { status, ...answer } = await receiver.receive({ body: bytes, headers });
  await receiver.idle(); // a Lambda is frozen after its answer, so handle first
  return { statusCode: status, headers: answer.headers, body: answer.body };
}
