import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** The same in all processes of a database, and stored nowhere. */
export function deriveWebhookSecret(webhookKey: string, publicId: string): string {
  return PREFIX + createHmac('sha256', webhookKey).update(publicId).digest('base64')
}

interface SignedMessage {
  id: string
  timestampSeconds: number
  body: string
}

/** As Standard Webhooks has it (https://www.standardwebhooks.com). */
export function signWebhook(secret: string, { id, timestampSeconds, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')
  return `v1,${digest}`
}
