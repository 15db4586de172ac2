import { formatDefaultSerialNumber, type RunListItem } from '@runledger/protocol'

/** True for a run whose unit is the software itself, as reporters derive it: its user has named none. */
export function isOfSoftware({ unit, metadata }: Pick<RunListItem, 'unit' | 'metadata'>): boolean {
  const isOfReporter = metadata?.['framework'] !== undefined
  return isOfReporter && unit.serial_number.startsWith(formatDefaultSerialNumber(unit.part.number, ''))
}

/** The package of a run of software: `my-app 1.2.0`. */
export function namePackage({ unit, metadata }: Pick<RunListItem, 'unit' | 'metadata'>): string {
  const { package_version: version } = metadata ?? {}
  return version === undefined ? unit.part.number : `${unit.part.number} ${version}`
}

const COMMIT_LENGTH = 12

/** The commit of a run as it is shown, undefined when it names none. */
export function nameCommit({ metadata }: Pick<RunListItem, 'metadata'>): string | undefined {
  const { git_commit: commit } = metadata ?? {}
  return commit === undefined || commit === '' ? undefined : String(commit).slice(0, COMMIT_LENGTH)
}
