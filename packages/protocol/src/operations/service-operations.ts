import * as z from 'zod'
import { SessionItemSchema } from '../resources/session-item'
import { SignInLinkSchema } from '../session'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Service'

export const SERVICE_OPERATIONS = {
  /** Our addition. */
  createSignInLink: {
    tag,
    summary: 'Create a link that signs the owner of the key in to the dashboard, once, within 15 minutes',
    access: 'user-key',
    role: 'viewer',
    errors: [],
    response: SignInLinkSchema,
  },
  /** Our addition. */
  listSessions: {
    tag,
    summary:
      'List the sessions of the owner of the key, newest first, without those that may do more than it',
    access: 'user-key',
    role: 'viewer',
    errors: [],
    response: z.array(SessionItemSchema),
  },
  /** Our addition. */
  deleteSession: {
    tag,
    summary: 'End one of the sessions that `listSessions` lists',
    access: 'user-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: z.object({ id: z.string() }),
  },
  /** Our addition. */
  deleteSessions: {
    tag,
    summary:
      'Sign out everywhere: end every session of the owner of the key, and every link that was not used yet',
    access: 'user-key',
    role: 'admin',
    errors: [],
    response: z.object({ count: z.int().meta({ description: 'How many sessions there were' }) }),
  },
  getHealth: {
    tag,
    summary: 'Tell that the process runs, and its version',
    access: 'none',
    errors: [],
    response: z.object({ status: z.literal('ok'), version: z.string() }),
  },
  getReadiness: {
    tag,
    summary: 'Tell that the service can do its work: its database answers',
    access: 'none',
    errors: [],
    response: z.object({ status: z.literal('ready') }),
  },
} as const satisfies Record<string, Operation>
