import { HttpError } from '../errors'

export function unknownKey(id: string): HttpError {
  return new HttpError('NOT_FOUND', `No key was found with the id "${id}", or it is revoked.`)
}
