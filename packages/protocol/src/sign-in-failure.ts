/** Why the service sent a browser back from the sign-in provider without a code: `/sign-in?failed=…`. */
export const SIGN_IN_FAILURES = ['cancelled', 'expired', 'no-role', 'failed'] as const
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number]
