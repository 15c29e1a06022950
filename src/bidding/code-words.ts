import { codeFacts } from '../api/codes.js';

/** What codes mean, as sentences behind another; empty where the API lists none of them. */
export function meaningsOf(codes: readonly string[]): string {
  return codes.flatMap((code) => codeFacts(code)?.meaning ?? []).join(' ');
}

/** What mends the first of the codes that the API lists, as a sentence. */
export function remedyOf(codes: readonly string[]): string | undefined {
  return codes.map(codeFacts).find((facts) => facts !== undefined)?.nextStep;
}

/** Refusals that can be of a wrong lot id, or a wrong buyer. */
const ofContent = ['NOT_FOUND', 'BANK_ACCESS_DENIED', 'BUYER_NOT_ELIGIBLE'];

/** Whether what mends a refusal may be another content of the bid, rather than another access to the service. */
export function mendsContent(codes: readonly string[], status: number | undefined): boolean {
  const listed = codes.find((code) => codeFacts(code) !== undefined);
  return listed === undefined ? status === 404 || status === 422 : ofContent.includes(listed);
}
