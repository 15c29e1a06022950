// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';

export const AllocationData: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    amount: { optional: 'money' },
    payment_id: { optional: 'string' },
    amount_paise: { optional: 'paise' },
    currency: { optional: 'string' },
  },
};

export const AllocationRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: AllocationData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const AuctionEvent: ObjectSchema = {
  fields: {
    id: 'string',
    name: { optional: 'string' },
    reference: { optional: 'string' },
    distribution_mode: { optional: 'string' },
    bid_type: { optional: 'string' },
    status: 'string',
    timezone: { optional: 'string' },
    starts_at: { optional: 'string' },
    ends_at: { optional: 'string' },
    bid_increment: 'money',
    eligible_lots_count: { optional: 'int' },
    revision: 'int',
  },
};

export const BankReceiptData: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    bank_account_reference: { optional: 'string' },
    utr: { optional: 'string' },
    external_transaction_id: { optional: 'string' },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    value_date: { optional: 'string' },
    evidence_id: { optional: { nullable: 'string' } },
  },
};

export const BankReceiptRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: BankReceiptData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const BidDetail: ObjectSchema = {
  fields: {
    id: 'string',
    lot_id: 'string',
    bidder_reference: { optional: { nullable: 'string' } },
    amount: 'money',
    status: 'string',
    request_id: { optional: 'string' },
    server_received_at: { optional: 'string' },
    lot_version: { optional: { nullable: 'int' } },
    errors: { optional: { list: 'string' } },
  },
};

export const BidListItem: ObjectSchema = {
  fields: {
    public_id: 'string',
    bidder_reference: { optional: { nullable: 'string' } },
    amount: 'money',
    status: 'string',
    created_at: { optional: 'string' },
  },
};

export const BidLookup: ObjectSchema = {
  fields: {
    idempotency_key: 'string',
    state: 'string',
    observed_at: { optional: 'string' },
    receipt: { optional: { nullable: { map: 'unknown' } } },
    retry: { optional: { nullable: 'string' } },
  },
};

export const BidReceipt: ObjectSchema = {
  fields: {
    request_id: { optional: 'string' },
    bid_id: 'string',
    status: 'string',
    server_received_at: { optional: 'string' },
    lot_version: 'int',
    effective_close_at: { optional: { nullable: 'string' } },
    replayed: { optional: 'boolean' },
    bidder_status: { optional: { nullable: 'string' } },
    channel_status: { optional: { nullable: 'string' } },
    highest_amount: { optional: { nullable: 'numericMoney' } },
    current_amount: { optional: { nullable: 'numericMoney' } },
  },
};

export const BidVisibility: ObjectSchema = {
  fields: { open: { optional: 'string' }, closed: { optional: 'string' } },
};

export const CancellationData: ObjectSchema = {
  fields: {
    bid_id: { optional: 'string' },
    reason_code: { optional: 'string' },
    explanation: { optional: { nullable: 'string' } },
    policy_version: { optional: { either: ['string', 'number'] } },
    decision: { optional: { nullable: 'string' } },
    reason: { optional: { nullable: 'string' } },
  },
};

export const CancellationRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: CancellationData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const FeatureSwitch: ObjectSchema = { fields: { enabled: { optional: 'boolean' } } };

export const Capabilities: ObjectSchema = {
  fields: {
    api_versions: { optional: { list: 'string' } },
    policy_version: { optional: { either: ['string', 'number'] } },
    bid_visibility: { optional: BidVisibility },
    cancellation_mode: { optional: 'string' },
    sale_approval: { optional: 'string' },
    payment_verification: { optional: 'string' },
    webhooks: { optional: FeatureSwitch },
    realtime: { optional: FeatureSwitch },
    operations: { optional: { list: 'unknown' } },
  },
};

export const DisputeData: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    reason_code: { optional: 'string' },
    explanation: { optional: { nullable: 'string' } },
    evidence_id: { optional: { nullable: 'string' } },
  },
};

export const DisputeRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: DisputeData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const DocumentData: ObjectSchema = {
  fields: {
    sale_id: { optional: { nullable: 'string' } },
    purpose: { optional: 'string' },
    filename: { optional: 'string' },
    mime: { optional: { nullable: 'string' } },
    bytes: { optional: 'int' },
    digest: { optional: 'string' },
    download_url: { optional: { nullable: 'string' } },
  },
};

export const DocumentRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: DocumentData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const EligibilitySnapshot: ObjectSchema = {
  fields: {
    eligible: 'boolean',
    diagnostic_only: { optional: 'boolean' },
    errors: { optional: { list: 'string' } },
    dealer_id: { optional: { nullable: 'string' } },
    kyc_status: { optional: { nullable: 'string' } },
    emd_status: { optional: { nullable: 'string' } },
    blocked: { optional: 'boolean' },
    buyer_limit: { optional: { nullable: 'money' } },
    limit_until: { optional: { nullable: 'string' } },
    emd_until: { optional: { nullable: 'string' } },
    lot_id: 'string',
    starting_price: { optional: { nullable: 'money' } },
    bid_increment: { optional: { nullable: 'money' } },
    notice: { optional: { nullable: 'string' } },
  },
};

