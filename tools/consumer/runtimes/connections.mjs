import { PartnerClient } from 'vehicle-auction-sdk';

const signer = { clientId: 'client', keyId: 'key', signingSecret: 'a secret of this program' };
const base = { environment: 'sandbox', credentials: signer, partnerType: 'direct_dealer', dealerId: '1' };
const options = {
  proxy: 'http://127.0.0.1:3128',
  tls: {},
  localAddress: '127.0.0.1',
};

/** The options that a client refuses, each by the name in its error, and whether the modules of Node are here. */
export default {
  fetch() {
    const refused = Object.entries(options).map(([name, value]) => {
      try {
        return (
          new PartnerClient({ ...base, baseUrl: 'https://example.com/api/v1', [name]: value }) && 'accepted'
        );
      } catch (error) {
        return error.option;
      }
    });
    const hasNode = typeof globalThis.process?.getBuiltinModule === 'function';
    return Response.json({ refused, hasNode });
  },
};
