/** A planned operation of the API text, not callable yet. */
export interface PlannedOperation {
  /** Id in the API text, such as `A12`. */
  readonly id: string;
  /** The effective method. PATCH and PUT are sent as POST with `_method` in the body. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** The path after `/api/v1`. */
  readonly path: `/${string}`;
  /** Group in the API text. */
  readonly group: string;
}

/**
 * Operations that are listed but not callable (Endpoints, Operations listed but not callable). Their scopes can't
 * be granted and their fields are undocumented. Once they open, `client.request()` can send them. A13 is also
 * listed there but is described, so it has a method: `webhookSubscriptions.create`.
 *
 * A row stays when its operation gets a method: the method takes precedence.
 */
export const plannedOperations: readonly PlannedOperation[] = [
  { id: 'A12', method: 'GET', path: '/changes', group: 'Changes, webhooks, realtime' },
  { id: 'A14', method: 'GET', path: '/webhook-subscriptions', group: 'Changes, webhooks, realtime' },
  {
    id: 'A15',
    method: 'PATCH',
    path: '/webhook-subscriptions/{subscription}',
    group: 'Changes, webhooks, realtime',
  },
  { id: 'A16', method: 'GET', path: '/webhook-deliveries', group: 'Changes, webhooks, realtime' },
  {
    id: 'A17',
    method: 'POST',
    path: '/webhook-deliveries/{delivery}/replay',
    group: 'Changes, webhooks, realtime',
  },
  {
    id: 'A18',
    method: 'POST',
    path: '/webhook-subscriptions/{subscription}/test',
    group: 'Changes, webhooks, realtime',
  },
  { id: 'A19', method: 'POST', path: '/realtime/sessions', group: 'Changes, webhooks, realtime' },
  { id: 'A28', method: 'GET', path: '/deposits', group: 'Deposits, buying power' },
  { id: 'A29', method: 'POST', path: '/deposits', group: 'Deposits, buying power' },
  { id: 'A30', method: 'POST', path: '/deposits/{deposit}/refund-requests', group: 'Deposits, buying power' },
  { id: 'A31', method: 'GET', path: '/buying-power', group: 'Deposits, buying power' },
  { id: 'A32', method: 'POST', path: '/buyer-limit-requests', group: 'Deposits, buying power' },
  {
    id: 'A33',
    method: 'POST',
    path: '/buyer-limit-requests/{request}/decisions',
    group: 'Deposits, buying power',
  },
  { id: 'A35', method: 'POST', path: '/sale-cases/{sale}/payment-orders', group: 'Payments' },
  { id: 'A39', method: 'POST', path: '/payment-reports/{report}/verification-attempts', group: 'Payments' },
  { id: 'A41', method: 'POST', path: '/provider-webhooks/{provider}/{connection}', group: 'Payments' },
  { id: 'A43', method: 'POST', path: '/reconciliations', group: 'Payments' },
  { id: 'A44', method: 'GET', path: '/reconciliations/{reconciliation}', group: 'Payments' },
  {
    id: 'A55',
    method: 'POST',
    path: '/sale-cases/{sale}/collection-appointments',
    group: 'Collection, inventory',
  },
  {
    id: 'A61',
    method: 'POST',
    path: '/bank/inventory/vehicles/{vehicle}/status-transitions',
    group: 'Collection, inventory',
  },
  { id: 'A62', method: 'POST', path: '/bank/inventory/imports', group: 'Collection, inventory' },
  { id: 'A64', method: 'POST', path: '/bank/auctions', group: 'Bank auctions and partners' },
  { id: 'A65', method: 'POST', path: '/bank/auctions/{auction}/lots', group: 'Bank auctions and partners' },
  {
    id: 'A66',
    method: 'PUT',
    path: '/bank/auctions/{auction}/assignments',
    group: 'Bank auctions and partners',
  },
  {
    id: 'A67',
    method: 'POST',
    path: '/bank/auctions/{auction}/publications',
    group: 'Bank auctions and partners',
  },
  {
    id: 'A68',
    method: 'POST',
    path: '/bank/auctions/{auction}/transitions',
    group: 'Bank auctions and partners',
  },
  {
    id: 'A69',
    method: 'POST',
    path: '/bank/auctions/{auction}/extensions',
    group: 'Bank auctions and partners',
  },
  { id: 'A70', method: 'POST', path: '/bank/partners', group: 'Bank auctions and partners' },
  {
    id: 'A71',
    method: 'POST',
    path: '/bank/partners/{partner}/transitions',
    group: 'Bank auctions and partners',
  },
  { id: 'A76', method: 'GET', path: '/audit-events', group: 'Audit, jobs, other' },
  { id: 'A77', method: 'POST', path: '/report-exports', group: 'Audit, jobs, other' },
  { id: 'A78', method: 'GET', path: '/operations/{operation}', group: 'Audit, jobs, other' },
  { id: 'A79', method: 'POST', path: '/lots/{lot}/proxy-bid-instructions', group: 'Audit, jobs, other' },
  {
    id: 'A80',
    method: 'POST',
    path: '/proxy-bid-instructions/{instruction}/revocations',
    group: 'Audit, jobs, other',
  },
  { id: 'A81', method: 'POST', path: '/risk-review-jobs', group: 'Audit, jobs, other' },
  { id: 'A82', method: 'POST', path: '/valuation-jobs', group: 'Audit, jobs, other' },
  { id: 'A83', method: 'POST', path: '/vehicle-check-jobs', group: 'Audit, jobs, other' },
  { id: 'A84', method: 'POST', path: '/oauth/token', group: 'Audit, jobs, other' },
  { id: 'A85', method: 'POST', path: '/api-clients/{client}/key-rotations', group: 'Audit, jobs, other' },
  { id: 'A86', method: 'POST', path: '/integration-acknowledgments', group: 'Audit, jobs, other' },
];
