import type { Handlers } from '../http/handler'
import { createKey } from './create-key'
import { deleteKey } from './delete-key'
import { listKeyPage } from './list-keys'
import { regenerateKey } from './regenerate-key'

export const KEY_HANDLERS: Handlers<'createKey' | 'listKeys' | 'regenerateKey' | 'deleteKey'> = {
  createKey: ({ context, principal, body }) => createKey(context, principal, body),
  listKeys: ({ context, query }) => listKeyPage(context, query),
  regenerateKey: ({ context, params }) => regenerateKey(context, params.id),
  deleteKey: ({ context, params }) => deleteKey(context, params.id),
}
