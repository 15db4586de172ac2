import type { ErrorDetail } from '@runledger/core'

// jest-circus calls hooks from `_callCircusHook`; what a hook throws that is no error, and its time-out, may have the
// stack of the call that declares it.
const HOOK_FRAME = /^[ \t]+at (?:async )?(?:Object\.)?(?:_callCircusHook|(?:before|after)(?:All|Each)) \(/m
const HOOK_TIME_OUT = /^(?:Error: )?thrown: "Exceeded timeout of .+ for a hook\./

/** Returns false if the stack does not tell: after an `await`, errors of hooks and of tests have the same stack. */
export function isOfHook({ message = '', stack = '' }: ErrorDetail): boolean {
  return HOOK_FRAME.test(stack) || HOOK_TIME_OUT.test(message)
}
