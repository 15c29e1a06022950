import fastify from 'fastify';
import { receiver } from './receiver.js';

export const app = fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
app.post<{ Body: Buffer }>('/webhooks', async ({ body, headers }, reply) => {
  const answer = await receiver.receive({ body, headers });
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
});
