import * as z from 'zod'
import type { Operation } from './operation'

const tag = 'Service'

export const SERVICE_OPERATIONS = {
  getHealth: {
    tag,
    summary: 'Tell that the process runs',
    access: 'none',
    errors: [],
    response: z.object({ status: z.literal('ok') }),
  },
  getReadiness: {
    tag,
    summary: 'Tell that the service can do its work: its database answers',
    access: 'none',
    errors: [],
    response: z.object({ status: z.literal('ready') }),
  },
} as const satisfies Record<string, Operation>
