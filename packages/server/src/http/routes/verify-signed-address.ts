import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { HttpError } from '../../base/errors'
import type { Context } from '../../operations/call/context'
import type { AddressPurpose } from '../../record/files/attachments/addresses'

const SignedSchema = z.object({
  params: z.object({ id: z.string() }),
  query: z.object({ expires: z.string().regex(/^\d{1,12}$/), signature: z.string() }),
})

/** @throws HttpError FORBIDDEN unless this service signed the address for this purpose and it has not expired */
export async function verifySignedAddress(
  { signer }: Context,
  { params, query }: FastifyRequest,
  purpose: AddressPurpose,
): Promise<void> {
  const parsed = SignedSchema.safeParse({ params, query })
  if (!parsed.success) throw new HttpError('FORBIDDEN', `This ${purpose} address is not signed.`)
  signer.verify({ purpose, id: parsed.data.params.id, ...parsed.data.query })
}
