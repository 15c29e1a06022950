/** Choices about inventory, ownership transfers and the status of vehicles, in the order of the open questions. */
export const vehicleChoices = {
  /** How `values` of A59 and A60 may come: as an object keyed by field id, as a list, or either way. */
  'inventory-values-form': ['both', 'object', 'array'],
  /** How A59 answers an `external_id` that the bank has: a conflict, an invalid field, or the record that is there. */
  'inventory-duplicates': ['409', '422', 'record'],
  /** Whether a draft may lack fields that its schema requires. */
  'inventory-required-fields': ['drafts-may-lack', 'enforced'],
  /** Whether values are held to the types of their fields. */
  'inventory-value-types': ['checked', 'any'],
  /** What a vehicle is called that is published or further. */
  'inventory-status-values': ['shown', 'unfamiliar'],
  /** Whether the 409 on a vehicle that is no draft has a message only, or a code as well. */
  'inventory-conflict-code': ['message', 'code'],
  /** Whether `fields` of a schema is a list, or an object keyed by field id. */
  'inventory-schema-fields': ['array', 'object'],
  /** Who reads schemas: banks, or partners too, less the private fields. */
  'inventory-schema-actors': ['bank', 'partner-projection'],
  /** When `vehicle.status_changed` is told: sold and collected; released and taken back as well; or never. */
  'webhook-emitters': ['approval-and-collection', 'every-step', 'none'],
  /** Whose version A57 expects: the sale's, which it moves, or the transfer's own, which A58 shows then. */
  'release-and-transfer-version': ['sale', 'transfer'],
  /** Whose version `resource_version` is in A58. */
  'projection-versions': ['sale', 'own'],
  /** Statuses that A57 takes, by how the one of pending documents is spelt: the known four, or any text. */
  'transfer-states': ['pending_documents', 'pending-documents', 'any'],
  /** Whether `completed` and `rejected` end a transfer, or any milestone may follow any other. */
  'transfer-order': ['final', 'open'],
  /** From when on A57 records milestones of an approved sale. */
  'transfer-before-collection': ['any-time', 'after-collection'],
  /** What `verification` says of a milestone that the registry confirmed. */
  'transfer-verification-values': ['registry_verified', 'unfamiliar'],
  /** What `document_checklist` holds: names of any kind, or ids of documents of the sale. */
  'transfer-document-checklist': ['names', 'document-ids'],
  /** What the milestones of A58 are: workflow records, or the `data` of those. */
  'transfer-milestones': ['records', 'data'],
} as const;
