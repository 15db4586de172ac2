import * as z from 'zod'
import { optional } from '../optional'
import { TextSchema } from '../text-schema'
import { QueryBooleanSchema } from './page'
import { RoleSchema } from './role'

/** `GET /v2/users`; `current=true`: who asks alone, nobody for a station. */
export const ListUsersQuerySchema = z.object({ current: QueryBooleanSchema })
export type ListUsersQuery = z.output<typeof ListUsersQuerySchema>

export const UserSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  email: z.string(),
  /** Always false: for clients that insist on the key. */
  banned: z.boolean(),
  image: z.null(),
  /** The role of the key of the request; only with `current=true`. */
  role: RoleSchema.optional(),
})
export type User = z.output<typeof UserSchema>

export const UserListSchema = z.array(UserSchema)

export const EmailSchema = emailOf('must be an e-mail address, such as ada@example.com')

/** The operator of a run. Clients look for the field's name in the message. */
export const OperatorSchema = emailOf('must be an e-mail address, such as "operated_by": "ada@example.com"')

function emailOf(message: string) {
  return TextSchema.trim().refine((text) => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text), message)
}

const UserNameSchema = TextSchema.trim().min(1).max(255)

/** `POST /v2/users`, our addition: an operator, whom runs name by e-mail in `operated_by`. */
export const CreateUserRequestSchema = z.object({ email: EmailSchema, name: optional(UserNameSchema) })
export type CreateUserRequest = z.output<typeof CreateUserRequestSchema>

export const UpdateUserRequestSchema = z.object({
  email: optional(EmailSchema),
  name: optional(UserNameSchema),
})
export type UpdateUserRequest = z.output<typeof UpdateUserRequestSchema>
