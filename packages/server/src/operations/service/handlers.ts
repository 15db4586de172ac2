import { version } from '../../base/version'
import type { Handlers } from '../call/handler'

export const SERVICE_HANDLERS: Handlers<'getHealth' | 'getReadiness'> = {
  getHealth: () => Promise.resolve({ status: 'ok', version }),
  getReadiness: async ({ context }) => {
    await context.readiness.check()
    return { status: 'ready' }
  },
}
