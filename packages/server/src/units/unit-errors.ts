import { HttpError } from '../errors'

export function unknownUnit(serialNumber: string): HttpError {
  return new HttpError('NOT_FOUND', `No unit was found with the serial number "${serialNumber}".`)
}

export function unitExists(serialNumber: string): HttpError {
  return new HttpError(
    'CONFLICT',
    `A unit with the serial number "${serialNumber}" already exists. Choose another.`,
  )
}
