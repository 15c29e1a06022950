import { cases } from '../wire/cases/all.js';

// The operations of the API text, copied as facts by hand; nothing of them is read from src/api.

/** Id, HTTP method and path of what the text lists as not callable; one with a wire case has a method by now. */
const planned = `
A12  GET    /changes
A14  GET    /webhook-subscriptions
A15  PATCH  /webhook-subscriptions/{subscription}
A16  GET    /webhook-deliveries
A17  POST   /webhook-deliveries/{delivery}/replay
A18  POST   /webhook-subscriptions/{subscription}/test
A19  POST   /realtime/sessions
A28  GET    /deposits
A29  POST   /deposits
A30  POST   /deposits/{deposit}/refund-requests
A31  GET    /buying-power
A32  POST   /buyer-limit-requests
A33  POST   /buyer-limit-requests/{request}/decisions
A35  POST   /sale-cases/{sale}/payment-orders
A39  POST   /payment-reports/{report}/verification-attempts
A41  POST   /provider-webhooks/{provider}/{connection}
A43  POST   /reconciliations
A44  GET    /reconciliations/{reconciliation}
A55  POST   /sale-cases/{sale}/collection-appointments
A61  POST   /bank/inventory/vehicles/{vehicle}/status-transitions
A62  POST   /bank/inventory/imports
A64  POST   /bank/auctions
A65  POST   /bank/auctions/{auction}/lots
A66  PUT    /bank/auctions/{auction}/assignments
A67  POST   /bank/auctions/{auction}/publications
A68  POST   /bank/auctions/{auction}/transitions
A69  POST   /bank/auctions/{auction}/extensions
A70  POST   /bank/partners
A71  POST   /bank/partners/{partner}/transitions
A76  GET    /audit-events
A77  POST   /report-exports
A78  GET    /operations/{operation}
A79  POST   /lots/{lot}/proxy-bid-instructions
A80  POST   /proxy-bid-instructions/{instruction}/revocations
A81  POST   /risk-review-jobs
A82  POST   /valuation-jobs
A83  POST   /vehicle-check-jobs
A84  POST   /oauth/token
A85  POST   /api-clients/{client}/key-rotations
A86  POST   /integration-acknowledgments
`;

const table = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

/** Method of the SDK, id, HTTP method, path, scope, actors: every method, from the wire cases. */
export const methodRows = cases.map(({ row }) => row.split(' '));

/** Id, HTTP method and path of the operations that the text lists as not callable. */
export const listedRows = table(planned);

/** Those of them that have no method. */
export const plannedRows = listedRows.filter(([id]) => methodRows.every(([, known]) => known !== id));
