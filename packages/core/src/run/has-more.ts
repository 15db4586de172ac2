import type { Attempt } from '../suite'

/** False for most attempts: they have no more to tell than their verdict. */
export function hasMore({ errors, output, attachments, said }: Attempt): boolean {
  return errors.length > 0 || output.length > 0 || attachments.length > 0 || said !== undefined
}
