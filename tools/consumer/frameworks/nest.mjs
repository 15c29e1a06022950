import 'reflect-metadata';
import { Controller, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { memoryStore } from 'vehicle-auction-sdk';
import { webhookReceiver } from 'vehicle-auction-sdk/webhooks';

const receiver = webhookReceiver({
  secrets: process.env.WEBHOOK_SECRET,
  store: memoryStore(),
  on: { 'sale.approved': ({ data }) => console.log(data.sale.id, 'approved at', data.sale.amount) },
});

class Webhooks {
  receive(request, response) {
    return receiver.node(request, response);
  }
}

// The decorators of TypeScript, applied by hand.
Req()(Webhooks.prototype, 'receive', 0);
Res()(Webhooks.prototype, 'receive', 1);
Post()(Webhooks.prototype, 'receive', Object.getOwnPropertyDescriptor(Webhooks.prototype, 'receive'));
Controller('webhooks')(Webhooks);
class App {}
Module({ controllers: [Webhooks] })(App);

const app = await NestFactory.create(App, { rawBody: true, logger: false });
await app.listen(0, '127.0.0.1');
console.log(await app.getUrl());
