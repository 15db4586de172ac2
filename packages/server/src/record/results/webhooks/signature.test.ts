import { expect, it } from 'vitest'
import { deriveWebhookSecret, signWebhook } from './signature'

it.each([
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    id: 'msg_loFOjxBNrRLzqYUf',
    timestampSeconds: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
])('signs as the examples of Standard Webhooks do: $id', ({ secret, signature, ...message }) => {
  expect(signWebhook(secret, message)).toBe(signature)
})

it('derives a secret of 32 bytes for each webhook and service', () => {
  const secret = deriveWebhookSecret('key', 'a')
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(deriveWebhookSecret('key', 'a')).toBe(secret)
  expect(deriveWebhookSecret('key', 'b')).not.toBe(secret)
  expect(deriveWebhookSecret('other', 'a')).not.toBe(secret)
})
