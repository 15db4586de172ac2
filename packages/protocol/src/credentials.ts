import * as z from 'zod'

/** Where `serve` writes how to reach it, and where a reporter looks for it, upward from the project root. */
export const CREDENTIALS_FILE = 'credentials.json'
export const DATA_FOLDER = '.runledger'
export const DEFAULT_PORT = 7357

/** The local credentials file: mode 0600, `procedure_id` being the procedure's identifier. */
export const CredentialsSchema = z.object({
  url: z.url(),
  api_key: z.string().min(1),
  procedure_id: z.string().min(1).optional(),
})
export type Credentials = z.output<typeof CredentialsSchema>
