import * as z from 'zod'
import { ReturnedTimeSchema } from './common'
import { RoleSchema } from './role'

/** A signed-in browser. */
export const SessionItemSchema = z.object({
  id: z.string(),
  role: RoleSchema,
  opened_by: z.enum(['key', 'link', 'provider']).meta({
    description: '`link`: the one that `serve` prints; that of a key counts as the key',
  }),
  key_name: z.string().nullable().meta({ description: 'Name of the key that opened it' }),
  created_at: ReturnedTimeSchema,
  expires_at: ReturnedTimeSchema,
  address: z.string().nullable().meta({ description: 'IP address that opened it' }),
  user_agent: z
    .string()
    .nullable()
    .meta({ description: 'What the browser calls itself, up to 255 characters' }),
  is_current: z.boolean().meta({ description: 'Whether the request is its own' }),
})
export type SessionItem = z.output<typeof SessionItemSchema>
