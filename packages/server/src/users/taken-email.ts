import { HttpError } from '../errors'

export function takenEmail(email: string): HttpError {
  return new HttpError(
    'CONFLICT',
    `A user with the e-mail address "${email}" already exists. Use that one, or another address.`,
  )
}
