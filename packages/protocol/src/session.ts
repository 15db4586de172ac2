import * as z from 'zod'

/** Signing in to the dashboard: with an API key, or with the one-time code of the link that `serve` prints. */
export const SignInRequestSchema = z.union([
  z.object({ key: z.string().min(1) }),
  z.object({ code: z.string().min(1) }),
])
export type SignInRequest = z.output<typeof SignInRequestSchema>
