import { explainSignature } from 'vehicle-auction-sdk';
import { verifySignature } from 'vehicle-auction-sdk/webhooks';

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function isValid({ body, headers, options }) {
  try {
    return Boolean(verifySignature(bytesOf(body), headers, options));
  } catch {
    return false;
  }
}

export default {
  async fetch(request) {
    const { requests, deliveries } = await request.json();
    const signed = requests.map((each) => explainSignature({ ...each, body: bytesOf(each.body) }).signature);
    return Response.json({ signed, valid: deliveries.map(isValid) });
  },
};
