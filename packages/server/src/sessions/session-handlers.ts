import type { Handlers } from '../http/handler'
import { createSignInLink } from './create-sign-in-link'

export const SESSION_HANDLERS: Handlers<'createSignInLink'> = {
  createSignInLink: ({ context, principal }) => createSignInLink(context, principal),
}
