export interface SettingsTable {
  name: string
  value: string
}

export interface UsersTable {
  id: number
  public_id: string
  name: string | null
  email: string | null
  email_folded: string | null
  created_at_us: number
}

export interface ApiKeysTable {
  id: number
  public_id: string
  kind: 'user' | 'station'
  name: string
  hint: string
  hash: string
  /** Whose key it is; of a station key, who issued it. */
  user_id: number
  /** The station of a station key. */
  station_id: number | null
  created_at_us: number
  expires_at_us: number | null
  revoked_at_us: number | null
  last_used_at_us: number | null
}

export interface SessionsTable {
  id: number
  hash: string
  user_id: number
  /** The key that it was opened with, or that asked for its code: it ends with the key. Null when `serve` printed the code. */
  api_key_id: number | null
  created_at_us: number
  expires_at_us: number
}

export interface SignInCodesTable {
  id: number
  hash: string
  user_id: number
  /** The key that asked for it. Null when `serve` printed it. */
  api_key_id: number | null
  expires_at_us: number
}
