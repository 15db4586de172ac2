import * as z from 'zod'

/** What a user key may do; each may do what those before it may (docs/interface.md#access). */
export const RoleSchema = z.enum(['viewer', 'member', 'admin'])
export type Role = z.output<typeof RoleSchema>

export function mayActAs(role: Role, needed: Role): boolean {
  return RoleSchema.options.indexOf(role) >= RoleSchema.options.indexOf(needed)
}