export const PublicField: ObjectSchema = {
  fields: { label: { optional: 'string' }, value: { optional: 'unknown' } },
};

export const VehicleDetails: ObjectSchema = {
  fields: {
    registration_number: { optional: { nullable: 'string' } },
    make: { optional: { nullable: 'string' } },
    model: { optional: { nullable: 'string' } },
    year: { optional: { nullable: { either: ['int', 'string'] } } },
    region: { optional: { nullable: 'string' } },
    vehicle_type: { optional: { nullable: 'string' } },
    yard: { optional: { nullable: 'string' } },
    title: { optional: { nullable: 'string' } },
    bank_reference: { optional: { nullable: 'string' } },
    condition: { optional: 'unknown' },
  },
};

export const EventLot: ObjectSchema = {
  fields: {
    id: 'string',
    auction_id: 'string',
    vehicle_details: { optional: VehicleDetails },
    images: { optional: { list: 'string' } },
    documents: { optional: { list: 'string' } },
    public_fields: { optional: { map: PublicField } },
    registration_number: { optional: { nullable: 'string' } },
    make: { optional: { nullable: 'string' } },
    model: { optional: { nullable: 'string' } },
    year: { optional: { nullable: 'int' } },
    region: { optional: { nullable: 'string' } },
    vehicle_type: { optional: { nullable: 'string' } },
    starting_price: 'money',
    own_amount: { optional: { nullable: 'money' } },
    bidder_status: { optional: 'string' },
    channel_status: { optional: 'string' },
    provisional: { optional: 'boolean' },
    highest_amount: { optional: { nullable: 'money' } },
  },
};

export const InventoryCommandData: ObjectSchema = {
  fields: {
    vehicle_id: { optional: 'string' },
    inventory_version: { optional: 'int' },
    status: { optional: 'string' },
    external_id: { optional: 'string' },
    schema_version: { optional: { either: ['string', 'number'] } },
    title: { optional: { nullable: 'string' } },
  },
};

export const InventoryCommandRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: InventoryCommandData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const InventorySchema: ObjectSchema = {
  fields: {
    schema_version: { either: ['string', 'number'] },
    name: { optional: 'string' },
    version: { optional: { either: ['string', 'number'] } },
    fields: { optional: { either: [{ list: 'unknown' }, { map: 'unknown' }] } },
  },
};

export const LotStatus: ObjectSchema = {
  fields: {
    lot_id: 'string',
    auction_state: { optional: 'string' },
    inventory_state: { optional: 'string' },
    resource_version: 'int',
    updated_at: { optional: 'string' },
    effective_close_at: { optional: { nullable: 'string' } },
    sale: { optional: { nullable: { map: 'unknown' } } },
    payment: { optional: { nullable: { map: 'unknown' } } },
    release: { optional: { nullable: { map: 'unknown' } } },
    allowed_actions: { optional: { list: 'string' } },
    provisional: { optional: 'boolean' },
    own_standing: { optional: { nullable: 'string' } },
    own_amount: { optional: { nullable: 'money' } },
    highest_amount: { optional: { nullable: 'money' } },
  },
};

export const LotStatusResult: ObjectSchema = {
  fields: { lot_id: 'string', status: 'int', data: { optional: LotStatus }, code: { optional: 'string' } },
};

export const LotSummary: ObjectSchema = {
  fields: {
    id: 'string',
    auction_id: 'string',
    title: { optional: { nullable: 'string' } },
    category: { optional: { nullable: 'string' } },
    starting_price: 'money',
    status: 'string',
    ends_at: { optional: 'string' },
    vehicle_details: { optional: VehicleDetails },
    images: { optional: { list: 'string' } },
    documents: { optional: { list: 'string' } },
    public_fields: { optional: { map: PublicField } },
  },
};

export const Notification: ObjectSchema = {
  fields: {
    id: 'string',
    type: { optional: 'string' },
    subject: { optional: { either: ['string', { map: 'unknown' }] } },
    resource_version: 'int',
    created_at: { optional: 'string' },
    acknowledgment: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
  },
};

export const NotificationAckData: ObjectSchema = {
  fields: { status: { optional: 'string' }, external_reference: { optional: { nullable: 'string' } } },
};

export const NotificationAckRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: NotificationAckData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const OfferData: ObjectSchema = {
  fields: {
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    terms_version: { optional: { either: ['string', 'number'] } },
    valid_until: { optional: 'string' },
    reason: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
  },
};

export const OfferRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: OfferData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const PaymentData: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    settlement_state: { optional: 'string' },
  },
};

export const PaymentDues: ObjectSchema = {
  fields: {
    sale_id: 'string',
    currency: { optional: 'string' },
    due_amount: 'money',
    verified_credits: 'money',
    remaining: 'money',
    excess: 'money',
    state: 'string',
    due_at: { optional: { nullable: 'string' } },
    payee_instructions: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    payee_version: { optional: { nullable: { either: ['string', 'number'] } } },
    resource_version: 'int',
  },
};

