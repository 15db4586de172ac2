import type { SignInFailure } from '@runledger/protocol'

const FAILURES: Readonly<Record<SignInFailure, string>> = {
  cancelled: 'You did not sign in: it was cancelled.',
  expired:
    'This took longer than 15 minutes, or began in another browser or at another address of this service. Sign in again.',
  'no-role':
    'Your account may not use this service: none of its groups has a role. Ask an admin of the service.',
  failed: 'Signing in failed. Try again; the log of the service says why it failed.',
}

export function describeFailure(failure: SignInFailure): string {
  return FAILURES[failure]
}
