import { sql } from 'kysely'
import { version } from '../../package.json'
import { HttpError } from '../errors'
import type { Handlers } from './handler'

export const SERVICE_HANDLERS: Handlers<'getHealth' | 'getReadiness'> = {
  getHealth: () => Promise.resolve({ status: 'ok', version }),
  getReadiness: async ({ context }) => {
    try {
      await sql`SELECT 1`.execute(context.database.query)
      return { status: 'ready' }
    } catch (error) {
      throw new HttpError('SERVICE_UNAVAILABLE', 'The database does not answer.', {
        retryAfterSeconds: 5,
        cause: error,
      })
    }
  },
}
