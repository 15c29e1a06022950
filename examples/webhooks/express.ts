import express from 'express';
import { receiver } from './receiver.js';

export const app = express();
// Before express.json(), which would parse the body and lose its bytes.
app.post('/webhooks', (request, response) => receiver.node(request, response));
app.use(express.json());
