import { verifyWebhook, WebhookVerificationError } from 'vehicle-auction-sdk/webhooks';

export default {
  async fetch(request) {
    try {
      const body = await request.arrayBuffer();
      const event = verifyWebhook(body, request.headers, { secrets: ['whsec_test'] });
      return Response.json({ type: event.type, id: event.id });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return Response.json({ refused: error.reason }, { status: 400 });
    }
  },
};
