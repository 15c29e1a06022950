import { Hono } from 'hono';
import { receiver } from './receiver.js';

export const app = new Hono();
app.post('/webhooks', ({ req }) => receiver.fetch(req.raw));
