import * as z from 'zod'
import { ReturnedTimeSchema } from './resources/common'

export const SignInRequestSchema = z.union([
  z.object({ key: z.string().min(1) }),
  z.object({ code: z.string().min(1) }),
])
export type SignInRequest = z.output<typeof SignInRequestSchema>

/** The response to `POST /session`. */
export interface SignedIn {
  message: string
  /** Allows changes: the header `SESSION_TOKEN_HEADER` beside the cookie of the session. */
  token: string
}

/** `POST /v2/sign-in-links`: the code in the address works once, until `expires_at`. */
export const SignInLinkSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  expires_at: ReturnedTimeSchema,
})
export type SignInLink = z.output<typeof SignInLinkSchema>

/** The response to `DELETE /session`. */
export interface SignedOut {
  message: string
  /** Where the browser goes to end its session at the sign-in provider too. */
  continue_at?: string
}
