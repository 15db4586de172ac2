import type { Handlers } from '../http/handler'
import { listVerdicts } from './list-verdicts'

export const VERDICT_HANDLERS: Handlers<'listVerdicts'> = {
  listVerdicts: ({ context, query }) => listVerdicts(context, query),
}
