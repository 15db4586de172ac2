import * as z from 'zod'
import { IdSchema } from '../text-schema'

/** A record by its UUID. */
export const ID_PARAMS = z.object({ id: IdSchema })

/** A procedure by its UUID or identifier: the service refuses what is neither (400). */
export const PROCEDURE_PARAMS = z.object({ procedure_id: z.string() })