export const PaymentRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: PaymentData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const PaymentReportData: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    method: { optional: 'string' },
    utr: { optional: 'string' },
    paid_at: { optional: 'string' },
    external_reference: { optional: { nullable: 'string' } },
    evidence_id: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
    reason: { optional: { nullable: 'string' } },
    bank_receipt_id: { optional: { nullable: 'string' } },
    bank_account_reference: { optional: { nullable: 'string' } },
    received_amount: { optional: { nullable: 'money' } },
  },
};

export const PaymentReportRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: PaymentReportData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const ProfileOperation: ObjectSchema = {
  fields: {
    id: 'string',
    method: { optional: 'string' },
    path: { optional: 'string' },
    scope: { optional: 'string' },
    title: { optional: 'string' },
    actors: { optional: { list: 'string' } },
  },
};

export const Profile: ObjectSchema = {
  fields: {
    environment: { optional: 'string' },
    bank_id: { optional: 'string' },
    partner_id: { optional: { nullable: 'string' } },
    client_id: 'string',
    actor_type: { optional: 'string' },
    partner_type: { optional: { nullable: 'string' } },
    dealer_id: { optional: { nullable: 'string' } },
    scopes: { optional: { list: 'string' } },
    operations: { optional: { list: ProfileOperation } },
  },
};

export const RefundData: ObjectSchema = {
  fields: {
    request_id: { optional: 'string' },
    payment_id: { optional: 'string' },
    amount_paise: { optional: 'paise' },
    currency: { optional: 'string' },
    execution: { optional: 'unknown' },
  },
};

export const RefundRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: RefundData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const RefundRequestData: ObjectSchema = {
  fields: {
    amount: { optional: 'money' },
    reason: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
    refund_id: { optional: { nullable: 'string' } },
  },
};

export const RefundRequestRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: RefundRequestData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const RejectedBid: ObjectSchema = {
  fields: {
    request_id: { optional: 'string' },
    bid_id: { optional: { nullable: 'string' } },
    status: 'string',
    server_received_at: { optional: 'string' },
    lot_version: { optional: { nullable: 'int' } },
    effective_close_at: { optional: { nullable: 'string' } },
    replayed: { optional: 'boolean' },
    bidder_status: { optional: { nullable: 'string' } },
    channel_status: { optional: { nullable: 'string' } },
    highest_amount: { optional: { nullable: 'numericMoney' } },
    current_amount: { optional: { nullable: 'numericMoney' } },
  },
};

export const ReleaseData: ObjectSchema = {
  fields: {
    recipient: { optional: { either: ['string', { map: 'unknown' }] } },
    yard: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    expires_at: { optional: 'string' },
    collection_date: { optional: { nullable: 'string' } },
    sale_id: { optional: 'string' },
    reason: { optional: { nullable: 'string' } },
    collector: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    vehicle_identity: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    evidence_id: { optional: { nullable: 'string' } },
  },
};

export const ReleaseRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: ReleaseData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const SaleCancellationData: ObjectSchema = {
  fields: {
    reason_code: { optional: 'string' },
    explanation: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
    reason: { optional: { nullable: 'string' } },
  },
};

export const SaleCancellationRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: SaleCancellationData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const SaleData: ObjectSchema = {
  fields: {
    bid_id: { optional: 'string' },
    bidder_reference: { optional: { nullable: 'string' } },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    terms_version: { optional: { nullable: { either: ['string', 'number'] } } },
    acknowledged_at: { optional: { nullable: 'string' } },
    lot_id: { optional: 'string' },
    due_at: { optional: { nullable: 'string' } },
    payee_instructions: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    payee_version: { optional: { nullable: { either: ['string', 'number'] } } },
    active_offer: { optional: { nullable: { map: 'unknown' } } },
  },
};

export const SaleReceipts: ObjectSchema = {
  fields: {
    sale_id: 'string',
    payments: { optional: { list: 'unknown' } },
    documents: { optional: { list: 'unknown' } },
    allocations: { optional: { list: 'unknown' } },
  },
};

export const SaleRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: SaleData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const TransferData: ObjectSchema = {
  fields: {
    status: { optional: 'string' },
    responsible_party: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    reason: { optional: { nullable: 'string' } },
    evidence_id: { optional: { nullable: 'string' } },
    document_checklist: { optional: { nullable: { list: 'string' } } },
    occurred_at: { optional: 'string' },
    sale_id: { optional: 'string' },
    verification: { optional: 'string' },
    government_verified: { optional: 'boolean' },
  },
};

export const TransferRecord: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: TransferData },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const TransferStatus: ObjectSchema = {
  fields: {
    sale_id: 'string',
    state: 'string',
    government_verified: { optional: 'boolean' },
    milestones: { optional: { list: 'unknown' } },
    resource_version: 'int',
  },
};

export const WebhookSubscription: ObjectSchema = { fields: {} };

export const WinnerUpdate: ObjectSchema = { fields: {} };
