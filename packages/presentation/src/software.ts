import { isDefaultSerialNumber, type RunListItem } from '@runledger/protocol'

/** The unit is the software itself, as reporters derive it without a named unit. */
export function isOfSoftware({ unit, metadata }: Pick<RunListItem, 'unit' | 'metadata'>): boolean {
  const isOfReporter = metadata?.['framework'] !== undefined
  return isOfReporter && isDefaultSerialNumber(unit.serial_number, unit.part.number)
}

/** `my-app 1.2.0`. */
export function namePackage({ unit, metadata }: Pick<RunListItem, 'unit' | 'metadata'>): string {
  const { package_version: version } = metadata ?? {}
  return version === undefined ? unit.part.number : `${unit.part.number} ${version}`
}

const COMMIT_LENGTH = 12

export function nameCommit({ metadata }: Pick<RunListItem, 'metadata'>): string | undefined {
  const { git_commit: commit } = metadata ?? {}
  return commit === undefined || commit === '' ? undefined : String(commit).slice(0, COMMIT_LENGTH)
}
