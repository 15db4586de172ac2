import * as z from 'zod'

/** The local credentials file: mode 0600, `procedure_id` being the procedure's identifier. */
export const CredentialsSchema = z.object({
  url: z.url(),
  api_key: z.string().min(1),
  procedure_id: z.string().min(1).optional(),
  /** The service at `url` uses it to prove that it wrote the file, before the key is sent there. */
  service_secret: z.string().min(1).optional(),
})
export type Credentials = z.output<typeof CredentialsSchema>
