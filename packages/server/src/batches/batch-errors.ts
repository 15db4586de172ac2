import { HttpError } from '../errors'

export function unknownBatch(number: string): HttpError {
  return new HttpError('NOT_FOUND', `No batch was found with the number "${number}".`)
}

export function batchExists(number: string): HttpError {
  return new HttpError('CONFLICT', `A batch with the number "${number}" already exists. Choose another.`)
}
