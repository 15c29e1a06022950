/** The version of the policies that capabilities and records name. */
export const policyVersion = '1';
