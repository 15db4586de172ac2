import type { Migration } from './migration'

/** Keys that are older than roles become keys of admins, so they keep their rights. */
export const ROLES: Migration = {
  name: '005-roles',
  statements: [
    "ALTER TABLE api_keys ADD COLUMN role text CHECK (role IN ('viewer', 'member', 'admin'))",
    "UPDATE api_keys SET role = 'admin' WHERE kind = 'user'",
  ],
}
