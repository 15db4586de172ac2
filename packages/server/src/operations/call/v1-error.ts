import type { V1Error, V2Error } from '@runledger/protocol'
import type { HttpError } from '../../base/errors'

export function createV1Error(error: HttpError): V1Error {
  return { status_code: error.statusCode, ...createV2Error(error), error: { message: error.message } }
}

export function createV2Error({ code, message, issues }: HttpError): V2Error {
  return { code, message, issues }
}
