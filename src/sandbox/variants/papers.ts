/** Choices about evidence documents and the inbox, in the order of the open questions. */
export const paperChoices = {
  /** Whether A72 takes any file, or PDF, PNG and JPEG of at most 10 MiB only. */
  'document-upload-bounds': ['unbounded', 'bounded'],
  /** Which base64 A72 takes: the padded standard alphabet; or that of URLs, without padding and in lines as well. */
  'document-base64-form': ['standard', 'any'],
  /** Whether A72 takes any purpose, or `payment_evidence` only. */
  'document-purposes': ['any', 'shown'],
  /** How `digest` spells the SHA-256; `prefixed` is hex behind `sha256:`. */
  'document-digest-encoding': ['hex', 'base64', 'prefixed'],
  /** The state of a document that the scanner found unclean. */
  'document-states': ['rejected', 'quarantined', 'awaiting_scan'],
  /** Status of a download before the document is ready. */
  'document-download-reply': ['409', '404'],
  /** The form of `subject` and `acknowledgment` in A74: a headline and an object, or a reference and the status. */
  'notification-fields': ['headline', 'reference'],
  /** Statuses that A75 takes: `read` and `delivered`, or any text. */
  'notification-ack-values': ['read-and-delivered', 'any'],
  /** How often the inbox lists a message, always under the same id. */
  'notification-duplicates': ['once', 'twice'],
  /** Whether evidence that is not ready is an invalid field or a conflict. */
  'evidence-not-ready': ['422', '409'],
} as const;
