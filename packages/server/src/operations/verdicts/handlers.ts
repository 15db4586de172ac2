import type { Handlers } from '../call/handler'
import { listVerdicts } from '../../record/results/verdicts/list-verdicts'

export const VERDICT_HANDLERS: Handlers<'listVerdicts'> = {
  listVerdicts: ({ context, query }) => listVerdicts(context, query),
}
