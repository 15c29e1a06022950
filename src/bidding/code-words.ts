import { codeFacts } from '../api/codes.js';

/** What codes mean, as sentences behind another; empty where the API lists none of them. */
export function meaningsOf(codes: readonly string[]): string {
  return codes.flatMap((code) => codeFacts(code)?.meaning ?? []).join(' ');
}

/** What mends the first of the codes that the API lists, as a sentence. */
export function remedyOf(codes: readonly string[]): string | undefined {
  return codes.map(codeFacts).find((facts) => facts !== undefined)?.nextStep;
}
