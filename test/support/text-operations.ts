// The operations of the API text, copied as facts by hand; nothing of them is read from src/api.

/** Method of the SDK, then the text's id (or our slug), HTTP method, path, scope, actors (`-`: it names none). */
const callable = `
integration.profile            A01                 GET    /integration/profile                             integration:read           bank,partner
integration.capabilities       A02                 GET    /integration/capabilities                        integration:read           bank,partner
eligibility.check              A03                 GET    /bidding-eligibility                             eligibility:read           partner
events.list                    events.list         GET    /events                                          catalogue:read             -
events.get                     events.get          GET    /events/{event}                                  catalogue:read             -
events.lots                    events.lots         GET    /events/{event}/lots                             catalogue:read             -
events.lot                     events.lot          GET    /events/{event}/lots/{lot}                       catalogue:read             -
events.media                   events.media        GET    /events/{event}/lots/{lot}/media/{media}         catalogue:read             -
lots.list                      lots.list           GET    /lots                                            catalogue:read             -
lots.status                    A10                 GET    /lots/{lot}/status                               lot-status:read            partner
lots.statusBatch               A11                 POST   /lots/status-batch                               lot-status:read            partner
vehicles.get                   vehicles.get        GET    /vehicles/{vehicle}                              vehicles:read              -
results.list                   results.list        GET    /results                                         results:read               -
bids.submit                    bids.submit         POST   /lots/{lot}/bids                                 bids:write                 -
bids.list                      bids.list           GET    /bids                                            bids:read                  -
bids.get                       A05                 GET    /bids/{bid}                                      bids:read                  bank,partner
bids.lookup                    A06                 GET    /bid-requests/{idempotency_key}                  bids:read                  partner
bids.requestCancellation       A07                 POST   /bids/{bid}/cancellation-requests                bids:cancel-request        partner
bidCancellations.list          A08                 GET    /bid-cancellation-requests                       bids:cancel-read           bank,partner
bidCancellations.decide        A09                 POST   /bid-cancellation-requests/{request}/decisions   bids:cancel-approve        bank
winnerUpdates.list             winnerUpdates.list  GET    /winner-updates                                  sales:read                 -
saleCases.list                 A20                 GET    /sale-cases                                      sales:read                 bank,partner
saleCases.get                  A21                 GET    /sale-cases/{sale}                               sales:read                 bank,partner
saleCases.decide               A22                 POST   /sale-cases/{sale}/decisions                     sales:approve              bank
saleCases.acknowledge          A23                 POST   /sale-cases/{sale}/acknowledgments               sales:acknowledge          partner
saleCases.offer                A24                 POST   /sale-cases/{sale}/offers                        offers:write               bank
saleCases.requestCancellation  A26                 POST   /sale-cases/{sale}/cancellation-requests         sales:cancel-request       bank,partner
saleCases.paymentDues          A34                 GET    /sale-cases/{sale}/payment-dues                  payments:read              bank,partner
saleCases.receipts             A46                 GET    /sale-cases/{sale}/receipts                      documents:read             bank,partner
saleCases.authorizeRelease     A52                 POST   /sale-cases/{sale}/release-authorizations        release:approve            bank
saleCases.updateTransfer       A57                 POST   /sale-cases/{sale}/transfer-updates              transfer:write             bank
saleCases.transferStatus       A58                 GET    /sale-cases/{sale}/transfer-status               transfer:read              bank,partner
offers.respond                 A25                 POST   /offers/{offer}/responses                        offers:respond             partner
saleCancellations.decide       A27                 POST   /sale-cancellation-requests/{request}/decisions  sales:cancel-approve       bank
paymentReports.create          A36                 POST   /payment-reports                                 payments:report            partner
paymentReports.get             A37                 GET    /payment-reports/{report}                        payments:read              bank,partner
paymentReports.decide          A38                 POST   /payment-reports/{report}/decisions              payments:verify            bank
payments.get                   A40                 GET    /payments/{payment}                              payments:read              bank,partner
payments.allocate              A45                 POST   /payments/{payment}/allocations                  payments:allocate          bank
payments.requestRefund         A47                 POST   /payments/{payment}/refund-requests              refunds:request            bank,partner
bankReceipts.import            A42                 POST   /bank-receipts/imports                           receipts:import            bank
refundRequests.decide          A48                 POST   /refund-requests/{request}/decisions             refunds:approve            bank
refunds.get                    A49                 GET    /refunds/{refund}                                refunds:read               bank,partner
disputes.create                A50                 POST   /disputes                                        disputes:write             bank,partner
disputes.get                   A51                 GET    /disputes/{dispute}                              disputes:read              bank,partner
releases.get                   A53                 GET    /release-authorizations/{release}                release:read               bank,partner
releases.revoke                A54                 POST   /release-authorizations/{release}/revocations    release:revoke             bank
releases.collect               A56                 POST   /release-authorizations/{release}/collections    collection:confirm         bank
inventory.createVehicle        A59                 POST   /bank/inventory/vehicles                         inventory:write            bank
inventory.updateVehicle        A60                 PATCH  /bank/inventory/vehicles/{vehicle}               inventory:write            bank
inventory.schemas              A63                 GET    /bank/inventory/schemas                          inventory-schema:read      bank
documents.upload               A72                 POST   /document-uploads                                documents:write            bank,partner
documents.get                  A73                 GET    /documents/{document}                            documents:read             bank,partner
documents.download             A73                 GET    /documents/{document}                            documents:read             bank,partner
notifications.list             A74                 GET    /notifications                                   notifications:read         bank,partner
notifications.acknowledge      A75                 POST   /notifications/{notification}/acknowledgments    notifications:acknowledge  partner
webhookSubscriptions.create    A13                 POST   /webhook-subscriptions                           webhooks:manage            -
`;

/** Id, HTTP method and path of what is listed but not callable; A13 is above. */
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

/** Method of the SDK, id, HTTP method, path, scope, actors: every method. */
export const methodRows = table(callable);

/** Id, HTTP method and path of the planned operations. */
export const plannedRows = table(planned);
