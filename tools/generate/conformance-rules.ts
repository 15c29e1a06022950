import { accessChecks, canonicalRules } from './conformance/access.js';
import { bidRules } from './conformance/bidding.js';
import { catalogueRules, vehicleDetails } from './conformance/catalogue.js';
import { codeTable } from './conformance/codes.js';
import { deliveryModel } from './conformance/delivery.js';
import { conventions, winnerUpdates } from './conformance/endpoints.js';
import { errorRules, errorShapes } from './conformance/errors.js';
import { eventTypes, notifications } from './conformance/events.js';
import { generalRules } from './conformance/general.js';
import { limits } from './conformance/limits.js';
import { pagination } from './conformance/pagination.js';
import type { Section } from './conformance/rule.js';
import { canonicalString, headers } from './conformance/signing.js';
import { bidStates, eventStates } from './conformance/states.js';
import { versioning } from './conformance/versioning.js';
import { webhookSignature } from './conformance/webhook-signature.js';
import { workflowStates } from './conformance/workflow.js';

/** The rules of the API text, in its order. */
export const sections: readonly Section[] = [
  generalRules,
  pagination,
  vehicleDetails,
  eventStates,
  bidStates,
  workflowStates,
  conventions,
  catalogueRules,
  bidRules,
  winnerUpdates,
  headers,
  canonicalString,
  canonicalRules,
  accessChecks,
  webhookSignature,
  deliveryModel,
  eventTypes,
  notifications,
  errorShapes,
  codeTable,
  errorRules,
  limits,
  versioning,
];
